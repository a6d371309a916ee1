/**
 * Resolving a promise wakes another invocation in its own context; waiters also poll, in case the wake-up is
 * lost.
 */
import { unknownKey } from "../callers/shown-key.ts";
import type { LaneOf } from "../callers/lanes.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import {
  createLaneActivity,
  createSlotScheduler,
  type QueueLimits,
  type SlotScheduler,
  type AdmissionQueue,
} from "../../domain/limits/admission-queue.ts";
import { createSlices } from "../../domain/limits/slices.ts";
import type { CallSlot } from "../../domain/sampling/call-slot.ts";

export interface SharedQueues {
  writes: SlotScheduler;
  admissions: SlotScheduler;
}

const lookMs = 250;
/** ms after which work that ends a call proceeds without a slot, rather than being lost. */
const endsWaitMs = 2_000;
/** ms by which a refusal is delayed, to slow floods… */
const shortestHoldMs = 1_000;
/** …plus ms per delayed refusal, for about 100 a second from a thousand callers. */
const msPerHeldBack = 10;
const longestHoldMs = 10_000;
const maxDelayed = 2_000;
/** Slots of a tenant while another tenant is active. */
const ofLaneWhileShared = 1;

const limits: Omit<QueueLimits, "atOnce" | "ofLaneWhileShared"> = {
  maxPerLane: 256,
  maxWaiting: 2_048,
  longestWaitMs: 2_000,
  fewOfLane: 32,
  // A round trip takes at most 5 s and is retried up to three times.
  leaseMs: 6_000,
  takenWithinMs: 500,
};

export const createSharedQueues = (writesAtOnce: number): SharedQueues => ({
  writes: createSlotScheduler({ ...limits, atOnce: writesAtOnce, ofLaneWhileShared: writesAtOnce }),
  // One call may choose while others write.
  admissions: createSlotScheduler({ ...limits, atOnce: writesAtOnce + 1, ofLaneWhileShared }),
});

/** Concurrent writes of a tenant with its own database: alone, and next to others. */
const ofTenantAlone = 64;
const ofTenantBeside = 8;

/** A tenant that is alone never waits, which would cost a timer. */
export function createQueuesOfTenants(): () => SharedQueues {
  const activity = createLaneActivity();
  const slicesFor = createSlices();
  const limitsFor = (more: number): QueueLimits => ({
    ...limits,
    atOnce: ofTenantAlone + more,
    ofLaneWhileShared: ofTenantBeside + more,
  });
  return () => ({
    writes: createSlotScheduler(limitsFor(0), activity),
    admissions: createSlotScheduler(limitsFor(1), activity, slicesFor),
  });
}

const unavailable = (retryAfterMs: number): Refusal => ({ reason: "unavailable", retryAfterMs });

export function createAdmissionQueue(deps: {
  order: SlotScheduler;
  elapsed: () => number;
  after: (ms: number, act: () => void) => () => void;
  /** Runs after pending I/O. */
  immediately: (act: () => void) => void;
}): AdmissionQueue {
  const { order, elapsed, after, immediately } = deps;
  /** workerd reads I/O only when no promise can continue, which slots handed over directly would prevent. */
  const breathe = (): Promise<void> => new Promise(immediately);
  const refusalFor = (lane: string): Refusal | null => {
    const now = elapsed();
    order.advance(now);
    const retryAfterMs = order.retryAfterMs(lane, now);
    return retryAfterMs === null ? null : unavailable(retryAfterMs);
  };
  return {
    async enter({ lane, kind }) {
      const refusal = kind === "ends" ? null : refusalFor(lane);
      if (refusal !== null) return err(refusal);
      let woken: PromiseWithResolvers<void> | null = null;
      const wake = (): void => woken?.resolve();
      const askedAt = elapsed();
      const ask = () => order.ask({ lane, kind, wake }, elapsed());
      let ticket = order.ask({ lane, kind, wake }, askedAt);
      while (!order.take(ticket, elapsed())) {
        // The slot expired before this waiter woke up.
        if (ticket.state === "over") ticket = ask();
        if (ticket.state === "given") continue;
        const waitedMs = elapsed() - askedAt;
        if (kind === "ends" && waitedMs > endsWaitMs) {
          order.leave(ticket, elapsed());
          return ok(() => {});
        }
        const retryAfterMs =
          kind === "ends" ? null : order.waitedTooLong({ lane, waitedMs }, elapsed());
        if (retryAfterMs !== null) {
          order.leave(ticket, elapsed());
          return err(unavailable(retryAfterMs));
        }
        woken = Promise.withResolvers<void>();
        const stop = after(Math.min(lookMs, order.opensInMs(elapsed())), woken.resolve);
        await woken.promise;
        stop();
        order.advance(elapsed());
      }
      if (woken !== null) await breathe();
      return ok(() => order.leave(ticket, elapsed()));
    },
  };
}

export interface CallScheduler {
  enter(lane: string): Promise<Result<CallSlot, Refusal>>;
  /** For a request whose caller isn't known yet. `null` for a possibly invented key, which gets its slot later. */
  enterFor(claim: Parameters<LaneOf>[0]): Promise<Result<CallSlot | null, Refusal>>;
  pause: () => Promise<void>;
}

export interface HeldBack {
  count: number;
}

/** Delays refusals, so that floods of refused callers are cheap. */
export function createCallScheduler(deps: {
  queue: AdmissionQueue;
  heldBack: HeldBack;
  wait: (ms: number) => Promise<void>;
  laneOf: LaneOf;
  pause: () => Promise<void>;
}): CallScheduler {
  const { queue, heldBack, wait, laneOf } = deps;
  const holdBack = async (refusal: Refusal): Promise<Refusal> => {
    if (heldBack.count >= maxDelayed) return refusal;
    heldBack.count += 1;
    try {
      const ms = Math.max(shortestHoldMs, heldBack.count * msPerHeldBack);
      await wait(Math.min(longestHoldMs, ms));
    } finally {
      heldBack.count -= 1;
    }
    return refusal;
  };
  const callSlotOf = (lane: string, first: () => void): CallSlot => {
    let leave: (() => void) | null = first;
    let hasEnded = false;
    const handOn = (): void => {
      leave?.();
      leave = null;
    };
    const yieldSlot = async (): Promise<void> => {
      const entered = await queue.enter({ lane, kind: "ends" });
      if (entered.ok) entered.value();
    };
    return {
      async outside(pause) {
        handOn();
        try {
          return await pause(yieldSlot);
        } finally {
          const again = hasEnded ? null : await queue.enter({ lane, kind: "ends" });
          if (again?.ok === true) leave = again.value;
        }
      },
      end() {
        hasEnded = true;
        handOn();
      },
    };
  };
  const enter: CallScheduler["enter"] = async (lane) => {
    const entered = await queue.enter({ lane, kind: "begins" });
    return entered.ok ? ok(callSlotOf(lane, entered.value)) : err(await holdBack(entered.error));
  };
  return {
    pause: deps.pause,
    enter,
    async enterFor(claim) {
      const lane = await laneOf(claim);
      if (lane.kind === "unknown") return err(await holdBack(unknownKey));
      return lane.kind === "unverified" ? ok(null) : enter(lane.name);
    },
  };
}
