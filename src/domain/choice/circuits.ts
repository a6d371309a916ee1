/** Circuit breakers per endpoint, credential and model. A circuit's row is created by a fault and deleted by the next success. */
import {
  circuitReaches,
  isKeyRefused,
  type Attempt,
  type CircuitReach,
  type FaultReach,
} from "../attempts.ts";
import { clockSlackMs } from "../clocks.ts";
import { latestLeaseEnd } from "../leases.ts";
import { nameOf } from "../models/model.ts";

export interface CircuitFault {
  /** ms since the epoch: when the failed call began */
  began: number;
  /** when it failed */
  at: number;
  retryAfterMs: number | null;
}

export interface Circuit {
  scope: string;
  /** since the last success, newest first, at most `maxFaults` */
  faults: CircuitFault[];
  probeUntil: number | null;
  /** ms since the epoch; identifies the version that a probe claims */
  updatedAt: number;
}

export interface CircuitChange {
  /** scopes that an answer closes, or an error that shows that the scope as a whole works */
  closes: string[];
  fault: (CircuitFault & { scope: string }) | null;
}

export const maxFaults = 16;

const faultsToOpen = 2;
/** Long enough for two consecutive calls that each hang for most of a deadline. */
const windowMs = 5 * 60_000;

const openMs = 15_000;
const longestOpenMs = 5 * 60_000;

const scopes = {
  endpoint: (endpoint: string) => `endpoint ${endpoint}`,
  credential: (credentialId: string) => `credential ${credentialId}`,
  model: (credentialId: string, model: string) => `model ${credentialId} ${model}`,
};

export interface CircuitPath {
  endpoint: string;
  credentialId: string;
  model: string;
}

export const scopeOf = (reach: CircuitReach, path: CircuitPath): string =>
  reach === "model"
    ? scopes.model(path.credentialId, path.model)
    : reach === "credential"
      ? scopes.credential(path.credentialId)
      : scopes.endpoint(path.endpoint);

export type CircuitState =
  | { state: "closed" }
  | { state: "open"; until: number; retryAfterUntil: number | null }
  | { state: "half-open" };

/** Faults of calls that began before the open time ended don't extend it. A later one doubles it. */
function openTimes(faults: readonly CircuitFault[]): {
  until: number | null;
  retryAfter: number | null;
} {
  let until: number | null = null;
  let retryAfter: number | null = null;
  let count = 0;
  let backoffMs = openMs;
  let lastAt: number | null = null;
  for (const { began, at, retryAfterMs } of faults.toReversed()) {
    // `Retry-After` applies from the first fault.
    if (retryAfterMs !== null)
      retryAfter = Math.max(retryAfter ?? 0, at + Math.min(retryAfterMs, longestOpenMs));
    const since = until ?? lastAt;
    const isLongAgo = since !== null && at - since > windowMs;
    if (isLongAgo) {
      until = null;
      count = 0;
      backoffMs = openMs;
    }
    count += 1;
    lastAt = at;
    if (until === null) {
      if (count >= faultsToOpen) until = at + backoffMs;
    } else if (began >= until) {
      backoffMs = Math.min(longestOpenMs, 2 * backoffMs);
      until = at + backoffMs;
    }
  }
  return { until, retryAfter };
}

export function stateOf(
  circuit: Pick<Circuit, "faults" | "probeUntil">,
  now: number,
): CircuitState {
  // A fault in the future was written before a clock was set back.
  const faults = circuit.faults.filter(({ at }) => at <= now + clockSlackMs);
  const { until, retryAfter } = openTimes(faults);
  const retryAfterUntil = retryAfter !== null && retryAfter > now ? retryAfter : null;
  if (retryAfterUntil !== null || (until !== null && until > now))
    return { state: "open", until: Math.max(until ?? 0, retryAfter ?? 0), retryAfterUntil };
  if (until === null || now - until > windowMs) return { state: "closed" };
  const { probeUntil } = circuit;
  return probeUntil !== null && probeUntil > now && probeUntil <= latestLeaseEnd(now)
    ? { state: "open", until: probeUntil, retryAfterUntil: null }
    : { state: "half-open" };
}

export const forgottenAfterMs = 2 * (longestOpenMs + windowMs);

/**
 * An empty answer may depend on the prompt, so it counts against the model. A refused key opens no circuit: the
 * credential is marked as failing.
 */
function countedAs(attempt: Attempt): CircuitReach | null {
  const { fault, reach = "endpoint", status, retryable } = attempt;
  if (reach === "request") return null;
  switch (fault) {
    case null:
    case "cancelled":
    case "unopenable":
    case "not_json":
    case "wrong_tool_use":
      return null;
    case "invalid_request":
      return retryable && status !== null ? "model" : null;
    case "empty":
      return status === null || status === 200 ? "model" : reach;
    default:
      return isKeyRefused(attempt) ? null : reach;
  }
}

const widerReaches: Record<FaultReach, readonly CircuitReach[]> = {
  request: ["credential", "endpoint"],
  model: ["credential", "endpoint"],
  credential: ["endpoint"],
  endpoint: [],
};

export function circuitChangesOf(
  attempts: readonly (Attempt & { endpoint: string; beganAt: number })[],
): CircuitChange[] {
  return attempts.flatMap((attempt): CircuitChange[] => {
    const { endpoint, credentialId, provider, model, beganAt, latencyMs, retryAfterMs } = attempt;
    const path = { endpoint, credentialId, model: nameOf({ provider, id: model }) };
    if (attempt.fault === null)
      return [
        {
          closes: circuitReaches.map((reach) => scopeOf(reach, path)),
          fault: null,
        },
      ];
    const counted = countedAs(attempt);
    const { reach = "endpoint", status } = attempt;
    // An error from the provider shows that everything wider than its cause works.
    const closes = status === null ? [] : widerReaches[reach].map((each) => scopeOf(each, path));
    const at = beganAt + latencyMs;
    const fault =
      counted === null ? null : { scope: scopeOf(counted, path), began: beganAt, at, retryAfterMs };
    return fault === null && closes.length === 0 ? [] : [{ closes, fault }];
  });
}
