/** Cheap looks at a message before it is parsed, or before it is there: its head is how it begins. */
import { samplingMethod } from "../domain/sampling/rounds.ts";

/** JSON-RPC members that may stand before the one that tells a message's kind. */
const before = String.raw`^\s*\{(?:\s*"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]*"|-?\d+|null)\s*,)*\s*`;
const isResponse = new RegExp(`${before}"(?:result|error)"\\s*:`);
const namesMethod = new RegExp(`${before}"method"\\s*:\\s*"([^"\\\\]*)"`);

/** The method of a request or notification that begins so; null: none, or not known. */
export const methodIn = (head: string): string | null => namesMethod.exec(head)?.[1] ?? null;

/** Whether JSON that begins so is a response: no message with a `result` or an `error` asks anything. */
export const startsResponse = (head: string): boolean => isResponse.test(head);

/** Whether a message that begins so is certainly no sampling request; `tooLarge`: it can't be held to look closer. */
export const surelyHarmless = (head: string, tooLarge: boolean): boolean =>
  startsResponse(head) || (tooLarge && ![null, samplingMethod].includes(methodIn(head)));

/**
 * False only if its JSON is certainly neither a sampling request nor a cancellation: both have a
 * method that is spelt with these letters, unless escapes spell letters or the slash.
 */
export const mayNeedRouter = (text: string): boolean =>
  text.includes("createMessage") || text.includes("cancelled") || /\\u00[2-7]/i.test(text);
