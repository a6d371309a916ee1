/**
 * Turns shared by all invocations in one process: one invocation wakes another by resolving its promise, which
 * the Workers runtime hands to the other's own context; each also looks by itself, for a runtime that
 * drops such a call.
 */
import type { LaneOf } from "./authenticate.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import {
  createTurnOrder,
  type TurnLimits,
  type TurnOrder,
  type Turns,
} from "../domain/limits/turns.ts";
import type { CallTurn } from "../domain/sampling/call-turn.ts";

/** Of one database, and of the admissions in front of it. */
export interface SharedTurns {
  writes: TurnOrder;
  admissions: TurnOrder;
}

/** ms between two looks of one that waits. */
const lookMs = 250;
/** What ends a call goes on without a turn after that, rather than be lost with its invocation. */
const endsWaitMs = 2_000;
/** A refused caller hears of it so late, or the next request of a flood would be there at once… */
const shortestHoldMs = 1_000;
/** …and so much later for each that waits with it: of any number, some 200 refusals a second are left. */
const msPerHeldBack = 5;
const mostHeldBack = 2_000;

const limits: Omit<TurnLimits, "atOnce"> = {
  mostOfLane: 256,
  mostInAll: 2_048,
  longestWaitMs: 2_000,
  fewOfLane: 32,
  // A round trip ends after 5 s, and a database that is busy is asked three times.
  leaseMs: 6_000,
  takenWithinMs: 500,
};

/** @param writesAtOnce that one process sends to one database */
export const createSharedTurns = (writesAtOnce: number): SharedTurns => ({
  writes: createTurnOrder({ ...limits, atOnce: writesAtOnce }),
  // One chooses while the others write.
  admissions: createTurnOrder({ ...limits, atOnce: writesAtOnce + 1 }),
});

const unavailable = (retryAfterMs: number): Refusal => ({ reason: "unavailable", retryAfterMs });

/** One invocation's side of it. */
export function createTurns(deps: {
  order: TurnOrder;
  /** ms, never set back */
  elapsed: () => number;
  /** Acts after so many ms, unless what it gives is called before. */
  after: (ms: number, act: () => void) => () => void;
}): Turns {
  const { order, elapsed, after } = deps;
  /**
   * workerd looks for bytes that came only when no promise is left to go on with. Turns that wake one another
   * without a pause let nobody be heard: neither a provider's answer nor another tenant's request.
   */
  const breathe = (): Promise<void> => new Promise((done) => void after(0, done));
  const refusalFor = (lane: string): Refusal | null => {
    order.advance(elapsed());
    const retryAfterMs = order.retryAfterMs(lane);
    return retryAfterMs === null ? null : unavailable(retryAfterMs);
  };
  return {
    refusalFor,
    async enter({ lane, kind }) {
      const refusal = kind === "ends" ? null : refusalFor(lane);
      if (refusal !== null) return err(refusal);
      const begun = elapsed();
      let hasWaited = false;
      let woken = Promise.withResolvers<void>();
      const ask = () => order.ask({ lane, kind, wake: () => woken.resolve() }, elapsed());
      let ticket = ask();
      while (!order.take(ticket, elapsed())) {
        // Its turn came and passed on before this was woken: once more.
        if (ticket.state === "over") ticket = ask();
        if (ticket.state === "given") continue;
        const waitedMs = elapsed() - begun;
        if (kind === "ends" && waitedMs > endsWaitMs) {
          order.leave(ticket, elapsed());
          return ok(() => {});
        }
        if (kind === "begins" && waitedMs > 2 * limits.longestWaitMs) {
          order.leave(ticket, elapsed());
          return err(unavailable(limits.longestWaitMs));
        }
        hasWaited = true;
        const stop = after(lookMs, woken.resolve);
        await woken.promise;
        stop();
        woken = Promise.withResolvers<void>();
        order.advance(elapsed());
      }
      if (hasWaited) await breathe();
      return ok(() => order.leave(ticket, elapsed()));
    },
  };
}

/** The call of nobody who waits: a message that is handled without a turn. */
export const withoutTurn: CallTurn = { outside: (wait) => wait(async () => {}), end: () => {} };

export interface Door {
  /** Among whom a request takes turns. */
  laneOf: LaneOf;
  /** Waits for a call's turn; who is refused hears of it a little later. */
  enter(lane: string): Promise<Result<CallTurn, Refusal>>;
}

/** How many refused callers wait for their refusal in one process */
export interface HeldBack {
  count: number;
}

/** The turns of calls. A refusal is held back, so that a flood of refused callers costs little. */
export function createDoor(deps: {
  turns: Turns;
  heldBack: HeldBack;
  wait: (ms: number) => Promise<void>;
  laneOf: LaneOf;
}): Door {
  const { turns, heldBack, wait, laneOf } = deps;
  const holdBack = async (refusal: Refusal): Promise<Refusal> => {
    if (heldBack.count >= mostHeldBack) return refusal;
    heldBack.count += 1;
    try {
      await wait(Math.max(shortestHoldMs, heldBack.count * msPerHeldBack));
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
  return {
    laneOf,
    async enter(lane) {
      const entered = await turns.enter({ lane, kind: "begins" });
      return entered.ok ? ok(callTurnOf(lane, entered.value)) : err(await holdBack(entered.error));
    },
  };
}
