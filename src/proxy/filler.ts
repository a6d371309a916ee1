/**
 * Bytes without meaning, for a body that stands still. The Workers runtime notices that a client has left when
 * it writes, and not before: nothing else finds a client that ends its connection properly.
 */
type Bytes = Uint8Array<ArrayBuffer>;

export type BodyKind = "events" | "json";

export interface Filler {
  /** Notes the bytes that go out. */
  passed(bytes: Bytes): void;
  /** Bytes that may go out now; null: the last byte stands within a line, a text or a number. */
  next(): Bytes | null;
}

const encoder = new TextEncoder();
const [lineFeed, quote, backslash] = [0x0a, 0x22, 0x5c];

/** A comment in a stream, which ends no event that has begun (HTML, 9.2.6). */
const comment = encoder.encode(": keep-alive\n");
/** JSON takes blanks between its tokens (RFC 8259, section 2). */
const blank = encoder.encode(" ");

function createEventFiller(): Filler {
  let last = lineFeed;
  return {
    passed: (bytes) => void (last = bytes.at(-1) ?? last),
    // Not after a carriage return: a line feed may follow, and both are one line end.
    next: () => (last === lineFeed ? comment : null),
  };
}

const betweenTokens: ReadonlySet<number> = new Set(encoder.encode('{}[],:" \t\r\n'));

function createJsonFiller(): Filler {
  let last = 0x20;
  let inText = false;
  /** backslashes at the end of what has passed, which say whether the next byte is escaped */
  let backslashes = 0;

  /** How many backslashes stand right before a place. */
  const before = (bytes: Bytes, at: number): number => {
    let from = at;
    while (from > 0 && bytes[from - 1] === backslash) from -= 1;
    return at - from + (from === 0 ? backslashes : 0);
  };
  return {
    passed(bytes) {
      // Goes from quote to quote, since a text may be megabytes long.
      for (let at = bytes.indexOf(quote); at >= 0; at = bytes.indexOf(quote, at + 1))
        if (!inText || before(bytes, at) % 2 === 0) inText = !inText;
      backslashes = before(bytes, bytes.byteLength);
      last = bytes.at(-1) ?? last;
    },
    next: () => (!inText && betweenTokens.has(last) ? blank : null),
  };
}

export const createFiller = (kind: BodyKind): Filler =>
  kind === "events" ? createEventFiller() : createJsonFiller();
