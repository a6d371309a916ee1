/**
 * Where a call goes after a fault. Pure: the same candidates and faults give the same next step. So the
 * candidates to which any row of faults can lead are known, and reserved, before the first call.
 */
import { circuitReaches, faultReaches, type FaultReach, type ProviderFault } from "../attempts.ts";
import type { AfterContentFilter } from "./policy.ts";

/** More attempts would make a storm: four providers that fail at once are an outage. */
export const maxAttempts = 4;

/** ms. An attempt that starts with less time before the deadline could not answer anyway. */
const leastUsefulMs = 250;

/** ms to wait before another model of an endpoint that just failed; doubled each time, give or take half. */
const backoffMs = 100;

/** Attempts at one endpoint while another endpoint has a candidate: the first, and one more. */
const attemptsAtEndpoint = 2;

/** Two wires that refuse a request are the request's own fault. */
const refusalsOfRequest = 2;

/** One model under one credential. */
export interface Place {
  /** `provider/model` */
  model: string;
  credentialId: string;
  endpoint: string;
  /** candidates that accept the same requests; see `wireAt` */
  wire: string;
  /** null: unknown */
  contextTokens: number | null;
  /** the reservation has room for a second attempt; see `refusesOwnToolUse` */
  isHeldTwice?: true;
}

/** A candidate that was tried: its position, and the reach of its fault. */
export interface Tried {
  at: number;
  reach: FaultReach;
  /** true: no other candidate in the reach is tried; absent: they come last */
  isLasting?: boolean;
  /**
   * What a fault of reach `request` excludes in place of its wire: every model with no more context, or everything at
   * its endpoint.
   */
  excludes?: "small_context" | "endpoint";
}

/** What a fault of reach `request` excludes in place of its wire. */
export function excludedBy(
  { contextTokens }: Pick<Place, "contextTokens">,
  { code }: Pick<ProviderFault, "code">,
): Pick<Tried, "excludes"> {
  if (code === "content_filter") return { excludes: "endpoint" };
  return code === "context_length" && contextTokens !== null ? { excludes: "small_context" } : {};
}

/** A reserved candidate, and which faults of the first candidate lead to it at once. */
export interface FailoverCandidate {
  provider: string;
  model: string;
  after: FaultReach[];
}

/** Whether a fault of that reach at `from` also speaks of `to`. */
export function reaches(reach: FaultReach, from: Place, to: Place): boolean {
  if (reach === "request") return from.wire === to.wire;
  if (reach === "endpoint") return from.endpoint === to.endpoint;
  if (from.credentialId !== to.credentialId) return false;
  return reach === "credential" || from.model === to.model;
}

/** Whether nothing at `to` can answer after that fault at `from`. */
function isExcluded({ reach, isLasting, excludes }: Tried, from: Place, to: Place): boolean {
  if (reach !== "request") return isLasting === true && reaches(reach, from, to);
  if (excludes === "endpoint") return from.endpoint === to.endpoint;
  return excludes === "small_context"
    ? (to.contextTokens ?? 0) <= (from.contextTokens ?? 0)
    : from.wire === to.wire;
}

/** A request that is too long for one model says nothing about the others. */
const refusesRequest = ({ reach, excludes }: Tried): boolean =>
  reach === "request" && excludes !== "small_context";

const none: ReadonlySet<number> = new Set();

/**
 * The position of the next candidate; null: none is left. It is the best one that no fault speaks of and
 * whose endpoint has attempts left. Where there is none, it is the best one at the endpoints with the fewest
 * attempts.
 *
 * @param avoided positions that come last, whatever their order, because another call probes them
 * @param dear positions that are out, because the reservation has too little left for them
 */
export function nextCandidate(
  places: readonly Place[],
  tried: readonly Tried[],
  {
    avoided = none,
    dear = none,
  }: { avoided?: ReadonlySet<number>; dear?: ReadonlySet<number> } = {},
): number | null {
  const attemptsAt = new Map<string, number>();
  for (const { at } of tried) {
    const endpoint = places[at]?.endpoint ?? "";
    attemptsAt.set(endpoint, (attemptsAt.get(endpoint) ?? 0) + 1);
  }
  let next: number | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const [at, place] of places.entries()) {
    if (dear.has(at) || tried.some((attempt) => attempt.at === at)) continue;
    const attempts = attemptsAt.get(place.endpoint) ?? 0;
    let [isOut, isBroken] = [false, false];
    for (const attempt of tried) {
      const from = places[attempt.at];
      if (from === undefined) continue;
      isOut ||= isExcluded(attempt, from, place);
      isBroken ||= attempt.reach !== "request" && reaches(attempt.reach, from, place);
    }
    if (isOut) continue;
    // Lower comes first: free, then probed by another call, then at a used-up endpoint, then at a
    // broken one.
    const cost =
      (avoided.has(at) ? 1 : 0) +
      (attempts >= attemptsAtEndpoint ? 2 * attempts : 0) +
      (isBroken ? 2 * (maxAttempts + attempts) : 0);
    if (cost >= least) continue;
    next = at;
    least = cost;
  }
  return next;
}

