/**
 * Turns that all invocations of one process share. One invocation wakes another by resolving its promise, which
 * the Workers runtime continues in the other's own context. Each waiter also looks by itself, for a runtime
 * that drops such a wake-up.
 */
import { unknownKey } from "../callers/authenticate.ts";
import type { LaneOf } from "../callers/lanes.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import {
  createLaneActivity,
  createTurnOrder,
  type TurnLimits,
  type TurnOrder,
  type Turns,
} from "../../domain/limits/turns.ts";
import { createSlices } from "../../domain/limits/slices.ts";
import type { CallTurn } from "../../domain/sampling/call-turn.ts";

/** The turns of one database's writes, and of the calls in front of it. */
export interface SharedTurns {
  writes: TurnOrder;
  admissions: TurnOrder;
}

/** ms between two looks of a waiter. */
const lookMs = 250;
/** ms after which work that ends a call goes on without a turn, rather than be lost with its invocation. */
const endsWaitMs = 2_000;
/** ms that a refusal is held back at least, or the next request of a flood would come at once… */
const shortestHoldMs = 1_000;
/** …and ms more for each refusal that waits with it, so that some 100 refusals a second are left of a thousand callers. */
const msPerHeldBack = 10;
const longestHoldMs = 10_000;
const mostHeldBack = 2_000;
/** Calls of one tenant that work at once while another tenant calls: each of them delays that tenant's. */
const ofLaneBeside = 1;

const limits: Omit<TurnLimits, "atOnce" | "ofLaneBeside"> = {
  mostOfLane: 256,
  mostInAll: 2_048,
  longestWaitMs: 2_000,
  fewOfLane: 32,
  // A round trip ends after 5 s, and a busy database is asked three times.
  leaseMs: 6_000,
  takenWithinMs: 500,
};

/** @param writesAtOnce how many writes one process sends to one database at once */
export const createSharedTurns = (writesAtOnce: number): SharedTurns => ({
  writes: createTurnOrder({ ...limits, atOnce: writesAtOnce, ofLaneBeside: writesAtOnce }),
  // One call may choose while others write.
  admissions: createTurnOrder({ ...limits, atOnce: writesAtOnce + 1, ofLaneBeside }),
});

/** Writes of one tenant at once, where each tenant has a database of its own: while no other tenant calls, and beside one. */
const ofTenantAlone = 64;
const ofTenantBeside = 8;

/**
 * Turns where each tenant has a database of its own. Tenants meet only in the process, so their orders share one memory of lanes.
 * A tenant that works alone waits for nobody: each wait would cost a timer.
 */
export function createTurnsOfTenants(): () => SharedTurns {
  const activity = createLaneActivity();
  const slicesFor = createSlices();
  const limitsFor = (more: number): TurnLimits => ({
    ...limits,
    atOnce: ofTenantAlone + more,
    ofLaneBeside: ofTenantBeside + more,
  });
  return () => ({
    writes: createTurnOrder(limitsFor(0), activity),
    admissions: createTurnOrder(limitsFor(1), activity, slicesFor),
  });
}

const unavailable = (retryAfterMs: number): Refusal => ({ reason: "unavailable", retryAfterMs });

/** The turns of a process, for one composition. */
export function createTurns(deps: {
  order: TurnOrder;
  /** ms, never set back */
  elapsed: () => number;
  /** Acts after so many ms, unless the function that it gives is called before. */
  after: (ms: number, act: () => void) => () => void;
  /** Acts once the runtime has looked for what came from outside. */
  immediately: (act: () => void) => void;
}): Turns {
  const { order, elapsed, after, immediately } = deps;
  /**
   * workerd looks for bytes that came only when no promise is left to go on with. If turns woke one another
   * without a pause, neither a provider's answer nor another tenant's request would be read.
   */
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
      // Most turns are free, so what only a waiter needs is made where one waits.
      let woken: PromiseWithResolvers<void> | null = null;
      const wake = (): void => woken?.resolve();
      const askedAt = elapsed();
      const ask = () => order.ask({ lane, kind, wake }, elapsed());
      let ticket = order.ask({ lane, kind, wake }, askedAt);
      while (!order.take(ticket, elapsed())) {
        // The turn came and passed on before this waiter was woken, so it asks once more.
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

/** The turn of a message that is handled without one. */
export const withoutTurn: CallTurn = { outside: (wait) => wait(async () => {}), end: () => {} };

export interface Door {
  /** Waits for a call's turn. A refusal comes a little later. */
  enter(lane: string): Promise<Result<CallTurn, Refusal>>;
  /** The same for a request whose caller is not looked up yet. null: a stranger's takes its turn once its key is known. */
  enterFor(claim: Parameters<LaneOf>[0]): Promise<Result<CallTurn | null, Refusal>>;
  /** Resolves once the runtime has looked for what came from outside. */
  pause: () => Promise<void>;
}

/** How many refusals one process holds back. */
export interface HeldBack {
  count: number;
}

/** The turns of calls. Refusals are held back, so that a flood of refused callers costs little. */
export function createDoor(deps: {
  turns: Turns;
  heldBack: HeldBack;
  wait: (ms: number) => Promise<void>;
  laneOf: LaneOf;
  pause: () => Promise<void>;
}): Door {
  const { turns, heldBack, wait, laneOf } = deps;
  const holdBack = async (refusal: Refusal): Promise<Refusal> => {
    if (heldBack.count >= mostHeldBack) return refusal;
    heldBack.count += 1;
    try {
      const ms = Math.max(shortestHoldMs, heldBack.count * msPerHeldBack);
      await wait(Math.min(longestHoldMs, ms));
    } finally {
      heldBack.count -= 1;
    }
    return refusal;
  };
  const callTurnOf = (lane: string, first: () => void): CallTurn => {
    let leave: (() => void) | null = first;
    let hasEnded = false;
    const handOn = (): void => {
      leave?.();
      leave = null;
    };
    const giveWay = async (): Promise<void> => {
      const entered = await turns.enter({ lane, kind: "ends" });
      if (entered.ok) entered.value();
    };
    return {
      async outside(pause) {
        handOn();
        try {
          return await pause(giveWay);
        } finally {
          const again = hasEnded ? null : await turns.enter({ lane, kind: "ends" });
          if (again?.ok === true) leave = again.value;
        }
      },
      end() {
        hasEnded = true;
        handOn();
      },
    };
  };
  const enter: Door["enter"] = async (lane) => {
    const entered = await turns.enter({ lane, kind: "begins" });
    return entered.ok ? ok(callTurnOf(lane, entered.value)) : err(await holdBack(entered.error));
  };
  return {
    pause: deps.pause,
    enter,
    async enterFor(claim) {
      const lane = await laneOf(claim);
      if (lane.kind === "nobody") return err(await holdBack(unknownKey));
      return lane.kind === "stranger" ? ok(null) : enter(lane.name);
    },
  };
}
