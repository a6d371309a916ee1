/** Samples for a server, and says what went wrong as a JSON-RPC error: the router's own, if it spoke. */
import { isObject, type JsonObject } from "../../domain/json.ts";
import { explain } from "../../domain/refusal-words.ts";
import { dataOf, refusalTable, type Refusal } from "../../domain/refusals.ts";
import type { Result } from "../../domain/result.ts";

export interface WireError {
  code: number;
  message: string;
  data: object;
}

/** @param options `idempotencyKey`: absent: the call is a new one */
export type SampleFor = (
  params: JsonObject,
  options: { signal: AbortSignal; idempotencyKey?: string },
) => Promise<Result<JsonObject, WireError>>;

/**
 * The router's answer as a server gets it: without what belongs to the router's envelope, and without the
 * decision. What a call costs its tenant is no server's business.
 */
export function answerForServer({ resultType: _type, _meta, ...result }: JsonObject): JsonObject {
  const { "sampling-router/decision": _decision, ...meta } = isObject(_meta) ? _meta : {};
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: meta };
}

export const wireErrorOf = (refusal: Refusal): WireError => ({
  code: refusalTable[refusal.reason].code,
  message: explain(refusal),
  data: dataOf(refusal),
});

/** @param idText JSON text, as the other side sent it */
export const errorText = (idText: string, error: WireError): string =>
  `{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify(error)}}`;

export const resultText = (idText: string, result: JsonObject): string =>
  `{"jsonrpc":"2.0","id":${idText},"result":${JSON.stringify(result)}}`;
