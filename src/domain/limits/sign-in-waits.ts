/** How long a person or program that failed to sign in waits before the next try. */

/** What tries are counted by. `address`: where a try comes from. `subject`: whom a try names, a key's id or the operator.
 * `bearer`: where a request with a wrong bearer token comes from. */
export type SignInLane = "address" | "subject" | "bearer";

interface Pace {
  /** failures without a wait: people mistype */
  free: number;
  mostMs: number;
}

/**
 * Strangers can fail in the name of a subject, so a subject waits little: the subject's owner must still get in. Nobody
 * else can fail from a sender's address, so an address waits longer.
 */
const paces: Record<SignInLane, Pace> = {
  address: { free: 5, mostMs: 60_000 },
  subject: { free: 20, mostMs: 5_000 },
  // Programs repeat a wrong token, and others at their address must still get in.
  bearer: { free: 1_000, mostMs: 60_000 },
};
const firstWaitMs = 1_000;

/** ms after which failures are forgotten. */
export const signInMemoryMs = 15 * 60_000;

/** ms until the next try. Each failure doubles the wait, up to a bound. */
export function waitAfter(lane: SignInLane, failures: number): number {
  const { free, mostMs } = paces[lane];
  const beyond = failures - free;
  return beyond <= 0 ? 0 : Math.min(mostMs, firstWaitMs * 2 ** Math.min(beyond - 1, 20));
}

/** Only the 1st, 2nd, 4th, 8th… failure is written down: a flood of tries must not fill the log of events. */
export const isNotedFailure = (failures: number): boolean =>
  failures > 0 && (failures & (failures - 1)) === 0;

/** Its eight groups without leading zeros, in lower case and without a zone; null: the text is no IPv6 address. */
function groupsOf(address: string): string[] | null {
  // The URL parser knows every way to write such an address, and writes it in one.
  const host = URL.parse(`http://[${address.split("%", 1)[0]}]`)?.hostname;
  if (host === undefined) return null;
  const [before = [], after = []] = host
    .slice(1, -1)
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after];
}

/** The IPv4 address in an IPv6 address of `::ffff:0:0/96`. Source: RFC 4291, section 2.5.5.2. */
const mappedIn = (groups: readonly string[]): string | null =>
  groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff"
    ? groups
        .slice(6)
        .map((group) => Number.parseInt(group, 16))
        .flatMap((bits) => [bits >> 8, bits & 0xff])
        .join(".")
    : null;

/** An address in text, with a zone, has fewer characters than this. */
const mostAddressCharacters = 64;

/**
 * All IPv6 addresses of a site (/48) count as one: providers assign a /48 or a /56 to a customer, who can send from each
 * of its addresses. Source: RFC 6177.
 */
export function networkOf(address: string): string {
  const text = address.slice(0, mostAddressCharacters);
  const groups = text.includes(":") ? groupsOf(text) : null;
  return groups === null ? text : (mappedIn(groups) ?? groups.slice(0, 3).join(":"));
}
