/** Samples for a server, and says what went wrong as a JSON-RPC error: the router's own, if it spoke. */
import type { JsonObject } from "../../domain/json.ts";
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
