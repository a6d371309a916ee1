/** Meaningless bytes for a stalled body. The Workers runtime notices only by writing that a client has closed its connection. */
type Bytes = Uint8Array<ArrayBuffer>;

export type BodyKind = "events" | "json";

export interface Filler {
  passed(bytes: Bytes): void;
  /** Bytes that may be sent now; null: the last byte is within a line, a string or a number. */
  next(): Bytes | null;
}

const encoder = new TextEncoder();
const [lineFeed, quote, backslash] = [0x0a, 0x22, 0x5c];

/** Ends no event (HTML, 9.2.6). */
const comment = encoder.encode(": keep-alive\n");
/** Allowed between tokens (RFC 8259, section 2). */
const blank = encoder.encode(" ");

function createEventFiller(): Filler {
  let last = lineFeed;
  return {
    passed: (bytes) => void (last = bytes.at(-1) ?? last),
    // Not after a carriage return, which a line feed may follow as one line end.
    next: () => (last === lineFeed ? comment : null),
  };
}

const betweenTokens: ReadonlySet<number> = new Set(encoder.encode('{}[],:" \t\r\n'));

function createJsonFiller(): Filler {
  let last = 0x20;
  let inText = false;
  /** trailing backslashes, which decide whether the next byte is escaped */
  let backslashes = 0;

  const before = (bytes: Bytes, at: number): number => {
    let from = at;
    while (from > 0 && bytes[from - 1] === backslash) from -= 1;
    return at - from + (from === 0 ? backslashes : 0);
  };
  return {
    passed(bytes) {
      // Skips from quote to quote, because a string may have megabytes.
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
