/** Admissions without an answer, as plain values that any invocation may handle. */
import { createBoundedMap } from "../../../domain/bounded-map.ts";
import type { Opening } from "../../../domain/audit/record.ts";
import { longestLeaseMs } from "../../../domain/leases.ts";
import type { LimitCheck } from "../../../domain/limits/limit-checks.ts";

export interface LostAdmission {
  opening: Opening;
  limitChecks: LimitCheck[];
  isKeyed: boolean;
}

/** ms. A batch may arrive late; by the last check the longest lease has ended and the sweep has run. */
const pausesMs = [1_000, 4_000, 12_000, longestLeaseMs];

/** ms after which another caller takes over from one whose invocation may have ended. */
const leaseMs = 20_000;

interface Kept {
  lost: LostAdmission;
  looks: number;
  dueAt: number;
}

export interface LostAdmissions {
  add(lost: LostAdmission): void;
  isLeasedBy(who: object): boolean;
  isEmpty(): boolean;
  due(max: number): LostAdmission[];
  missed(id: string): void;
  done(id: string): void;
}

/** `capacity`: beyond it, the oldest are left to their leases. `elapsed`: ms, monotonic. */
export function createLostAdmissions(deps: {
  capacity: number;
  elapsed: () => number;
}): LostAdmissions {
  const { capacity, elapsed } = deps;
  const kept = createBoundedMap<string, Kept>(capacity);
  let lease: { who: object; until: number } | null = null;
  return {
    add(lost) {
      kept.set(lost.opening.id, { lost, looks: 0, dueAt: elapsed() + (pausesMs[0] ?? 0) });
    },
    isLeasedBy(who) {
      const now = elapsed();
      if (lease !== null && lease.who !== who && lease.until > now) return false;
      lease = { who, until: now + leaseMs };
      return true;
    },
    isEmpty: () => kept.size === 0,
    due(max) {
      const now = elapsed();
      const due: LostAdmission[] = [];
      for (const { lost, dueAt } of kept.values()) if (dueAt <= now && due.push(lost) >= max) break;
      return due;
    },
    missed(id) {
      const admission = kept.get(id);
      if (admission === undefined) return;
      admission.looks += 1;
      const pauseMs = pausesMs[admission.looks];
      if (pauseMs === undefined) kept.delete(id);
      else admission.dueAt = elapsed() + pauseMs;
    },
    done: (id) => void kept.delete(id),
  };
}
