/**
 * Calls blocked only by running reservations wait here without a slot, and retry when a call of their tenant
 * ends.
 */
import type { Ledger } from "../../../domain/ports/ledger.ts";

const maxWaiting = 100;
const longestWaitMs = 10_000;
/** ms between polls for calls that ended in other processes. */
const pollMs = 1_000;

/** ms; the provider needs the rest of the deadline. */
export const waitWithin = (deadlineMs: number): number => Math.min(longestWaitMs, deadlineMs / 2);

interface Waiter {
  isCalled: boolean;
  wake: () => void;
}

interface Room {
  waiting: Set<Waiter>;
  /** still to retry after the last ended call */
  round: Waiter[];
  isInRound: boolean;
  isDue: boolean;
  running: string | undefined;
}

export interface Try {
  ifReserved: "waits" | "refused";
  waitedMs: number;
}

export interface LimitWaits {
  /** Retries until the call need not wait or `longestMs` is over. */
  through<T>(
    call: {
      tenantId: string;
      longestMs: number;
      outside: <W>(wait: () => Promise<W>) => Promise<W>;
    },
    tryOnce: (how: Try) => Promise<T | "waits">,
  ): Promise<T>;
  ended(tenantId: string): void;
}

export function createLimitWaits(deps: {
  ledger: Pick<Ledger, "runningOf">;
  now: () => number;
  elapsed: () => number;
  after: (ms: number, act: () => void) => () => void;
}): LimitWaits {
  const { ledger, now, elapsed, after } = deps;
  const rooms = new Map<string, Room>();
  let isPolling = false;

  /** One at a time: the first may take what the second needs. */
  const callNext = (room: Room): void => {
    const next = room.round.shift();
    room.isInRound = next !== undefined;
    if (next === undefined) {
      if (room.isDue) begin(room);
    } else if (room.waiting.has(next)) {
      next.isCalled = true;
      next.wake();
    } else callNext(room);
  };
  const begin = (room: Room): void => {
    room.isDue = room.isInRound;
    if (room.isInRound) return;
    room.round = [...room.waiting];
    callNext(room);
  };

  const poll = async (): Promise<void> => {
    const running = await ledger.runningOf([...rooms.keys()], now());
    for (const [tenantId, room] of running.ok ? rooms : []) {
      const text = running.ok ? running.value.get(tenantId) : undefined;
      if (text === room.running) continue;
      room.running = text;
      begin(room);
    }
    isPolling = rooms.size > 0;
    if (isPolling) after(pollMs, () => void poll());
  };

  const enter = (tenantId: string, waiter: Waiter): Room | null => {
    const found = rooms.get(tenantId);
    const room = found ?? {
      waiting: new Set(),
      round: [],
      isInRound: false,
      isDue: false,
      running: undefined,
    };
    if (room.waiting.size >= maxWaiting) return null;
    rooms.set(tenantId, room);
    room.waiting.add(waiter);
    if (!isPolling) {
      isPolling = true;
      after(pollMs, () => void poll());
    }
    return room;
  };
  const leave = (tenantId: string, { room, waiter }: { room: Room; waiter: Waiter }): void => {
    room.waiting.delete(waiter);
    if (room.waiting.size === 0) rooms.delete(tenantId);
    if (waiter.isCalled) callNext(room);
  };

  const called = (waiter: Waiter, ms: number): Promise<void> =>
    new Promise((resolve) => {
      const stop = after(ms, resolve);
      waiter.wake = () => {
        stop();
        resolve();
      };
      if (waiter.isCalled) waiter.wake();
    });

  return {
    async through({ tenantId, longestMs, outside }, tryOnce) {
      const began = elapsed();
      const last = async () => {
        const tried = await tryOnce({ ifReserved: "refused", waitedMs: elapsed() - began });
        if (tried === "waits") throw new Error("a call that may not wait waits");
        return tried;
      };
      const first = await tryOnce({ ifReserved: "waits", waitedMs: 0 });
      if (first !== "waits") return first;
      const waiter: Waiter = { isCalled: false, wake: () => {} };
      const room = enter(tenantId, waiter);
      if (room === null) return last();
      try {
        // A call may have ended since the first attempt.
        begin(room);
        for (;;) {
          await outside(() => called(waiter, Math.max(0, longestMs - (elapsed() - began))));
          if (!waiter.isCalled) return await last();
          const tried = await tryOnce({ ifReserved: "waits", waitedMs: elapsed() - began });
          if (tried !== "waits") return tried;
          waiter.isCalled = false;
          callNext(room);
        }
      } finally {
        leave(tenantId, { room, waiter });
      }
    },
    ended(tenantId) {
      const room = rooms.get(tenantId);
      if (room !== undefined) begin(room);
    },
  };
}
