/** How long whoever fails to sign in has to wait before the next try. */

/** `address`: where the tries come from; `subject`: what the tries name, a key's id or the operator */
export type SignInLane = "address" | "subject";

interface Pace {
  /** failures that cost no wait: a person mistypes */
  free: number;
  mostMs: number;
}

/**
 * Strangers can make the tries of a subject fail, so a subject waits little: its owner must get in meanwhile. An
 * address is its sender's own, so it waits longer.
 */
const paces: Record<SignInLane, Pace> = {
  address: { free: 5, mostMs: 60_000 },
  subject: { free: 20, mostMs: 5_000 },
};
const firstWaitMs = 1_000;

/** ms after which failures are forgotten. */
export const signInMemoryMs = 15 * 60_000;

/** ms until the next try, after so many failures; twice as long with each, up to a bound. */
export function waitAfter(lane: SignInLane, failures: number): number {
  const { free, mostMs } = paces[lane];
  const beyond = failures - free;
  return beyond <= 0 ? 0 : Math.min(mostMs, firstWaitMs * 2 ** Math.min(beyond - 1, 20));
}

/** Only the 1st, 2nd, 4th, 8th… failure is written down: a flood of tries must not fill the log of events. */
export const isNotedFailure = (failures: number): boolean =>
  failures > 0 && (failures & (failures - 1)) === 0;

/** Addresses of one network count as one: an IPv6 network has more of them than anybody could count. */
export const networkOf = (address: string): string =>
  address.includes(":") ? address.split(":").slice(0, 4).join(":") : address;
