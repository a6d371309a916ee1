/**
 * Slots rotate among tenants. Ending calls come first and are never refused, since their answers are already
 * paid for.
 */
import type { Refusal } from "../refusals.ts";
import type { Result } from "../result.ts";
import { createQueueTrend, createRecentWaits, type QueueTrend } from "./queue-trend.ts";
import { withoutSlices, type TenantSlices } from "./slices.ts";

export type WorkKind = "begins" | "ends";

export interface QueueLimits {
  atOnce: number;
  ofLaneWhileShared: number;
  maxPerLane: number;
  maxWaiting: number;
  /** ms; if a lane's queue grows and waits exceed this, new work is refused */
  longestWaitMs: number;
  /** tickets of a lane that may always wait: a slow database delays ordinary callers too */
  fewOfLane: number;
  /** ms until an unreturned slot is reclaimed */
  leaseMs: number;
  /** ms to take a granted slot before it passes on: the invocation may have been killed */
  takenWithinMs: number;
}

export interface Ticket {
  readonly lane: string;
  readonly kind: WorkKind;
  readonly wake: () => void;
  state: "waiting" | "given" | "taken" | "over";
  since: number;
}

/** A lane is a tenant id; the empty lane is the router's own work. */
export interface AdmissionQueue {
  enter(asked: { lane: string; kind: WorkKind }): Promise<Result<() => void, Refusal>>;
}

/** ms for which a lane counts as active: an answered caller may call again. */
const atWorkMs = 1_000;

interface Lane {
  ends: Ticket[];
  begins: Ticket[];
  trend: QueueTrend;
}

function createLanes(longestWaitMs: number) {
  const lanes = new Map<string, Lane>();
  let waitingBegins = 0;
  let sizeOfAll = 0;
  const sizeOf = ({ begins, ends }: Lane): number => begins.length + ends.length;
  const counted = (lane: Lane, kind: WorkKind, about: { change: 1 | -1; now: number }): void => {
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

/** Recently active lanes; shared by orders of one thread. */
export function createLaneActivity() {
  let last = { lane: "", at: Number.NEGATIVE_INFINITY };
  let other = last;
  return {
    note(lane: string, at: number): void {
      if (lane !== last.lane) other = last;
      last = { lane, at };
    },
    isShared: (now: number): boolean => now - other.at < atWorkMs,
  };
}

export type LaneActivity = ReturnType<typeof createLaneActivity>;

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
    end(ticket: Ticket): void {
      ticket.state = "over";
      if (!held.delete(ticket)) return;
      const left = (ofLanes.get(ticket.lane) ?? 1) - 1;
      if (left === 0) ofLanes.delete(ticket.lane);
      else ofLanes.set(ticket.lane, left);
    },
  };
}

export function createSlotScheduler(
  limits: QueueLimits,
  activity: LaneActivity = createLaneActivity(),
  slicesFor?: (wakeOne: () => void) => TenantSlices,
) {
  const { atOnce, ofLaneWhileShared, maxPerLane, maxWaiting, longestWaitMs, fewOfLane } = limits;
  const { leaseMs, takenWithinMs } = limits;
  const lanes = createLanes(longestWaitMs);
  const waits = createRecentWaits();
  const held = createHeld();
  const slices = slicesFor?.(() => lanes.first()?.wake()) ?? withoutSlices;
  let ofLane = atOnce;

  /** ms; no held slot is overdue before */
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

  const note = (lane: string, now: number, asking = 0): void => {
    activity.note(lane, now);
    // Slots of killed invocations must not make a tenant busy.
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

  const look = (now: number): void => {
    endOverdue(now);
    ofLane = activity.isShared(now) ? Math.min(ofLaneWhileShared, atOnce) : atOnce;
  };

  const advance = (now: number): void => {
    look(now);
    // `mayWork` starts a slice, so it comes last.
    while (held.count() < atOnce && lanes.hasOneFor(mayHold) && slices.mayWork(now)) {
      const ticket = lanes.next(mayHold, now);
      if (ticket === null) return;
      if (ticket.kind === "begins") waits.note(now - ticket.since, now);
      give(ticket, now);
    }
  };

  return {
    advance,
    waiting: (): number => lanes.allBegins(),
    /** ms until a new ticket may retry; null: it may wait */
    retryAfterMs(lane: string, now: number): number | null {
      const waiting = lanes.beginsOf(lane);
      const isFull = waiting >= maxPerLane || lanes.allBegins() >= maxWaiting;
      const isBehind = waiting >= fewOfLane && lanes.isGrowing(lane, now);
      return isFull || isBehind ? waits.retryAfterMs(now) : null;
    },
    /** ms until a waiting ticket may retry; null: it continues to wait */
    waitedTooLong(
      { lane, waitedMs }: { lane: string; waitedMs: number },
      now: number,
    ): number | null {
      const isTooLong = waitedMs > 2 * longestWaitMs && lanes.isGrowing(lane, now);
      return isTooLong ? waits.retryAfterMs(now) : null;
    },
    ask(asked: { lane: string; kind: WorkKind; wake: () => void }, now: number): Ticket {
      const { lane, kind, wake } = asked;
      const ticket: Ticket = { lane, kind, wake, state: "waiting", since: now };
      note(lane, now, 1);
      const isAlone = lanes.areEmpty();
      if (isAlone) look(now);
      // Without a queue, the ticket skips the lane.
      const hasRoom = isAlone && held.count() < atOnce && mayHold(lane);
      if (hasRoom && slices.mayWork(now)) give(ticket, now);
      else {
        lanes.add(ticket, now);
        advance(now);
      }
      return ticket;
    },
    opensInMs: (now: number): number => slices.opensInMs(now),
    /** false: the slot passed on, or is not granted yet */
    take(ticket: Ticket, now: number): boolean {
      if (ticket.state !== "given") return false;
      ticket.state = "taken";
      ticket.since = now;
      return true;
    },
    leave(ticket: Ticket, now: number): void {
      if (ticket.state === "waiting") lanes.remove(ticket, now);
      held.end(ticket);
      note(ticket.lane, now);
      if (held.count() === 0) slices.idle(now);
      advance(now);
    },
  };
}

export type SlotScheduler = ReturnType<typeof createSlotScheduler>;
