/** A pure function, so all candidates that a call may reach are known and reserved before the first attempt. */
import { circuitReaches, faultReaches, type FaultReach, type ProviderFault } from "../attempts.ts";
import type { AfterContentFilter } from "./policy.ts";

/** Four providers that fail together are an outage; more attempts would amplify it. */
export const maxAttempts = 4;

const minUsefulMs = 250;

/** ms; doubles per attempt, ±50 % jitter. */
const backoffMs = 100;

/** Applies while another endpoint has a candidate. */
const attemptsAtEndpoint = 2;

/** Stops after two refusals of the request, except for context length. */
const refusalsOfRequest = 2;

export interface FailoverTarget {
  model: string;
  credentialId: string;
  endpoint: string;
  wire: string;
  contextTokens: number | null;
  isReservedTwice?: true;
}

export interface Tried {
  at: number;
  reach: FaultReach;
  /** excludes the reach; otherwise candidates in the reach come last */
  isLasting?: boolean;
  excludes?: "small_context" | "endpoint";
}

export function excludedBy(
  { contextTokens }: Pick<FailoverTarget, "contextTokens">,
  { code }: Pick<ProviderFault, "code">,
): Pick<Tried, "excludes"> {
  if (code === "content_filter") return { excludes: "endpoint" };
  return code === "context_length" && contextTokens !== null ? { excludes: "small_context" } : {};
}

export interface FailoverCandidate {
  provider: string;
  model: string;
  after: FaultReach[];
}

export function reaches(reach: FaultReach, from: FailoverTarget, to: FailoverTarget): boolean {
  if (reach === "request") return from.wire === to.wire;
  if (reach === "endpoint") return from.endpoint === to.endpoint;
  if (from.credentialId !== to.credentialId) return false;
  return reach === "credential" || from.model === to.model;
}

function isExcluded(
  { reach, isLasting, excludes }: Tried,
  from: FailoverTarget,
  to: FailoverTarget,
): boolean {
  if (reach !== "request") return isLasting === true && reaches(reach, from, to);
  if (excludes === "endpoint") return from.endpoint === to.endpoint;
  return excludes === "small_context"
    ? (to.contextTokens ?? 0) <= (from.contextTokens ?? 0)
    : from.wire === to.wire;
}

/** A request that is too long for one model may fit others. */
const refusesRequest = ({ reach, excludes }: Tried): boolean =>
  reach === "request" && excludes !== "small_context";

const none: ReadonlySet<number> = new Set();

/**
 * Prefers unaffected candidates at endpoints with attempts left, then endpoints with the fewest attempts.
 * @param avoided positions under another call's probe, tried last
 * @param unaffordable positions that the reservation can't pay for
 */
export function nextCandidate(
  targets: readonly FailoverTarget[],
  tried: readonly Tried[],
  {
    avoided = none,
    unaffordable = none,
  }: { avoided?: ReadonlySet<number>; unaffordable?: ReadonlySet<number> } = {},
): number | null {
  let next: number | null = null;
  let lowest = Number.POSITIVE_INFINITY;
  for (let at = 0; at < targets.length; at += 1) {
    const target = targets[at];
    if (target === undefined || unaffordable.has(at)) continue;
    let attempts = 0;
    let isOut = false;
    let isBroken = false;
    for (const attempt of tried) {
      const from = targets[attempt.at];
      if (from === undefined) continue;
      if (from.endpoint === target.endpoint) attempts += 1;
      isOut ||= attempt.at === at || isExcluded(attempt, from, target);
      isBroken ||= attempt.reach !== "request" && reaches(attempt.reach, from, target);
    }
    if (isOut) continue;
    // Ascending cost: unaffected; being probed; endpoint out of attempts; within the reach of an earlier fault.
    const cost =
      (avoided.has(at) ? 1 : 0) +
      (attempts >= attemptsAtEndpoint ? 2 * attempts : 0) +
      (isBroken ? 2 * (maxAttempts + attempts) : 0);
    if (cost >= lowest) continue;
    next = at;
    lowest = cost;
  }
  return next;
}

/** Then a `request` fault leads where an `endpoint` fault leads. */
const eachWireIsAnEndpoint = (targets: readonly FailoverTarget[]): boolean =>
  targets.every(({ wire, endpoint }) =>
    targets.every((other) => (other.wire === wire) === (other.endpoint === endpoint)),
  );

