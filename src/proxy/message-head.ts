/** Cheap looks at a message before it is parsed, or before all of it has come. A head is a message's beginning. */
import { own, parsedJson } from "../domain/json.ts";
import { samplingMethod } from "../domain/sampling/rounds.ts";

/** JSON-RPC members that may stand before the one that tells the message's kind. */
const before = String.raw`^\s*\{(?:\s*"(?:jsonrpc|id)"\s*:\s*(?:"[^"\\]*"|-?\d+|null)\s*,)*\s*`;
const isResponse = new RegExp(`${before}"(?:result|error)"\\s*:`);
const namesMethod = new RegExp(`${before}"method"\\s*:\\s*"([^"\\\\]*)"`);

/**
 * The method of a request or notification with this head; null: the message has no method, or its method is not
 * known yet.
 */
export const methodIn = (head: string): string | null => namesMethod.exec(head)?.[1] ?? null;

/** Whether JSON with this head is a response: a message with `result` or `error` asks nothing. */
export const startsResponse = (head: string): boolean => isResponse.test(head);

/**
 * Whether a message with this head is certainly no sampling request. `tooLarge`: the message can't be held for
 * a closer look.
 */
export const surelyHarmless = (head: string, tooLarge: boolean): boolean =>
  startsResponse(head) || (tooLarge && ![null, samplingMethod].includes(methodIn(head)));

/** Whether a message, or one of a batch, is a sampling request. In the modern era nobody may send one. */
export const asksToSample = (text: string): boolean =>
  mayNeedRouter(text) &&
  [parsedJson(text)].flat().some((message) => own(message, "method") === samplingMethod);

/**
 * False only if the JSON is certainly neither a sampling request nor a cancellation. Both have a method with
 * these letters, unless escapes spell letters or the slash.
 */
export const mayNeedRouter = (text: string): boolean =>
  text.includes("createMessage") || text.includes("cancelled") || /\\u00[2-7]/i.test(text);
