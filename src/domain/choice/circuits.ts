/**
 * Circuits: what failed again and again is left alone for a while, then tried by one call. Each endpoint,
 * credential and model of a tenant has its own circuit. A row exists only from a fault to the next answer.
 */
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

/** One fault, as a circuit's row keeps it. */
export interface CircuitFault {
  /** ms since the epoch: when the attempt began, and when it failed */
  began: number;
  at: number;
  /** ms, as the provider asked */
  retryAfterMs: number | null;
}

export interface Circuit {
  scope: string;
  /** newest first, at most `keptFaults`, all of them since the last answer */
  faults: CircuitFault[];
  /** ms since the epoch, until when one call tries the circuit; null: no call does */
  probeUntil: number | null;
  /** ms since the epoch of the last change; a claim compares it, to see that nothing happened since the choice */
  updatedAt: number;
}

/** What one attempt changes in its circuits. */
export interface CircuitChange {
  /** scopes of the circuits that close: an answer closes them, or an error that only a living service can send */
  closes: string[];
  /** the fault, and the scope in which the fault counts; null: the fault counts nowhere */
  fault: (CircuitFault & { scope: string }) | null;
}

export const keptFaults = 16;

/** Faults within the window that open a circuit. */
const faultsToOpen = 2;
/** Long enough for two calls, one after the other, that each hang for most of a deadline. */
const windowMs = 5 * 60_000;

const openMs = 15_000;
const longestOpenMs = 5 * 60_000;

const scopes = {
  endpoint: (endpoint: string) => `endpoint ${endpoint}`,
  credential: (credentialId: string) => `credential ${credentialId}`,
  model: (credentialId: string, model: string) => `model ${credentialId} ${model}`,
};

/** The three circuits that a call of a model goes through. */
export interface CircuitPath {
  endpoint: string;
  credentialId: string;
  /** `provider/model` */
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
  /** `askedUntil`: ms since the epoch, when the wait ends that the provider asked for; null: no such wait runs */
  | { state: "open"; until: number; askedUntil: number | null }
  /** the circuit was open for its time and no answer came since, so one call may try the circuit */
  | { state: "half-open" };

/**
 * How long a row of faults keeps a circuit open. A fault of a call that began before the circuit opened says
 * nothing new. A fault of a call that began after the circuit's time was over doubles the time.
 */
function openings(faults: readonly CircuitFault[]): { until: number | null; asked: number | null } {
  let until: number | null = null;
  let asked: number | null = null;
  let count = 0;
  let backoffMs = openMs;
  let lastAt: number | null = null;
  for (const { began, at, retryAfterMs } of faults.toReversed()) {
    // A provider that says when to come back is believed at its first fault.
    if (retryAfterMs !== null)
      asked = Math.max(asked ?? 0, at + Math.min(retryAfterMs, longestOpenMs));
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
  return { until, asked };
}

export function stateOf(
  circuit: Pick<Circuit, "faults" | "probeUntil">,
  now: number,
): CircuitState {
  // A fault further ahead was written before a clock was set back, and would keep the circuit open
  // for the whole jump.
  const faults = circuit.faults.filter(({ at }) => at <= now + clockSlackMs);
  const { until, asked } = openings(faults);
  const askedUntil = asked !== null && asked > now ? asked : null;
  if (askedUntil !== null || (until !== null && until > now))
    return { state: "open", until: Math.max(until ?? 0, asked ?? 0), askedUntil };
  // A circuit in which nothing failed for so long is closed, too.
  if (until === null || now - until > windowMs) return { state: "closed" };
  const { probeUntil } = circuit;
  return probeUntil !== null && probeUntil > now && probeUntil <= latestLeaseEnd(now)
    ? { state: "open", until: probeUntil, askedUntil: null }
    : { state: "half-open" };
}

/** ms without a change after which a circuit's row is deleted. */
export const forgottenAfterMs = 2 * (longestOpenMs + windowMs);

/**
 * Where a fault counts; null: nowhere. An empty answer makes this call leave the endpoint, but may be the
 * answer to this one prompt, so it counts against the model. A redirect or a 204 is never an answer to a
 * prompt, so it counts against the endpoint. A refused key needs no circuit: the credential is marked.
 */
function countedAs(attempt: Attempt): CircuitReach | null {
  const { fault, reach = "endpoint", status, retryable } = attempt;
  if (reach === "request") return null;
  switch (fault) {
    case null:
    case "cancelled":
    // Nothing was called, and a circuit would only hide why.
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

const wider: Record<FaultReach, readonly CircuitReach[]> = {
  request: ["credential", "endpoint"],
  model: ["credential", "endpoint"],
  credential: ["endpoint"],
  endpoint: [],
};

/** What the attempts say of their circuits. `beganAt`: ms since the epoch, by position. */
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
    // A provider's own error is a sign of life. What the fault speaks of is broken, and the wider
    // circuits around it are not.
    const closes = status === null ? [] : wider[reach].map((around) => scopeOf(around, path));
    const at = beganAt + latencyMs;
    const fault =
      counted === null ? null : { scope: scopeOf(counted, path), began: beganAt, at, retryAfterMs };
    return fault === null && closes.length === 0 ? [] : [{ closes, fault }];
  });
}
