/**
 * One line between a client and a server over stdio: a JSON-RPC message, or anything else, which passes. Both ends are
 * programs that one person started, so two parsers that read a message differently gain nothing here.
 */
import type { JsonValue } from "../../domain/json.ts";
import { parsedMessages } from "../../mcp/json-text/exact-ids.ts";
import { messageIn, type ProxiedMessage } from "../../mcp/message.ts";
import { elementsOf, whole } from "../../mcp/json-text/raw-json.ts";
import { textAt } from "../../mcp/json-text/parts.ts";

/** No program sends such a line as a message, and V8 makes no string of a much longer one. */
const mostBytes = 256 * 1024 * 1024;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export interface Line {
  text: string;
  value: JsonValue;
}

/** null: no JSON in UTF-8. */
export function readLine(bytes: Uint8Array): Line | null {
  if (bytes.length > mostBytes) return null;
  try {
    const text = decoder.decode(bytes);
    const value = parsedMessages(text);
    return value === undefined ? null : { text, value };
  } catch {
    return null;
  }
}

/** By what an id is known again, whether it was spelt `1` or `1.0`. */
export const idKey = (id: JsonValue | undefined): string => JSON.stringify(id ?? null);

/** The id as it stands in the text: a number beyond a double's precision keeps its digits. */
export const idTextIn = (text: string): string => textAt(text, ["id"]) ?? "null";

export interface Part {
  text: string;
  message: ProxiedMessage;
}

/** The messages of a line: one, or those of a batch, which revision 2025-03-26 knows. */
export function partsOf({ text, value }: Line): Part[] {
  if (!Array.isArray(value)) return [{ text, message: messageIn(value) }];
  const spans = elementsOf(text, whole(text));
  return value.map((element, index) => ({
    text: text.slice(spans[index]?.start, spans[index]?.end),
    message: messageIn(element),
  }));
}
