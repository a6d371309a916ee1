/** Deterministic for equal models on the same day. */

const digits = 8;

/** `2026-11-21.1a2b3c4d`: UTC day and hash of the models. */
export async function versionOf(models: readonly unknown[], now: number): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(models));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hex = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${new Date(now).toISOString().slice(0, 10)}.${hex.slice(0, digits)}`;
}