/** Whether each wire is one endpoint. A request refused there leads where a fault of the endpoint leads. */
const eachWireIsAnEndpoint = (places: readonly Place[]): boolean =>
  places.every(({ wire, endpoint }) =>
    places.every((other) => (other.wire === wire) === (other.endpoint === endpoint)),
  );

/**
 * Positions, ascending, of the candidates to which some row of faults can lead within so many attempts. Nothing
 * else is ever called, so nothing else is reserved.
 */
export function reachable(places: readonly Place[], attempts: number): number[] {
  const found = new Set<number>();
  const most = Math.max(...places.map(({ contextTokens }) => contextTokens ?? 0));
  const isWalkedByEndpoint = eachWireIsAnEndpoint(places);
  /** Faults at a candidate that lead elsewhere than those before them in the list. */
  const faultsAt = (at: number, tried: readonly Tried[]): Tried[][] => {
    const place = places[at];
    const faults: Tried[][] = circuitReaches.map((reach) => [{ at, reach }]);
    if (place?.isHeldTwice === true)
      faults.push([
        { at, reach: "model" },
        { at, reach: "model" },
      ]);
    if ((place?.contextTokens ?? most) < most)
      faults.push([{ at, reach: "request", excludes: "small_context" }]);
    if (!isWalkedByEndpoint && !tried.some(refusesRequest)) faults.push([{ at, reach: "request" }]);
    return faults;
  };
  const walk = (tried: readonly Tried[]): void => {
    if (tried.length >= attempts || found.size === places.length) return;
    const at = nextCandidate(places, tried);
    if (at === null) return;
    found.add(at);
    for (const faults of faultsAt(at, tried)) walk([...tried, ...faults]);
  };
  walk([]);
  return [...found].toSorted((a, b) => a - b);
}

/** For each candidate, by position: the reaches of a fault at the first candidate that lead to it at once. */
export function firstStepsOf(places: readonly Place[]): FaultReach[][] {
  const steps: FaultReach[][] = places.map(() => []);
  const first = nextCandidate(places, []);
  if (first === null) return steps;
  for (const reach of faultReaches) {
    const at = nextCandidate(places, [{ at: first, reach }]);
    if (at !== null) steps[at]?.push(reach);
  }
  return steps;
}

/** Whether the last candidate has a second attempt left, for a fault that its model may not make again. */
function mayRepeat({ places, tried, dear = none }: FailedWalk): boolean {
  const at = tried.at(-1)?.at ?? -1;
  return (
    places[at]?.isHeldTwice === true &&
    !dear.has(at) &&
    tried.filter((attempt) => attempt.at === at).length === 1
  );
}

export type FailoverStep = { next: "stop" } | { next: "try"; at: number; waitMs: number };

const stop: FailoverStep = { next: "stop" };

interface FailedWalk {
  places: readonly Place[];
  /** oldest first, so the one that just failed is last; never empty */
  tried: readonly Tried[];
  /** the fault of the last one */
  fault: Pick<ProviderFault, "retryable" | "retryAfterMs" | "billed" | "code">;
  most: number;
  /** 0–1, chance for the jitter */
  chance: number;
  remainingMs: number;
  avoided?: ReadonlySet<number>;
  dear?: ReadonlySet<number>;
  /** what follows if a provider's content filter refused the call */
  afterContentFilter: AfterContentFilter;
}

/**
 * After a fault: which candidate is tried next, and after how many ms. The last candidate is tried once more
 * where its own Retry-After ends before the deadline.
 */
export function stepAfter(input: FailedWalk): FailoverStep {
  const { places, tried, fault, remainingMs } = input;
  const last = tried.at(-1);
  if (last === undefined || !fault.retryable || tried.length >= input.most) return stop;
  if (fault.code === "content_filter" && input.afterContentFilter === "stop") return stop;
  if (tried.filter(refusesRequest).length >= refusalsOfRequest) return stop;
  if (fault.code === "tool_use_failed" && mayRepeat(input))
    return remainingMs > leastUsefulMs ? { next: "try", at: last.at, waitMs: 0 } : stop;
  const at = nextCandidate(places, tried, input);
  if (at !== null) {
    // Each answer without end may be billed, and its bytes take time from everybody's calls.
    const endsAtEndpoint = fault.code === "answer_too_large";
    // A candidate outside of the fault's reach is asked at once. Else a moment passes, so that
    // callers don't all come back together.
    const [from, to] = [places[last.at], places[at]];
    const wide = last.reach === "endpoint" ? "endpoint" : "credential";
    if (endsAtEndpoint && from !== undefined && to !== undefined && reaches("endpoint", from, to))
      return stop;
    const waitMs =
      from !== undefined && to !== undefined && reaches(wide, from, to)
        ? Math.round(backoffMs * 2 ** (tried.length - 1) * (0.5 + input.chance))
        : 0;
    return remainingMs > leastUsefulMs + waitMs ? { next: "try", at, waitMs } : stop;
  }
  // Only an attempt that cost nothing is repeated: the reservation has no room for a second one.
  if (last.isLasting === true || fault.retryAfterMs === null || fault.billed !== "no") return stop;
  return fault.retryAfterMs + leastUsefulMs < remainingMs
    ? { next: "try", at: last.at, waitMs: fault.retryAfterMs }
    : stop;
}
