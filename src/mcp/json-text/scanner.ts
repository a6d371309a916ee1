/**
 * Streaming JSON scanner as strict as `JSON.parse` (RFC 8259), reporting only wanted keys. The attack: lenient
 * parsers accept comments, `NaN`, or a second value, and may find a request there.
 */
import {
  backslash,
  closeBrace,
  closeBracket,
  endsPlain,
  endsWide,
  escapesEnd,
  isBlank,
  isDigit,
  isHex,
  literals,
  mayEnd,
  minus,
  nextPart,
  openBrace,
  openBracket,
  plainEscapes,
  plainRun,
  quote,
} from "./grammar.ts";
import type { JsonListener, JsonScanner } from "./listener.ts";
import { createUtf8Check, textBetween, textOf } from "./utf8.ts";

// States between tokens.
const value = 0;
const firstElement = 1;
const firstKey = 2;
const nextKey = 3;
const colon = 4;
const after = 5;
// States within a token.
const inText = 6;
const inEscape = 7;
const inHex = 8;
const inNumber = 9;
const inLiteral = 10;

/** One byte of memory per level. */
const maxDepth = 16 * 1024 * 1024;
/** Longer keys and methods are irrelevant. */
const maxTokenBytes = 4_096;

export function createJsonScanner(listener: JsonListener): JsonScanner {
  let bytes = new Uint8Array(new ArrayBuffer(0));
  let at = 0;
  /** bytes of earlier chunks */
  let before = 0;
  let state = value;
  let depth = 0;
  /** number of watched open values */
  let watched = 0;
  /** 1 for an object, 0 for an array */
  let kinds = new Uint8Array(64);
  let part = minus;
  let word = "";
  let wordAt = 0;
  let hexLeft = 0;
  let isKey = false;
  let wantsText = false;
  /** start of the current token in this chunk, or -1 */
  let tokenAt = -1;
  let gathers = false;
  let gathered: Uint8Array<ArrayBuffer> | null = null;
  let hasEscapes = false;
  let isWide = false;
  let utf8: ReturnType<typeof createUtf8Check> | null = null;

  const open = (kind: number): boolean => {
    if (depth === maxDepth) return false;
    if (depth === kinds.length) {
      const grown = new Uint8Array(2 * depth);
      grown.set(kinds);
      kinds = grown;
    }
    kinds[depth] = kind;
    depth += 1;
    if (watched === depth - 1 && listener.opened(kind === 1 ? "object" : "array")) watched = depth;
    state = kind === 1 ? firstKey : firstElement;
    return true;
  };
  const close = (kind: number): boolean => {
    if (depth === 0 || kinds[depth - 1] !== kind) return false;
    if (watched === depth) {
      watched -= 1;
      listener.closed(before + at - 1);
    }
    depth -= 1;
    state = after;
    return true;
  };

  const plainEnd = (from: number): number => {
    let end = plainRun(bytes, from, isWide ? endsWide : endsPlain);
    if (end < bytes.length && (bytes[end] as number) > 127) {
      isWide = true;
      end = plainRun(bytes, end, endsWide);
    }
    return end;
  };

  const beginText = (asKey: boolean): boolean => {
    isKey = asKey;
    const isWanted = asKey ? watched === depth : wantsText;
    if (!asKey) wantsText = false;
    tokenAt = isWanted ? at : -1;
    gathers = isWanted;
    hasEscapes = false;
    state = inText;
    return true;
  };
  /** `false` if the token is too long to matter. */
  const gather = (end: number): boolean => {
    if (!gathers) return true;
    const more = bytes.subarray(tokenAt, end);
    if ((gathered?.length ?? 0) + more.length > maxTokenBytes) return false;
    if (gathered === null) gathered = more;
    else {
      const both = new Uint8Array(gathered.length + more.length);
      both.set(gathered);
      both.set(more, gathered.length);
      gathered = both;
    }
    return true;
  };
  const endText = (): boolean => {
    const isTooLong = gathers && at - 1 - tokenAt > maxTokenBytes;
    if (gathered === null ? isTooLong : !gather(at - 1)) return false;
    state = isKey ? colon : after;
    if (!gathers) return true;
    const raw = gathered === null ? textBetween(bytes, tokenAt, at - 1) : textOf(gathered);
    gathered = null;
    gathers = false;
    const token = hasEscapes ? (JSON.parse(`"${raw}"`) as string) : raw;
    if (isKey) wantsText = listener.key(token, before + at);
    else listener.text(token);
    return true;
  };

  const beginValue = (c: number): boolean => {
    if (c === quote) return beginText(false);
    wantsText = false;
    if (c === openBrace) return open(1);
    if (c === openBracket) return open(0);
    if (c === 45 || isDigit(c)) {
      part = c === 45 ? minus : nextPart(minus, c);
      state = inNumber;
      return true;
    }
    word = literals.get(c) ?? "";
    wordAt = 1;
    state = inLiteral;
    return word !== "";
  };

  /** `at` is after the character. */
  const structural = (c: number): boolean => {
    switch (state) {
      case value:
        return beginValue(c);
      case firstElement:
        return c === closeBracket ? close(0) : beginValue(c);
      case firstKey:
        return c === quote ? beginText(true) : c === closeBrace && close(1);
      case nextKey:
        return c === quote && beginText(true);
      case colon:
        state = value;
        return c === 58;
      default:
        if (c !== 44) return c === closeBrace ? close(1) : c === closeBracket && close(0);
        if (watched === depth) listener.comma?.(before + at - 1);
        state = kinds[depth - 1] === 1 ? nextKey : value;
        return depth > 0;
    }
  };

  const skipText = (): boolean => {
    const end = plainEnd(at);
    at = escapesEnd(bytes, end);
    if (at > end) hasEscapes = true;
    if (at > end || at === bytes.length) return true;
    const c = bytes[at];
    at += 1;
    if (c === quote) return endText();
    hasEscapes = true;
    state = inEscape;
    return c === backslash;
  };
  const escape = (c: number): boolean => {
    hexLeft = 4;
    state = c === 117 ? inHex : inText;
    return c === 117 || plainEscapes[c] === 1;
  };
  const hex = (c: number): boolean => {
    hexLeft -= 1;
    if (hexLeft === 0) state = inText;
    return isHex(c);
  };
  const skipNumber = (): boolean => {
    for (; at < bytes.length; at += 1) {
      const next = nextPart(part, bytes[at] as number);
      if (next === -1) {
        state = after;
        return mayEnd(part);
      }
      part = next;
    }
    return true;
  };
  const literal = (c: number): boolean => {
    const isRight = c === word.charCodeAt(wordAt);
    wordAt += 1;
    if (wordAt === word.length) state = after;
    return isRight;
  };

  /** A faster path for unwatched values. */
  const skipUnwatched = (): boolean => {
    const here = bytes;
    const to = here.length;
    for (;;) {
      if (at >= to || depth <= watched) return true;
      if (state === after && here[at] === 44) {
        at += 1;
        state = kinds[depth - 1] === 1 ? nextKey : value;
      }
      const isKeyNext = state === nextKey || state === firstKey;
      if (here[at] !== quote || !(isKeyNext || state === value || state === firstElement)) {
        if (at < to && !step()) return false;
        continue;
      }
      const end = plainEnd(at + 1);
      if (end === to || here[end] !== quote) {
        if (!step()) return false;
        continue;
      }
      at = end + 1;
      state = isKeyNext ? colon : after;
      if (isKeyNext && at < to && here[at] === 58) {
        at += 1;
        state = value;
      }
    }
  };

  const step = (): boolean => {
    if (state === inText) return skipText();
    if (state === inNumber) return skipNumber();
    const c = bytes[at] as number;
    at += 1;
    if (state <= after) return isBlank(c) || structural(c);
    if (state === inEscape) return escape(c);
    return state === inHex ? hex(c) : literal(c);
  };

  return {
    push(more) {
      before += bytes.length;
      bytes = more;
      at = 0;
      if (gathers) tokenAt = 0;
      while (at < more.length) {
        if (depth > watched ? !skipUnwatched() : !step()) return false;
        if (watched > 0 && listener.isDone()) return true;
      }
      if (gathers && state >= inText && state <= inHex) {
        if (!gather(more.length)) return false;
        // Copied, since the caller may reuse the chunk.
        gathered = gathered?.slice() ?? null;
      }
      return !isWide || (utf8 ??= createUtf8Check()).takes(more);
    },
    end() {
      if (state === inNumber && mayEnd(part)) state = after;
      return depth === 0 && state === after && (utf8 === null || utf8.ends());
    },
  };
}
