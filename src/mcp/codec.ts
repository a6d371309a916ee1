/** One neutral model of a sampling call, and one codec per revision. */
import type { JsonObject } from "../domain/json.ts";
import type { Refusal } from "../domain/refusals.ts";
import type { Result } from "../domain/result.ts";
import type { SamplingAnswer, SamplingCall } from "../domain/sampling/call.ts";

/** How a refusal travels: JSON-RPC code and HTTP status. */
export interface Wire {
  code: number;
  status: number;
}

export interface Codec {
  readonly revision: string;
  decodeCall(params: JsonObject): Result<SamplingCall, Refusal>;
  /** Names of params that no revision knows, or that have no effect here, such as `task`. */
  unknownIn(params: JsonObject): string[];
  /** `meta` goes into the result's `_meta`. */
  encodeAnswer(answer: SamplingAnswer, call: SamplingCall, meta: JsonObject): JsonObject;
  wireOf(refusal: Refusal): Wire;
  /** Raw capabilities as this revision knows them. */
  capabilitiesOf(raw: JsonObject): JsonObject;
}
