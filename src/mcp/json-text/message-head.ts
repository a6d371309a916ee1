/** Cheap checks on a message before it is parsed, or before all of it has arrived. A head is the beginning of a message. */
import { own, parsedJson } from "../../domain/json.ts";
import { samplingMethod } from "../../domain/sampling/rounds.ts";

/** JSON-RPC members that may precede the one that determines the message's kind. */
const before = String.raw`^\s*\{(?:\s*"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]*"|-?\d+|null)\s*,)*\s*`;
const isResponse = new RegExp(`${before}"(?:result|error)"\\s*:`);
const namesMethod = new RegExp(`${before}"method"\\s*:\\s*"([^"\\\\]*)"`);

/** The method of a request or notification, once known. */
export const methodIn = (head: string): string | null => namesMethod.exec(head)?.[1] ?? null;

export const startsResponse = (head: string): boolean => isResponse.test(head);

/** True only if the message is certainly no sampling request. `tooLarge`: the whole message can't be buffered. */
export const surelyHarmless = (head: string, tooLarge: boolean): boolean =>
  startsResponse(head) || (tooLarge && ![null, samplingMethod].includes(methodIn(head)));

/** Whether a message, or one of a batch, is a sampling request. 2026-07-28 has no such request. */
export const asksToSample = (text: string): boolean =>
  mayNeedRouter(text) &&
  [parsedJson(text)].flat().some((message) => own(message, "method") === samplingMethod);

/**
 * False only if the JSON is certainly neither a sampling request nor a cancellation. Both have a method with
 * these letters, unless escapes spell letters or the slash.
 */
export const mayNeedRouter = (text: string): boolean =>
  text.includes("createMessage") || text.includes("cancelled") || /\\u00[2-7]/i.test(text);
