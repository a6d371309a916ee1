/**
 * The order in which waiting work gets its turn, where only so many may work at once.
 * Tenants take turns, so the flood of one tenant holds up no other tenant. Within a tenant, work that ends a call goes
 * before work that begins a call. Work that ends a call is never refused, because the call's answer has been paid for.
 * Pure: the caller passes the time, and `wake` says that the turn has come.
 */
import type { Refusal } from "../refusals.ts";
import type { Result } from "../result.ts";
import { createQueueTrend, createRecentWaits, type QueueTrend } from "./queue-trend.ts";
import { withoutSlices, type TenantSlices } from "./slices.ts";

export type TurnKind = "begins" | "ends";

export interface TurnLimits {
  /** turns that are held at once */
  atOnce: number;
  /** turns that one lane holds at once while another lane works, too */
  ofLaneBeside: number;
  /** how many may wait in one lane, and in all lanes together */
  mostOfLane: number;
  mostInAll: number;
  /** ms; where a lane's queue grows and its work waits longer, new work is refused if at least `fewOfLane` of the lane wait */
  longestWaitMs: number;
  /** so many of a lane may wait however long: a slow database keeps ordinary callers waiting, too */
  fewOfLane: number;
  /** ms after which a turn that nobody gave back goes to the next ticket */
  leaseMs: number;
  /** ms within which a given turn has to be taken. After them the turn passes on: the waiting invocation may have died */
  takenWithinMs: number;
}

export interface Ticket {
  readonly lane: string;
  readonly kind: TurnKind;
  readonly wake: () => void;
  state: "waiting" | "given" | "taken" | "over";
  /** ms, when its state last changed */
  since: number;
}

/** Turns as hosts and stores see them. A lane is a tenant's id; the empty lane is the router's own work. */
export interface Turns {
  /** Waits for a turn. Call the function in the result when the work is done. */
  enter(asked: { lane: string; kind: TurnKind }): Promise<Result<() => void, Refusal>>;
}

/** ms for which a lane counts as working after its last turn: a caller with an answer may ask again at once. */
const atWorkMs = 1_000;

interface Lane {
  ends: Ticket[];
  begins: Ticket[];
  /** of `begins` */
  trend: QueueTrend;
}

/** Lanes in turn. In each lane ends go before begins; ends go first in, first out, and so do begins. */
function createLanes(longestWaitMs: number) {
  const lanes = new Map<string, Lane>();
  let waitingBegins = 0;
  let sizeOfAll = 0;
  const sizeOf = ({ begins, ends }: Lane): number => begins.length + ends.length;
  const counted = (lane: Lane, kind: TurnKind, about: { change: 1 | -1; now: number }): void => {
    sizeOfAll += about.change;
    if (kind === "ends") return;
    waitingBegins += about.change;
    lane.trend.note(lane.begins.length, about.now);
  };
  return {
    add(ticket: Ticket, now: number): void {
      const lane = lanes.get(ticket.lane) ?? {
        ends: [],
        begins: [],
        trend: createQueueTrend(longestWaitMs),
      };
      lane[ticket.kind].push(ticket);
      counted(lane, ticket.kind, { change: 1, now });
      lanes.set(ticket.lane, lane);
    },
    /** Takes the next ticket of a lane that may hold one more. The lane goes behind all others. */
    next(mayHold: (lane: string) => boolean, now: number): Ticket | null {
      for (const [name, lane] of lanes) {
        if (!mayHold(name)) continue;
        lanes.delete(name);
        const ticket = lane.ends.shift() ?? lane.begins.shift() ?? null;
        if (ticket !== null) counted(lane, ticket.kind, { change: -1, now });
        if (ticket?.kind === "begins") lane.trend.served(now - ticket.since, now);
        if (sizeOf(lane) > 0) lanes.set(name, lane);
        return ticket;
      }
      return null;
    },
    remove(ticket: Ticket, now: number): void {
      const lane = lanes.get(ticket.lane);
      const at = lane?.[ticket.kind].indexOf(ticket) ?? -1;
      if (lane === undefined || at === -1) return;
      lane[ticket.kind].splice(at, 1);
      counted(lane, ticket.kind, { change: -1, now });
      if (sizeOf(lane) === 0) lanes.delete(ticket.lane);
    },
    areEmpty: (): boolean => lanes.size === 0,
    size: (): number => sizeOfAll,
    hasOneFor(mayHold: (lane: string) => boolean): boolean {
      for (const name of lanes.keys()) if (mayHold(name)) return true;
      return false;
    },
    first(): Ticket | null {
      for (const { ends, begins } of lanes.values()) return ends[0] ?? begins[0] ?? null;
      return null;
    },
    allBegins: (): number => waitingBegins,
    beginsOf: (lane: string): number => lanes.get(lane)?.begins.length ?? 0,
    isGrowing: (lane: string, now: number): boolean =>
      lanes.get(lane)?.trend.isGrowing(now) === true,
  };
}

/** Which lanes worked last. Several orders share one such memory where one thread does the work of all. */
export function createLaneActivity() {
  let last = { lane: "", at: Number.NEGATIVE_INFINITY };
  let other = last;
  return {
    note(lane: string, at: number): void {
      if (lane !== last.lane) other = last;
      last = { lane, at };
    },
    /** Whether two lanes worked within the last second. */
    isShared: (now: number): boolean => now - other.at < atWorkMs,
  };
}

export type LaneActivity = ReturnType<typeof createLaneActivity>;

