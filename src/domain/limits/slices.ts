/**
 * Slices of time for crowds, where one thread does the work of several tenants. A crowd is a tenant with more than three calls
 * that work or wait to work. While a calm tenant calls too, all crowds work in slices, and rest between two slices. Most calls of
 * the calm tenant then meet no work of a crowd; where calls of both take turns one by one, the crowd delays each of them. Calls of
 * one slice also share syncs of the disk. Pure: the caller passes the time.
 */

const mostCalm = 3;
/** ms; a slice takes no more calls after them */
const sliceMs = 25;
/** ms; a slice is over after them, though calls of it still work: an invocation may end without a word */
const longestSliceMs = 2 * sliceMs;
/** ms; a slice that took less delayed nobody, so no rest follows */
const shortestSliceMs = 2;
/** ms; a rest is as long as the slice before it, and at least so long: the calm tenant has several calls between two slices */
const leastRestMs = 25;
/** ms for which a tenant counts as calling, or as a crowd: a caller with an answer may ask again at once */
const atWorkMs = 1_000;

/** The calls of one tenant, as its order of turns tells of them. */
export interface TenantSlices {
  /** So many calls work or wait to work. */
  note(calls: number, now: number): void;
  /** Whether a call that waits may begin to work; if so, the slice is the tenant's too. */
  mayWork(now: number): boolean;
  /** None of the tenant's calls works any more. */
  idle(now: number): void;
  /** ms until a call that waits has to ask again; Infinity: no rest keeps the tenant's calls waiting */
  opensInMs(now: number): number;
}

/** For an order whose crowds never rest. */
export const withoutSlices: TenantSlices = {
  note: () => {},
  mayWork: () => true,
  idle: () => {},
  opensInMs: () => Number.POSITIVE_INFINITY,
};

/** ms after a slice's end, until the next slice may begin */
const restAfter = (tookMs: number): number =>
  tookMs < shortestSliceMs ? 0 : Math.max(leastRestMs, tookMs);

/** The slices of one thread, which all its crowds share: they work at once, and they rest at once. */
export function createSlices() {
  /** when each calm tenant called last, who called longest ago first */
  const calm = new Map<object, number>();
  /** null: no slice */
  let beganAt: number | null = null;
  let opensAt = Number.NEGATIVE_INFINITY;
  const working = new Set<object>();
  /** What wakes one call of each tenant that waits, so that the call learns when the rest is over. */
  const waiting = new Map<object, () => void>();

  /** Forgets tenants that have not called for a second. Otherwise every tenant that ever called would stay. */
  const forgetCalm = (now: number): void => {
    for (const [tenant, at] of calm) {
      if (now - at < atWorkMs) return;
      calm.delete(tenant);
    }
  };

  const isBesideCalm = (now: number): boolean => {
    forgetCalm(now);
    return calm.size > 0;
  };

  /** @param now may be long after the slice's end, where nobody asked meanwhile */
  const endSlice = (began: number, now: number): void => {
    const tookMs = Math.min(now - began, longestSliceMs);
    opensAt = isBesideCalm(now) ? began + tookMs + restAfter(tookMs) : now;
    beganAt = null;
    working.clear();
    const wakes = [...waiting.values()];
    waiting.clear();
    for (const wake of wakes) wake();
  };

  const isOpen = (now: number): boolean => {
    if (beganAt !== null && now - beganAt >= longestSliceMs) endSlice(beganAt, now);
    return beganAt === null ? now >= opensAt : now - beganAt < sliceMs;
  };

  /** @param wakeOne wakes one call of the tenant that waits, if any does */
  return (wakeOne: () => void): TenantSlices => {
    const tenant = {};
    let crowdedAt = Number.NEGATIVE_INFINITY;
    const isCrowd = (now: number): boolean => now - crowdedAt < atWorkMs;
    return {
      note(calls, now) {
        if (calls > mostCalm) crowdedAt = now;
        calm.delete(tenant);
        if (!isCrowd(now)) calm.set(tenant, now);
        forgetCalm(now);
      },
      mayWork(now) {
        const isFree = !isCrowd(now) || !isBesideCalm(now);
        if (isFree || isOpen(now)) {
          waiting.delete(tenant);
          if (isFree) return true;
          beganAt ??= now;
          working.add(tenant);
          return true;
        }
        if (waiting.has(tenant)) return false;
        waiting.set(tenant, wakeOne);
        // Calls that wait since before know no time at which to ask again.
        wakeOne();
        return false;
      },
      idle(now) {
        if (working.delete(tenant) && working.size === 0 && beganAt !== null)
          endSlice(beganAt, now);
      },
      opensInMs(now) {
        if (!waiting.has(tenant)) return Number.POSITIVE_INFINITY;
        return Math.max(1, (beganAt === null ? opensAt : beganAt + longestSliceMs) - now);
      },
    };
  };
}
