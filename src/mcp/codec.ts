/** One neutral model of a sampling call, and a codec per revision. */
import type { JsonObject } from "../domain/json.ts";
import type { Refusal } from "../domain/refusals.ts";
import type { Result } from "../domain/result.ts";
import type { SamplingAnswer, SamplingCall } from "../domain/sampling/call.ts";

export interface Wire {
  code: number;
  status: number;
}

export interface Codec {
  readonly revision: string;
  decodeCall(params: JsonObject): Result<SamplingCall, Refusal>;
  /** Params that no revision defines, or without effect here, such as `task`. */
  unknownIn(params: JsonObject): string[];
  encodeAnswer(answer: SamplingAnswer, call: SamplingCall, meta: JsonObject): JsonObject;
  wireOf(refusal: Refusal): Wire;
  /** As this revision defines them. */
  capabilitiesOf(raw: JsonObject): JsonObject;
}
