/** How long a person or program that failed to sign in waits before the next try. */

/** What tries are counted by. `address`: where a try comes from. `subject`: whom a try names, a key's id or the operator. */
export type SignInLane = "address" | "subject";

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

/** All IPv6 addresses of a network (/64) count as one address: a sender has more of them than could be counted. */
export const networkOf = (address: string): string =>
  address.includes(":") ? address.split(":").slice(0, 4).join(":") : address;
