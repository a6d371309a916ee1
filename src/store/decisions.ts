/**
 * A decision as its column keeps it. The decision is the largest part of a record: 45 feasible models
 * are 5.8 kB as objects that repeat every name of a field, and 2.6 kB as lists of values. Reading gives
 * back an equal object.
 */
import { customType } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../domain/json.ts";
import type { Candidate, Decision } from "../domain/choice/decision.ts";

/** provider, model, score, then cost, speed and intelligence, then an object with all other fields */
type Packed = [string, string, number, number, number, number, JsonObject?];

function pack(candidate: Candidate): Packed | Candidate {
  const { provider, model, score, axes, ...rest } = candidate;
  if (score === undefined || axes === undefined) return candidate;
  const { cost, speed, intelligence } = axes;
  const row: Packed = [provider, model, score, cost, speed, intelligence];
  if (Object.keys(rest).length > 0) row.push(rest as unknown as JsonObject);
  return row;
}

function unpack(stored: Packed | Candidate): Candidate {
  if (!Array.isArray(stored)) return stored;
  const [provider, model, score, cost, speed, intelligence, rest] = stored;
  return { provider, model, score, axes: { cost, speed, intelligence }, ...rest };
}

export const packDecision = (decision: Decision): string =>
  JSON.stringify({ ...decision, candidates: decision.candidates.map(pack) });

export function unpackDecision(text: string): Decision {
  const stored = JSON.parse(text) as Omit<Decision, "candidates"> & {
    candidates: (Packed | Candidate)[];
  };
  return { ...stored, candidates: stored.candidates.map(unpack) };
}

/** JSON. Everything outside `candidates` is stored as it is, so that SQL can read it. */
export const decisionColumn = customType<{ data: Decision; driverData: string }>({
  dataType: () => "text",
  toDriver: packDecision,
  fromDriver: unpackDecision,
});
