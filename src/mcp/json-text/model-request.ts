/** Reads the body of a request to a model endpoint in one pass over its bytes: strict JSON, and where the decisive members are. */
import type { RequestBody, Span } from "../../domain/passing.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { lookalike, rules } from "./decisive-keys.ts";
import { isBlank } from "./grammar.ts";
import { withoutMark } from "./message-reader.ts";
import { createJsonScanner } from "./scanner.ts";

const notAnObject: Refusal = {
  reason: "bad_request",
  detail: "The body is a JSON object in UTF-8.",
};
const rule = rules.modelRequest;
const colon = 58;

/** The value between a key and the comma or brace behind it. */
function trimmed(bytes: Uint8Array, { start, end }: Span): Span {
  const isAround = (at: number): boolean => isBlank(bytes[at] ?? 0) || bytes[at] === colon;
  let from = start;
  let to = end;
  while (isAround(from)) from += 1;
  while (isBlank(bytes[to - 1] ?? 0)) to -= 1;
  return { start: from, end: to };
}

/** Refuses a decisive key that occurs twice, or so that some parser takes it for another one. */
export function readModelRequest(sent: Uint8Array<ArrayBuffer>): Result<RequestBody, Refusal> {
  const bytes = withoutMark(sent);
  const values = new Map<string, Span>();
  let open: { name: string; start: number } | null = null;
  let doubted: string | null = null;
  let isObject = false;
  let isEmpty = true;
  const ends = (at: number): void => {
    if (open !== null) values.set(open.name, trimmed(bytes, { start: open.start, end: at }));
    open = null;
  };
  let isRoot = true;
  const scanner = createJsonScanner({
    opened(kind) {
      if (!isRoot) return false;
      isRoot = false;
      isObject = kind === "object";
      return isObject;
    },
    closed: ends,
    comma: ends,
    key(key, end) {
      isEmpty = false;
      const name = rule.names.has(key) ? key : lookalike(rule, key);
      if (name === undefined) return false;
      if (name !== key || values.has(name)) doubted ??= name;
      open = { name, start: end };
      return false;
    },
    text() {},
    isDone: () => false,
  });
  if (!scanner.push(bytes) || !scanner.end() || !isObject) return err(notAnObject);
  if (doubted !== null)
    return err({
      reason: "invalid_params",
      path: doubted,
      detail: `ambiguous JSON: the key "${String(doubted)}" occurs twice, or is spelled otherwise`,
    });
  return ok({ bytes, membersStart: bytes.indexOf(123) + 1, isEmpty, values });
}