/** Positions that any sequence of faults can reach within `attempts`, ascending. These are reserved. */
export function reachable(targets: readonly FailoverTarget[], attempts: number): number[] {
  const found = new Set<number>();
  const max = Math.max(...targets.map(({ contextTokens }) => contextTokens ?? 0));
  const isWalkedByEndpoint = eachWireIsAnEndpoint(targets);
  const faultsAt = (at: number, tried: readonly Tried[]): Tried[][] => {
    const target = targets[at];
    const faults: Tried[][] = circuitReaches.map((reach) => [{ at, reach }]);
    if (target?.isReservedTwice === true)
      faults.push([
        { at, reach: "model" },
        { at, reach: "model" },
      ]);
    if ((target?.contextTokens ?? max) < max)
      faults.push([{ at, reach: "request", excludes: "small_context" }]);
    if (!isWalkedByEndpoint && !tried.some(refusesRequest)) faults.push([{ at, reach: "request" }]);
    return faults;
  };
  const walk = (tried: readonly Tried[]): void => {
    if (tried.length >= attempts || found.size === targets.length) return;
    const at = nextCandidate(targets, tried);
    if (at === null) return;
    found.add(at);
    for (const faults of faultsAt(at, tried)) walk([...tried, ...faults]);
  };
  walk([]);
  return [...found].toSorted((a, b) => a - b);
}

export function firstStepsOf(targets: readonly FailoverTarget[]): FaultReach[][] {
  const steps: FaultReach[][] = targets.map(() => []);
  const first = nextCandidate(targets, []);
  if (first === null) return steps;
  for (const reach of faultReaches) {
    const at = nextCandidate(targets, [{ at: first, reach }]);
    if (at !== null) steps[at]?.push(reach);
  }
  return steps;
}

function mayRepeat({ targets, tried, unaffordable = none }: FailoverState): boolean {
  const at = tried.at(-1)?.at ?? -1;
  return (
    targets[at]?.isReservedTwice === true &&
    !unaffordable.has(at) &&
    tried.filter((attempt) => attempt.at === at).length === 1
  );
}

export type FailoverStep = { next: "stop" } | { next: "try"; at: number; waitMs: number };

const stop: FailoverStep = { next: "stop" };

interface FailoverState {
  targets: readonly FailoverTarget[];
  tried: readonly Tried[];
  fault: Pick<ProviderFault, "retryable" | "retryAfterMs" | "billed" | "code">;
  max: number;
  chance: number;
  remainingMs: number;
  avoided?: ReadonlySet<number>;
  unaffordable?: ReadonlySet<number>;
  afterContentFilter: AfterContentFilter;
}

/**
 * Retries a candidate only if nothing was billed and its Retry-After ends before the deadline; after
 * `tool_use_failed`, once.
 */
export function stepAfter(input: FailoverState): FailoverStep {
  const { targets, tried, fault, remainingMs } = input;
  const last = tried.at(-1);
  if (last === undefined || !fault.retryable || tried.length >= input.max) return stop;
  if (fault.code === "content_filter" && input.afterContentFilter === "stop") return stop;
  if (tried.filter(refusesRequest).length >= refusalsOfRequest) return stop;
  if (fault.code === "tool_use_failed" && mayRepeat(input))
    return remainingMs > minUsefulMs ? { next: "try", at: last.at, waitMs: 0 } : stop;
  const at = nextCandidate(targets, tried, input);
  if (at !== null) {
    // Each endless answer may be billed and takes CPU time.
    const endsAtEndpoint = fault.code === "response_too_large";
    const [from, to] = [targets[last.at], targets[at]];
    const wide = last.reach === "endpoint" ? "endpoint" : "credential";
    if (endsAtEndpoint && from !== undefined && to !== undefined && reaches("endpoint", from, to))
      return stop;
    const waitMs =
      from !== undefined && to !== undefined && reaches(wide, from, to)
        ? Math.round(backoffMs * 2 ** (tried.length - 1) * (0.5 + input.chance))
        : 0;
    return remainingMs > minUsefulMs + waitMs ? { next: "try", at, waitMs } : stop;
  }
  // The reservation covers only one billed attempt.
  if (last.isLasting === true || fault.retryAfterMs === null || fault.billed !== "no") return stop;
  return fault.retryAfterMs + minUsefulMs < remainingMs
    ? { next: "try", at: last.at, waitMs: fault.retryAfterMs }
    : stop;
}
