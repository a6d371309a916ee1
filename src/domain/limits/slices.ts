/** Throttles busy tenants while calm tenants share the thread. Calls of a slice share disk syncs. */

const maxCalmCalls = 3;
/** ms in which a slice accepts calls */
const sliceMs = 25;
/** ms after which a slice ends despite running calls: an invocation may be killed */
const longestSliceMs = 2 * sliceMs;
/** ms; a shorter slice needs no pause */
const shortestSliceMs = 2;
/** ms; a pause is at least as long as its slice */
const minPauseMs = 25;
/** ms for which a tenant counts as active or busy: an answered caller may call again */
const atWorkMs = 1_000;

export interface TenantSlices {
  note(calls: number, now: number): void;
  mayWork(now: number): boolean;
  idle(now: number): void;
  /** ms until a waiting call must ask again; Infinity: no pause applies */
  opensInMs(now: number): number;
}

export const withoutSlices: TenantSlices = {
  note: () => {},
  mayWork: () => true,
  idle: () => {},
  opensInMs: () => Number.POSITIVE_INFINITY,
};

const pauseAfter = (tookMs: number): number =>
  tookMs < shortestSliceMs ? 0 : Math.max(minPauseMs, tookMs);

export function createSlices() {
  const calm = new Map<object, number>();
  let beganAt: number | null = null;
  let opensAt = Number.NEGATIVE_INFINITY;
  const working = new Set<object>();
  const waiting = new Map<object, () => void>();

  const forgetCalm = (now: number): void => {
    for (const [tenant, at] of calm) {
      if (now - at < atWorkMs) return;
      calm.delete(tenant);
    }
  };

  const hasCalmTenants = (now: number): boolean => {
    forgetCalm(now);
    return calm.size > 0;
  };

  const endSlice = (began: number, now: number): void => {
    const tookMs = Math.min(now - began, longestSliceMs);
    opensAt = hasCalmTenants(now) ? began + tookMs + pauseAfter(tookMs) : now;
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

  return (wakeOne: () => void): TenantSlices => {
    const tenant = {};
    let busyAt = Number.NEGATIVE_INFINITY;
    const isBusy = (now: number): boolean => now - busyAt < atWorkMs;
    return {
      note(calls, now) {
        if (calls > maxCalmCalls) busyAt = now;
        calm.delete(tenant);
        if (!isBusy(now)) calm.set(tenant, now);
        forgetCalm(now);
      },
      mayWork(now) {
        const isFree = !isBusy(now) || !hasCalmTenants(now);
        if (isFree || isOpen(now)) {
          waiting.delete(tenant);
          if (isFree) return true;
          beganAt ??= now;
          working.add(tenant);
          return true;
        }
        if (waiting.has(tenant)) return false;
        waiting.set(tenant, wakeOne);
        // Calls that wait already do not know when to ask again.
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
