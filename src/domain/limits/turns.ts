/**
 * The order in which waiting work gets its turn, where only so many may work at once. Tenants take turns,
 * however much each of them has waiting. What ends a call goes before what begins one and is never refused,
 * because an answer has been paid for by then. Pure: the caller says what time it is, and `wake` tells the
 * caller that its turn has come.
 */
import type { Refusal } from "../refusals.ts";
import type { Result } from "../result.ts";

export type TurnKind = "begins" | "ends";

export interface TurnLimits {
  /** turns that are held at once */
  atOnce: number;
  /** how many may wait in one lane, and in all lanes together */
  mostOfLane: number;
  mostInAll: number;
  /** ms; work that is expected to wait longer is refused as it comes… */
  longestWaitMs: number;
  /** …unless fewer of its lane wait, as for ordinary callers of a slow database */
  fewOfLane: number;
  /** ms after which a turn that nobody gave back is given to the next */
  leaseMs: number;
  /** ms within which a given turn has to be taken, or it passes on: its invocation may have died while it waited */
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
  /** Waits for a turn. The function that it gives is called once the work is done. */
  enter(asked: { lane: string; kind: TurnKind }): Promise<Result<() => void, Refusal>>;
  /** The refusal that one more of that lane would get now; null: it would wait, or get its turn at once. */
  refusalFor(lane: string): Refusal | null;
}

/** The share of a new measurement in the mean. */
const share = 0.1;
const firstGuessMs = 5;
/** ms after which refused work may try again, at least and at most. */
const shortestRetryMs = 100;
const longestRetryMs = 30_000;

/** Lanes that are served in turn. Each lane is first in, first out. */
function createLanes() {
  const lanes = new Map<string, Ticket[]>();
  return {
    add(ticket: Ticket): void {
      const lane = lanes.get(ticket.lane);
      if (lane === undefined) lanes.set(ticket.lane, [ticket]);
      else lane.push(ticket);
    },
    /** Takes the next ticket. Its lane goes behind all others. */
    next(): Ticket | null {
      const first = lanes.entries().next();
      if (first.done === true) return null;
      const [name, lane] = first.value;
      lanes.delete(name);
      const ticket = lane.shift() ?? null;
      if (lane.length > 0) lanes.set(name, lane);
      return ticket;
    },
    remove(ticket: Ticket): void {
      const lane = lanes.get(ticket.lane);
      const at = lane?.indexOf(ticket) ?? -1;
      if (lane === undefined || at === -1) return;
      lane.splice(at, 1);
      if (lane.length === 0) lanes.delete(ticket.lane);
    },
    lengthOf: (lane: string): number => lanes.get(lane)?.length ?? 0,
    /** how many wait, counting `depth` of each lane at most */
    countTo: (depth: number): number => {
      let sum = 0;
      for (const lane of lanes.values()) sum += Math.min(lane.length, depth);
      return sum;
    },
  };
}

export function createTurnOrder(limits: TurnLimits) {
  const { atOnce, mostOfLane, mostInAll, longestWaitMs, fewOfLane, leaseMs, takenWithinMs } =
    limits;
  const ends = createLanes();
  const begins = createLanes();
  const held = new Set<Ticket>();
  let waitingEnds = 0;
  let waitingBegins = 0;
  let meanMs = firstGuessMs;

  const isOverdue = ({ state, since }: Ticket, now: number): boolean =>
    now - since > (state === "given" ? takenWithinMs : leaseMs);

  /** Gives free turns to those who wait. */
  const advance = (now: number): void => {
    for (const ticket of held)
      if (isOverdue(ticket, now)) {
        ticket.state = "over";
        held.delete(ticket);
      }
    while (held.size < atOnce) {
      const ending = ends.next();
      const ticket = ending ?? begins.next();
      if (ticket === null) return;
      if (ending === null) waitingBegins -= 1;
      else waitingEnds -= 1;
      ticket.state = "given";
      ticket.since = now;
      held.add(ticket);
      ticket.wake();
    }
  };

  /** ms that one more of that lane would wait. Each other lane is served before it as often as its own. */
  const expectedMs = (lane: string): number => {
    const own = begins.lengthOf(lane) + 1;
    const others = begins.countTo(own) - begins.lengthOf(lane);
    return ((waitingEnds + own + others) * meanMs) / atOnce;
  };

  return {
    advance,
    /** ms until one more of that lane might be served; null: it may wait now */
    retryAfterMs(lane: string): number | null {
      const isFull = begins.lengthOf(lane) >= mostOfLane || waitingBegins >= mostInAll;
      const wait = held.size < atOnce && waitingBegins === 0 ? 0 : expectedMs(lane);
      const isSoon = wait <= longestWaitMs || begins.lengthOf(lane) < fewOfLane;
      if (!isFull && isSoon) return null;
      return Math.min(longestRetryMs, Math.max(shortestRetryMs, Math.ceil(wait)));
    },
    ask(asked: { lane: string; kind: TurnKind; wake: () => void }, now: number): Ticket {
      const ticket: Ticket = { ...asked, state: "waiting", since: now };
      if (asked.kind === "ends") {
        ends.add(ticket);
        waitingEnds += 1;
      } else {
        begins.add(ticket);
        waitingBegins += 1;
      }
      advance(now);
      return ticket;
    },
    /** False: the turn has passed on, or has not come yet. */
    take(ticket: Ticket, now: number): boolean {
      if (ticket.state !== "given") return false;
      ticket.state = "taken";
      ticket.since = now;
      return true;
    },
    /** The work is done, or not wanted any more. */
    leave(ticket: Ticket, now: number): void {
      if (ticket.state === "waiting") {
        (ticket.kind === "ends" ? ends : begins).remove(ticket);
        if (ticket.kind === "ends") waitingEnds -= 1;
        else waitingBegins -= 1;
      }
      if (ticket.state === "taken") meanMs += share * (Math.max(0, now - ticket.since) - meanMs);
      ticket.state = "over";
      held.delete(ticket);
      advance(now);
    },
  };
}

export type TurnOrder = ReturnType<typeof createTurnOrder>;
