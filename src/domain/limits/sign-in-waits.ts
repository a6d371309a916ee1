export type SignInLane = "address" | "subject" | "bearer";

interface Pace {
  /** failures without a delay, for typing errors */
  free: number;
  maxMs: number;
}

/** Attackers can fail in a subject's name, so subjects wait little; only the sender can fail from an address. */
const paces: Record<SignInLane, Pace> = {
  address: { free: 5, maxMs: 60_000 },
  subject: { free: 20, maxMs: 5_000 },
  // Programs repeat wrong tokens, and others at their address must still sign in.
  bearer: { free: 1_000, maxMs: 60_000 },
};
const firstWaitMs = 1_000;

export const signInMemoryMs = 15 * 60_000;

export function waitAfter(lane: SignInLane, failures: number): number {
  const { free, maxMs } = paces[lane];
  const beyond = failures - free;
  return beyond <= 0 ? 0 : Math.min(maxMs, firstWaitMs * 2 ** Math.min(beyond - 1, 20));
}

/** Only powers of two are logged, so that a flood does not fill the log. */
export const isNotedFailure = (failures: number): boolean =>
  failures > 0 && (failures & (failures - 1)) === 0;

function groupsOf(address: string): string[] | null {
  const host = URL.parse(`http://[${address.split("%", 1)[0]}]`)?.hostname;
  if (host === undefined) return null;
  const [before = [], after = []] = host
    .slice(1, -1)
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after];
}

/** The address in `::ffff:0:0/96`. Source: RFC 4291, section 2.5.5.2. */
const mappedIn = (groups: readonly string[]): string | null =>
  groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff"
    ? groups
        .slice(6)
        .map((group) => Number.parseInt(group, 16))
        .flatMap((bits) => [bits >> 8, bits & 0xff])
        .join(".")
    : null;

const maxAddressCharacters = 64;

/** By /48: a customer gets a /48 or /56 and can send from all of it. Source: RFC 6177. */
export function networkOf(address: string): string {
  const text = address.slice(0, maxAddressCharacters);
  const groups = text.includes(":") ? groupsOf(text) : null;
  return groups === null ? text : (mappedIn(groups) ?? groups.slice(0, 3).join(":"));
}
