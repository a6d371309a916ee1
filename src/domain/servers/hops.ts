/** The attack: a server's URL leads back to this router, so that a request calls itself endlessly. */

export const hopsHeader = "x-sampling-router-hops";

const maxHops = 3;

/** @param count value of the incoming header @returns value to send; null: too many hops, or unreadable */
export function nextHop(count: string | null): string | null {
  const text = count?.trim() ?? "0";
  if (!/^\d{1,3}$/.test(text)) return null;
  const hops = Number(text) + 1;
  return hops > maxHops ? null : String(hops);
}
