/**
 * Streaming JSON scanner as strict as `JSON.parse` (RFC 8259) that reports only what its listener asks for. The
 * attack: a server's lenient parser accepts comments, `NaN`, or a second value, and may find another request there.
 */
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  endsAsciiRun,
  endsUnicodeRun,
  escapesEnd,
  hyphen,
  isBlank,
  isDigit,
  isHex,
  letterU,
  literals,
  isCompleteNumber,
  minus,
  nextNumberPart,
  openBrace,
  openBracket,
  plainEscapes,
  plainRun,
  quote,
} from "./grammar.ts";
import type { JsonListener, JsonScanner } from "./listener.ts";
import { createUtf8Check, textBetween, textOf } from "./utf8.ts";

// States between tokens.
const expectValue = 0;
const expectFirstElement = 1;
const expectFirstKey = 2;
const expectKey = 3;
const expectColon = 4;
const expectCommaOrEnd = 5;
// States within a token.
const inText = 6;
const inEscape = 7;
const inHex = 8;
const inNumber = 9;
const inLiteral = 10;

/** Each level takes one byte of memory. */
const maxDepth = 16 * 1024 * 1024;
/** Text with a longer wanted key or string is rejected, to bound memory. */
const maxTokenBytes = 4_096;

export function createJsonScanner(listener: JsonListener): JsonScanner {
  let bytes = new Uint8Array(new ArrayBuffer(0));
  let at = 0;
  /** number of bytes in earlier chunks */
  let bytesBefore = 0;
  let state = expectValue;
  let depth = 0;
  /** number of open values whose members the listener wants */
  let watched = 0;
  /** 1 for an object, 0 for an array */
  let kinds = new Uint8Array(64);
  let numberPart = minus;
  let literalText = "";
  let literalAt = 0;
  let hexLeft = 0;
  let isKey = false;
  let wantsText = false;
  /** start of the current token in this chunk, or -1 */
  let tokenAt = -1;
  let isCollecting = false;
  let collected: Uint8Array<ArrayBuffer> | null = null;
  let hasEscapes = false;
  let hasNonAscii = false;
  let utf8: ReturnType<typeof createUtf8Check> | null = null;

  const openContainer = (kind: number): boolean => {
    if (depth === maxDepth) return false;
    if (depth === kinds.length) {
      const grown = new Uint8Array(2 * depth);
      grown.set(kinds);
      kinds = grown;
    }
    kinds[depth] = kind;
    depth += 1;
    if (watched === depth - 1 && listener.opened(kind === 1 ? "object" : "array")) watched = depth;
    state = kind === 1 ? expectFirstKey : expectFirstElement;
    return true;
  };
  const closeContainer = (kind: number): boolean => {
    if (depth === 0 || kinds[depth - 1] !== kind) return false;
    if (watched === depth) {
      watched -= 1;
      listener.closed(bytesBefore + at - 1);
    }
    depth -= 1;
    state = expectCommaOrEnd;
    return true;
  };

  const endOfRun = (from: number): number => {
    let end = plainRun(bytes, from, hasNonAscii ? endsUnicodeRun : endsAsciiRun);
    if (end < bytes.length && (bytes[end] as number) > 127) {
      hasNonAscii = true;
      end = plainRun(bytes, end, endsUnicodeRun);
    }
    return end;
  };

  const beginText = (asKey: boolean): boolean => {
    isKey = asKey;
    const isWanted = asKey ? watched === depth : wantsText;
    if (!asKey) wantsText = false;
    tokenAt = isWanted ? at : -1;
    isCollecting = isWanted;
    hasEscapes = false;
    state = inText;
    return true;
  };
  /** @returns false if the token is too long */
  const collect = (end: number): boolean => {
    if (!isCollecting) return true;
    const more = bytes.subarray(tokenAt, end);
    if ((collected?.length ?? 0) + more.length > maxTokenBytes) return false;
    if (collected === null) collected = more;
    else {
      const both = new Uint8Array(collected.length + more.length);
      both.set(collected);
      both.set(more, collected.length);
      collected = both;
    }
    return true;
  };
  const endText = (): boolean => {
    const isTooLong = isCollecting && at - 1 - tokenAt > maxTokenBytes;
    if (collected === null ? isTooLong : !collect(at - 1)) return false;
    state = isKey ? expectColon : expectCommaOrEnd;
    if (!isCollecting) return true;
    const raw = collected === null ? textBetween(bytes, tokenAt, at - 1) : textOf(collected);
    collected = null;
    isCollecting = false;
    const token = hasEscapes ? (JSON.parse(`"${raw}"`) as string) : raw;
    if (isKey) wantsText = listener.key(token, bytesBefore + at);
    else listener.text(token);
    return true;
  };

  const beginValue = (c: number): boolean => {
    if (c === quote) return beginText(false);
    wantsText = false;
    if (c === openBrace) return openContainer(1);
    if (c === openBracket) return openContainer(0);
    if (c === hyphen || isDigit(c)) {
      numberPart = c === hyphen ? minus : nextNumberPart(minus, c);
      state = inNumber;
      return true;
    }
    literalText = literals.get(c) ?? "";
    literalAt = 1;
    state = inLiteral;
    return literalText !== "";
  };

  /** @param c the character before `at` */
  const readBetweenTokens = (c: number): boolean => {
    switch (state) {
      case expectValue:
        return beginValue(c);
      case expectFirstElement:
        return c === closeBracket ? closeContainer(0) : beginValue(c);
      case expectFirstKey:
        return c === quote ? beginText(true) : c === closeBrace && closeContainer(1);
      case expectKey:
        return c === quote && beginText(true);
      case expectColon:
        state = expectValue;
        return c === colon;
      default:
        if (c !== comma)
          return c === closeBrace ? closeContainer(1) : c === closeBracket && closeContainer(0);
        if (watched === depth) listener.comma?.(bytesBefore + at - 1);
        state = kinds[depth - 1] === 1 ? expectKey : expectValue;
        return depth > 0;
    }
  };

  const readText = (): boolean => {
    const end = endOfRun(at);
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
  const readEscape = (c: number): boolean => {
    hexLeft = 4;
    state = c === letterU ? inHex : inText;
    return c === letterU || plainEscapes[c] === 1;
  };
  const readHex = (c: number): boolean => {
    hexLeft -= 1;
    if (hexLeft === 0) state = inText;
    return isHex(c);
  };
  const readNumber = (): boolean => {
    for (; at < bytes.length; at += 1) {
      const next = nextNumberPart(numberPart, bytes[at] as number);
      if (next === -1) {
        state = expectCommaOrEnd;
        return isCompleteNumber(numberPart);
      }
      numberPart = next;
    }
    return true;
  };
  const readLiteral = (c: number): boolean => {
    const isRight = c === literalText.charCodeAt(literalAt);
    literalAt += 1;
    if (literalAt === literalText.length) state = expectCommaOrEnd;
    return isRight;
  };

  /** A faster path through values that the listener doesn't want. */
  const skipUnwatched = (): boolean => {
    const here = bytes;
    const to = here.length;
    for (;;) {
      if (at >= to || depth <= watched) return true;
      if (state === expectCommaOrEnd && here[at] === comma) {
        at += 1;
        state = kinds[depth - 1] === 1 ? expectKey : expectValue;
      }
      const isKeyNext = state === expectKey || state === expectFirstKey;
      if (
        here[at] !== quote ||
        !(isKeyNext || state === expectValue || state === expectFirstElement)
      ) {
        if (at < to && !step()) return false;
        continue;
      }
      const end = endOfRun(at + 1);
      if (end === to || here[end] !== quote) {
        if (!step()) return false;
        continue;
      }
      at = end + 1;
      state = isKeyNext ? expectColon : expectCommaOrEnd;
      if (isKeyNext && at < to && here[at] === colon) {
        at += 1;
        state = expectValue;
      }
    }
  };

  const step = (): boolean => {
    if (state === inText) return readText();
    if (state === inNumber) return readNumber();
    const c = bytes[at] as number;
    at += 1;
    if (state <= expectCommaOrEnd) return isBlank(c) || readBetweenTokens(c);
    if (state === inEscape) return readEscape(c);
    return state === inHex ? readHex(c) : readLiteral(c);
  };

  return {
    push(more) {
      bytesBefore += bytes.length;
      bytes = more;
      at = 0;
      if (isCollecting) tokenAt = 0;
      while (at < more.length) {
        if (depth > watched ? !skipUnwatched() : !step()) return false;
        if (watched > 0 && listener.isDone()) return true;
      }
      if (isCollecting && state >= inText && state <= inHex) {
        if (!collect(more.length)) return false;
        // Copied, since the caller may reuse the chunk.
        collected = collected?.slice() ?? null;
      }
      return !hasNonAscii || (utf8 ??= createUtf8Check()).takes(more);
    },
    end() {
      if (state === inNumber && isCompleteNumber(numberPart)) state = expectCommaOrEnd;
      return depth === 0 && state === expectCommaOrEnd && (utf8 === null || utf8.ends());
    },
  };
}
