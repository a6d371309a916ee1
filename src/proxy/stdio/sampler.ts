/** Sampling for a server, with failures as JSON-RPC errors. */
import { isObject, type JsonObject } from "../../domain/json.ts";
import { explain } from "../../domain/refusal-messages.ts";
import { dataOf, refusalTable, type Refusal } from "../../domain/refusals.ts";
import type { Result } from "../../domain/result.ts";

export interface WireError {
  code: number;
  message: string;
  data: object;
}

export type SampleFor = (
  params: JsonObject,
  options: { signal: AbortSignal; idempotencyKey?: string },
) => Promise<Result<JsonObject, WireError>>;

/** Without the router's envelope and decision: a call's cost is not for the server. */
export function answerForServer({ resultType: _type, _meta, ...result }: JsonObject): JsonObject {
  const { "sampling-router/decision": _decision, ...meta } = isObject(_meta) ? _meta : {};
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: meta };
}

export const wireErrorOf = (refusal: Refusal): WireError => ({
  code: refusalTable[refusal.reason].code,
  message: explain(refusal),
  data: dataOf(refusal),
});

export const errorText = (idText: string, error: WireError): string =>
  `{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify(error)}}`;

export const resultText = (idText: string, result: JsonObject): string =>
  `{"jsonrpc":"2.0","id":${idText},"result":${JSON.stringify(result)}}`;