/** The turns that are held, in all and of each lane. */
function createHeld() {
  const held = new Set<Ticket>();
  const ofLanes = new Map<string, number>();
  return {
    all: (): Iterable<Ticket> => held,
    count: (): number => held.size,
    countOf: (lane: string): number => ofLanes.get(lane) ?? 0,
    add(ticket: Ticket): void {
      held.add(ticket);
      ofLanes.set(ticket.lane, (ofLanes.get(ticket.lane) ?? 0) + 1);
    },
    /** Ends the ticket, whether its turn was held or not. */
    end(ticket: Ticket): void {
      ticket.state = "over";
      if (!held.delete(ticket)) return;
      const left = (ofLanes.get(ticket.lane) ?? 1) - 1;
      if (left === 0) ofLanes.delete(ticket.lane);
      else ofLanes.set(ticket.lane, left);
    },
  };
}

/** @param slicesFor makes the slices of this order, from those of the thread; absent: crowds never rest */
export function createTurnOrder(
  limits: TurnLimits,
  activity: LaneActivity = createLaneActivity(),
  slicesFor?: (wakeOne: () => void) => TenantSlices,
) {
  const { atOnce, ofLaneBeside, mostOfLane, mostInAll, longestWaitMs, fewOfLane } = limits;
  const { leaseMs, takenWithinMs } = limits;
  const lanes = createLanes(longestWaitMs);
  const waits = createRecentWaits();
  const held = createHeld();
  const slices = slicesFor?.(() => lanes.first()?.wake()) ?? withoutSlices;
  /** turns that a lane may hold now */
  let ofLane = atOnce;

  /** ms: until then no held turn is overdue */
  let nextOverdueAt = Number.POSITIVE_INFINITY;

  const overdueAt = ({ state, since }: Ticket): number =>
    since + (state === "given" ? takenWithinMs : leaseMs);

  const endOverdue = (now: number): void => {
    if (now <= nextOverdueAt) return;
    nextOverdueAt = Number.POSITIVE_INFINITY;
    for (const ticket of held.all())
      if (now > overdueAt(ticket)) held.end(ticket);
      else nextOverdueAt = Math.min(nextOverdueAt, overdueAt(ticket));
  };

  const mayHold = (lane: string): boolean => held.countOf(lane) < ofLane;

  /** @param asking calls that ask only now */
  const note = (lane: string, now: number, asking = 0): void => {
    activity.note(lane, now);
    // Turns of invocations that ended without a word make no crowd.
    endOverdue(now);
    slices.note(held.count() + lanes.size() + asking, now);
  };

  const give = (ticket: Ticket, now: number): void => {
    ticket.state = "given";
    ticket.since = now;
    held.add(ticket);
    nextOverdueAt = Math.min(nextOverdueAt, overdueAt(ticket));
    ticket.wake();
  };

  /** Ends overdue turns, and sees whether lanes share the work. */
  const look = (now: number): void => {
    endOverdue(now);
    ofLane = activity.isShared(now) ? Math.min(ofLaneBeside, atOnce) : atOnce;
  };

  /** Gives free turns to those who wait. */
  const advance = (now: number): void => {
    look(now);
    // A slice begins for a ticket that gets its turn, and for no other.
    while (held.count() < atOnce && lanes.hasOneFor(mayHold) && slices.mayWork(now)) {
      const ticket = lanes.next(mayHold, now);
      if (ticket === null) return;
      if (ticket.kind === "begins") waits.note(now - ticket.since, now);
      give(ticket, now);
    }
  };

  return {
    advance,
    /** how many tickets wait to begin a call */
    waiting: (): number => lanes.allBegins(),
    /** ms after which a new ticket of that lane may try again; null: the ticket may wait now */
    retryAfterMs(lane: string, now: number): number | null {
      const waiting = lanes.beginsOf(lane);
      const isFull = waiting >= mostOfLane || lanes.allBegins() >= mostInAll;
      const isBehind = waiting >= fewOfLane && lanes.isGrowing(lane, now);
      return isFull || isBehind ? waits.retryAfterMs(now) : null;
    },
    /** ms after which a ticket that has waited so long may try again; null: the ticket waits on */
    waitedTooLong(
      { lane, waitedMs }: { lane: string; waitedMs: number },
      now: number,
    ): number | null {
      const isTooLong = waitedMs > 2 * longestWaitMs && lanes.isGrowing(lane, now);
      return isTooLong ? waits.retryAfterMs(now) : null;
    },
    ask(asked: { lane: string; kind: TurnKind; wake: () => void }, now: number): Ticket {
      const { lane, kind, wake } = asked;
      const ticket: Ticket = { lane, kind, wake, state: "waiting", since: now };
      note(lane, now, 1);
      const isAlone = lanes.areEmpty();
      if (isAlone) look(now);
      // Where nobody waits, the ticket needs no place in a lane.
      const hasRoom = isAlone && held.count() < atOnce && mayHold(lane);
      if (hasRoom && slices.mayWork(now)) give(ticket, now);
      else {
        lanes.add(ticket, now);
        advance(now);
      }
      return ticket;
    },
    /** ms after which one that waits has to look whether its turn can come */
    opensInMs: (now: number): number => slices.opensInMs(now),
    /** false: the turn has passed on, or has not come yet */
    take(ticket: Ticket, now: number): boolean {
      if (ticket.state !== "given") return false;
      ticket.state = "taken";
      ticket.since = now;
      return true;
    },
    /** The work is done, or not wanted any more. */
    leave(ticket: Ticket, now: number): void {
      if (ticket.state === "waiting") lanes.remove(ticket, now);
      held.end(ticket);
      note(ticket.lane, now);
      if (held.count() === 0) slices.idle(now);
      advance(now);
    },
  };
}

export type TurnOrder = ReturnType<typeof createTurnOrder>;
