/** `JSON.stringify` in pieces: serializing 11 MB in one call blocks the thread. */
import type { JsonValue } from "./json.ts";

/** Minimum characters of a piece, except the last. Escapes may make a piece six times as long. */
const pieceCharacters = 64 * 1024;

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Never splits a surrogate pair, because `JSON.stringify` escapes lone surrogates. */
function* textParts(text: string): Generator<string> {
  if (text.length <= pieceCharacters) return yield JSON.stringify(text);
  yield '"';
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = Math.min(at + pieceCharacters, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
  }
  yield '"';
}

/** Upper bound of a number, `null`, or what surrounds a member. */
const scalarCharacters = 24;
/** More than an empty container's text, which bounds the depth of the recursion. */
const containerCharacters = 64;

/** What the value leaves of `room` characters, escapes not counted; negative if it needs more. */
function roomAfter(value: JsonValue, room: number): number {
  if (typeof value === "string") return room - value.length;
  if (typeof value !== "object" || value === null) return room - scalarCharacters;
  let left = room - containerCharacters;
  if (Array.isArray(value))
    for (const item of value) {
      if (left < 0) break;
      left = roomAfter(item, left);
    }
  else
    for (const key in value) {
      if (left < 0) break;
      left = roomAfter(value[key] ?? null, left - key.length - scalarCharacters);
    }
  return left;
}

export const shortJson = (value: JsonValue): string | null =>
  roomAfter(value, pieceCharacters) < 0 ? null : JSON.stringify(value);

/** Iterative: recursion would pass each part through one generator per level. */
function* parts(root: JsonValue): Generator<string> {
  const open: { left: Iterator<[string, JsonValue]>; isArray: boolean; separator: string }[] = [];
  for (let value = root; ;) {
    const short = shortJson(value);
    if (short !== null) yield short;
    else if (typeof value === "string") yield* textParts(value);
    else if (typeof value === "object" && value !== null) {
      const isArray = Array.isArray(value);
      yield isArray ? "[" : "{";
      open.push({ left: Object.entries(value).values(), isArray, separator: "" });
    }
    for (;;) {
      const around = open.at(-1);
      if (around === undefined) return;
      const next = around.left.next();
      if (next.done !== true) {
        const [key] = next.value;
        yield around.separator;
        around.separator = ",";
        if (!around.isArray) {
          yield* textParts(key);
          yield ":";
        }
        value = next.value[1];
        break;
      }
      open.pop();
      yield around.isArray ? "]" : "}";
    }
  }
}

export function* jsonPieces(value: JsonValue): Generator<string> {
  let piece = "";
  for (const part of parts(value)) {
    piece += part;
    if (piece.length < pieceCharacters) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}
