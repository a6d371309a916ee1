/**
 * Keeps all digits of ids and progress tokens: senders compare them, and doubles lose integers beyond 2^53 (RFC
 * 8259, section 6).
 */
import { isObject, own, parsedJson, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { textAt } from "./parts.ts";
import { elementsOf, whole } from "./raw-json.ts";

/** Serialized unchanged by `JSON.stringify`. */
export interface ExactInteger extends JsonObject {
  readonly rawJSON: string;
}

/** Not yet in TypeScript: https://tc39.es/proposal-json-parse-with-source */
const exact = JSON as unknown as {
  rawJSON(text: string): ExactInteger;
  isRawJSON(value: unknown): value is ExactInteger;
};

export type RequestId = string | number | ExactInteger;

/** `1e400` reads as Infinity, which can't be echoed. */
export const isId = (value: unknown): value is RequestId =>
  typeof value === "string" || Number.isFinite(value) || exact.isRawJSON(value);

export const isSameId = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const isInexact = (value: JsonValue | undefined): boolean =>
  typeof value === "number" && !Number.isSafeInteger(value);

const isInteger = (text: string): boolean => /^-?\d+$/.test(text);

const places = [
  ["id"],
  ["params", "requestId"],
  ["params", "progressToken"],
  ["params", "_meta", "progressToken"],
];

function makeExact(message: JsonValue, textOf: () => string): void {
  for (const place of places) {
    const [name = "", ...parents] = place.toReversed();
    const parent = parents.reduceRight<JsonValue | undefined>(own, message);
    if (!isObject(parent) || !isInexact(own(parent, name))) continue;
    const text = textAt(textOf(), place) ?? "";
    if (isInteger(text)) parent[name] = exact.rawJSON(text);
  }
}

/** `undefined` for invalid JSON. */
export function parsedMessages(text: string): JsonValue | undefined {
  const value = parsedJson(text);
  if (!Array.isArray(value)) {
    if (value !== undefined) makeExact(value, () => text);
    return value;
  }
  for (const [at, message] of value.entries())
    makeExact(message, () => {
      const span = elementsOf(text, whole(text))[at];
      return text.slice(span?.start, span?.end);
    });
  return value;
}

/** `undefined` for invalid JSON. */
export function parsedId(text: string): JsonValue | undefined {
  const value = parsedJson(text);
  return isInexact(value) && isInteger(text) ? exact.rawJSON(text) : value;
}
