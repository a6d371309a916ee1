/**
 * Streams the data lines of an event into one message. Rejects unusual line ends elsewhere: older Python
 * clients split at U+2028 and others, and would find an event in a comment. Source: WHATWG HTML, "Server-sent
 * events", 9.2.6.
 */
import { createMessageReader, type Fault, type Sender } from "../json-text/message-reader.ts";

export type ServerSender = Extract<Sender, "server" | "roundless">;

export interface EventReader {
  push(bytes: Uint8Array<ArrayBuffer>): Fault | null;
  end(): Fault | null;
  answers(): number;
}

const lf = 10;
const cr = 13;
const colon = 58;
const space = 32;
const brace = 123;
const name = [...new TextEncoder().encode("data")];
const lineFeed = Uint8Array.of(lf);
const malformed: Fault = { kind: "malformed" };

/** VT, FF, FS, GS, RS, NEL, LS, and PS, also across chunks. */
function createOddLineEnds(): (byte: number) => boolean {
  let before = 0;
  let last = 0;
  return (byte) => {
    const isOdd =
      byte === 0x0b ||
      byte === 0x0c ||
      (byte >= 0x1c && byte <= 0x1e) ||
      (last === 0xc2 && byte === 0x85) ||
      (before === 0xe2 && last === 0x80 && (byte === 0xa8 || byte === 0xa9));
    before = last;
    last = byte;
    return isOdd;
  };
}

export function hasOddLineEnds(bytes: Uint8Array<ArrayBuffer>): boolean {
  const isOdd = createOddLineEnds();
  return bytes.some((byte) => isOdd(byte));
}

/** @param isFirst the stream's first event, which may have a byte order mark */
export function createEventReader(isFirst: boolean, sender: ServerSender = "server"): EventReader {
  const message = createMessageReader(sender);
  const isOdd = createOddLineEnds();
  /** matched letters of `data:`; 6 in the value; -1 in other lines */
  let matched = 0;
  let afterCr = false;
  let lines = 0;
  let hasBrace = false;
  let fault: Fault | null = null;
  let odd: Fault | null = null;
  let mayBeMarked = isFirst;

  /** Without a brace, data isn't a message in any JSON dialect. */
  const found = (): Fault | null =>
    odd ?? (fault?.kind === "malformed" && !hasBrace ? null : fault);

  const take = (bytes: Uint8Array<ArrayBuffer>): void => {
    hasBrace ||= bytes.includes(brace);
    fault ??= message.push(bytes);
  };
  const beginData = (): void => {
    if (lines > 0) take(lineFeed);
    lines += 1;
    matched = 6;
  };
  const endLine = (byte: number): void => {
    // A bare name means empty data.
    if (matched === name.length) beginData();
    matched = 0;
    afterCr = byte === cr;
  };
  const other = (byte: number): void => {
    if (isOdd(byte)) odd ??= malformed;
    if (byte === lf || byte === cr) {
      if (!(byte === lf && afterCr && matched === 0)) endLine(byte);
      else afterCr = false;
      return;
    }
    afterCr = false;
    if (matched === name.length && byte === colon) matched = 5;
    else matched = matched !== -1 && byte === name[matched] ? matched + 1 : -1;
  };

  return {
    push(more) {
      const isMarked = mayBeMarked && more[0] === 0xef && more[1] === 0xbb && more[2] === 0xbf;
      const bytes = isMarked ? more.subarray(3) : more;
      mayBeMarked = false;
      let nextCr = -1;
      for (let at = 0; at < bytes.length && found() === null;) {
        if (matched === 5) {
          beginData();
          if (bytes[at] === space) at += 1;
        } else if (matched === 6) {
          const nextLf = bytes.indexOf(lf, at);
          if (nextCr < at) nextCr = bytes.indexOf(cr, at);
          if (nextCr === -1) nextCr = Infinity;
          const end = Math.min(nextLf === -1 ? bytes.length : nextLf, nextCr, bytes.length);
          if (end > at) take(bytes.subarray(at, end));
          at = end + 1;
          if (end < bytes.length) endLine(bytes[end] as number);
        } else {
          other(bytes[at] as number);
          at += 1;
        }
      }
      return found();
    },
    end() {
      if (matched === 5) beginData();
      if (lines > 0) fault ??= message.end();
      return found();
    },
    answers: message.answers,
  };
}
