/** Whole server-sent events of a stream of bytes, unchanged. */
import { concatenated } from "../domain/bytes.ts";
import { answerTooLarge } from "./faults.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes of one event. The longest is the last one of Responses, which holds the whole answer. */
const maxEventBytes = 8 * 1024 * 1024;
const [lf, cr] = [10, 13];

/** After the last blank line, or 0. @param at the byte at a position, which may precede these bytes */
function wholeUntil(bytes: Bytes, at: (position: number) => number): number {
  for (let end = bytes.lastIndexOf(lf); end !== -1; end = bytes.lastIndexOf(lf, end - 1)) {
    const before = at(end - 1) === cr ? at(end - 2) : at(end - 1);
    if (before === lf) return end + 1;
    if (end === 0) return 0;
  }
  return 0;
}

/** @returns a function that takes a piece and returns the events that are whole by now; null: none is */
export function createEventBytes(): (piece: Bytes) => Bytes | null {
  let pending: Bytes[] = [];
  let size = 0;
  /** the last bytes of what is pending */
  let tail: number[] = [];
  return (piece) => {
    const at = (position: number): number =>
      (position >= 0 ? piece[position] : tail[tail.length + position]) ?? 0;
    const end = wholeUntil(piece, at);
    const rest = piece.subarray(end);
    const whole = end === 0 ? null : concatenatedWith(pending, piece.subarray(0, end));
    if (whole !== null) [pending, size] = [[], 0];
    if (rest.byteLength > 0) pending.push(rest);
    size += rest.byteLength;
    if (size > maxEventBytes) throw answerTooLarge("text");
    tail = [...tail, ...piece.subarray(-2)].slice(-2);
    return whole;
  };
}

const concatenatedWith = (pending: readonly Bytes[], last: Bytes): Bytes =>
  pending.length === 0 ? last : concatenated([...pending, last]);

/** The events of a text, each including its blank line. */
export function eventsIn(text: string): string[] {
  const events: string[] = [];
  let start = 0;
  for (const { index, 0: blank } of text.matchAll(/\r?\n\r?\n/g)) {
    events.push(text.slice(start, index + blank.length));
    start = index + blank.length;
  }
  return events;
}

const oneLine = /^data:[^\r\n]*\n\n$/;

/** The data of an event; null: it is a comment. */
export function dataOf(event: string): string | null {
  // Most events are one line.
  if (oneLine.test(event)) return event.slice(event[5] === " " ? 6 : 5, -2);
  let data: string | null = null;
  for (const line of event.split(/\r?\n/)) {
    if (!line.startsWith("data:")) continue;
    const value = line.slice(line[5] === " " ? 6 : 5);
    data = data === null ? value : `${data}\n${value}`;
  }
  return data;
}
