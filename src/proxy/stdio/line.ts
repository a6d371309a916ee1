/**
 * One line of stdio: a JSON-RPC message, or anything else, which passes. The same user started both programs, so parser
 * differences aren't an attack here.
 */
import type { JsonValue } from "../../domain/json.ts";
import { parsedMessages } from "../../mcp/json-text/exact-ids.ts";
import { messageIn, type ProxiedMessage } from "../../mcp/message.ts";
import { elementsOf, whole } from "../../mcp/json-text/raw-json.ts";
import { textAt } from "../../mcp/json-text/parts.ts";

/** V8 makes no string of a much longer line. */
const maxBytes = 256 * 1024 * 1024;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export interface Line {
  text: string;
  value: JsonValue;
}

export function readLine(bytes: Uint8Array): Line | null {
  if (bytes.length > maxBytes) return null;
  try {
    const text = decoder.decode(bytes);
    const value = parsedMessages(text);
    return value === undefined ? null : { text, value };
  } catch {
    return null;
  }
}

/** The same for `1` and `1.0`. */
export const idKey = (id: JsonValue | undefined): string => JSON.stringify(id ?? null);

/** Keeps the digits of numbers beyond a double's precision. */
export const idTextIn = (text: string): string => textAt(text, ["id"]) ?? "null";

export interface Part {
  text: string;
  message: ProxiedMessage;
}

/** One message, or those of a batch (2025-03-26). */
export function partsOf({ text, value }: Line): Part[] {
  if (!Array.isArray(value)) return [{ text, message: messageIn(value) }];
  const spans = elementsOf(text, whole(text));
  return value.map((element, index) => ({
    text: text.slice(spans[index]?.start, spans[index]?.end),
    message: messageIn(element),
  }));
}
