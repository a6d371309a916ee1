/**
 * Splits a stream of server-sent events without changing a byte. Events that may be for the router are returned
 * whole; all others pass while they arrive. Source: WHATWG HTML, "Server-sent events", 9.2.5 and 9.2.6.
 */
import { blockOf, fieldOf as fieldAt, remainsOf, type Line } from "./event-block.ts";
import { hasOddLineEnds, type EventReader } from "./event-data.ts";
import type { Fault } from "../json-text/message-reader.ts";
import type { Segment } from "./segment.ts";

const lf = 10;
const cr = 13;
const encoder = new TextEncoder();
const none = new Uint8Array(new ArrayBuffer(0));
const headBytes = 1_024;
/** Each line costs far more memory than its two bytes. */
const maxLines = 65_536;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function createEventSplitter(options: {
  /** held bytes of one event */
  maxEventBytes: number;
  /** fast check: `false` only if certainly not for the router */
  mayNeedRouter: (data: string) => boolean;
  /** fast check of the start: `true` only if certainly not for the router */
  surelyHarmless: (head: string, tooLarge: boolean) => boolean;
  /** reads an event as other parsers may */
  read?: ((isFirst: boolean) => EventReader) | undefined;
}) {
  const { maxEventBytes, mayNeedRouter, surelyHarmless, read } = options;
  let held = new Uint8Array(new ArrayBuffer(0));
  let length = 0;
  /** `held` is not a chunk of the stream */
  let owned = true;
  let lines: Line[] = [];
  let lineStart = 0;
  let searchedTo = 0;
  /** `hold`: undecided; `pass`: not for the router; `discard`: too large to know */
  let mode: "hold" | "pass" | "discard" = "hold";
  /** of the passing event */
  let reader: EventReader | null = null;
  /** part of the event has been output */
  let hasGone = false;
  /** a line whose start has been output */
  let openLine = false;
  let afterCr = false;
  let firstBlock = true;
  let idSeen = false;
  let headSeen = false;
  let dataless = 0;

  const fieldOf = (line: Line): { name: string; value: number } => {
    const { start } = line;
    // The first line may start with a byte order mark.
    const marked = firstBlock && (lines[0] === line || lines.length === 0) && held[start] === 0xef;
    const from = marked ? start + 3 : start;
    return fieldAt(held, line, from);
  };

  const begin = (isFirst: boolean): EventReader | null => read?.(isFirst) ?? null;
  const faultIn = (bytes: Uint8Array<ArrayBuffer>, isFirst: boolean): Fault | null => {
    const whole = begin(isFirst);
    return whole?.push(bytes) ?? whole?.end() ?? null;
  };

  const finishBlock = (end: number): Segment => {
    const start = lines[0]?.start ?? lineStart;
    const bytes = held.slice(start, end);
    const fields = lines.map((line) => ({ ...line, ...fieldOf(line) }));
    const isFirst = firstBlock;
    firstBlock = false;
    idSeen ||= fields.some(({ name }) => name === "id");
    const block = blockOf(held, fields);
    const { data, id, withData } = block;
    const fault = faultIn(bytes, isFirst);
    if (fault !== null) {
      const left = remainsOf(block);
      const whole = { data: data ?? "", withData: left.withData };
      return { kind: "unreadable", fault, bytes: left.rest, whole };
    }
    // Some clients ignore types, so events of all types are read.
    const isMessage = block.type === "" || read !== undefined;
    if (data === null || !isMessage || !mayNeedRouter(data)) return { kind: "bytes", bytes };
    return { kind: "event", bytes, data, id, rest: block.rest, withData };
  };

  const passed = (bytes: Uint8Array<ArrayBuffer>, part: { isLast: boolean; wasOpen: boolean }) => {
    const fault = reader?.push(bytes) ?? (part.isLast ? reader?.end() : null) ?? null;
    if (fault === null) {
      hasGone = true;
      return { kind: "bytes", bytes } as const;
    }
    mode = "discard";
    // Retypes the event so that it is ignored; its data is invalid JSON anyway.
    const ending = encoder.encode(`${part.wasOpen ? "\n" : ""}event: unreadable\n\n`);
    return { kind: "unreadable", fault, bytes: hasGone ? ending : none, whole: null } as const;
  };

  const comment = (bytes: Uint8Array<ArrayBuffer>): Segment =>
    read !== undefined && hasOddLineEnds(bytes)
      ? { kind: "unreadable", fault: { kind: "malformed" }, bytes: none, whole: null }
      : { kind: "bytes", bytes };

  const append = (chunk: Uint8Array<ArrayBuffer>): void => {
    if (length === 0) {
      held = chunk;
      owned = false;
      length = chunk.byteLength;
      return;
    }
    if (length + chunk.byteLength > held.byteLength) {
      const grown = new Uint8Array(Math.max(4_096, 2 * (length + chunk.byteLength)));
      grown.set(held.subarray(0, length));
      held = grown;
      owned = true;
    }
    held.set(chunk, length);
    length += chunk.byteLength;
  };

  const restart = (at: number): void => {
    lines = [];
    lineStart = at;
    mode = "hold";
    reader = null;
    hasGone = false;
    openLine = false;
    headSeen = false;
    dataless = 0;
  };

  const drop = (at: number): void => {
    if (at === 0 && owned) return;
    // Copied, since the caller owns the chunk.
    held = held.slice(at, length);
    owned = true;
    length -= at;
    lineStart = Math.max(0, lineStart - at);
    searchedTo = Math.max(0, searchedTo - at);
    lines = lines.map(({ start, end, next }) => ({
      start: start - at,
      end: end - at,
      next: next - at,
    }));
  };

  const decideEarly = (out: Segment[]): void => {
    if (mode !== "hold") return;
    const start = lines[0]?.start ?? lineStart;
    const tooLarge = length - start > maxEventBytes || lines.length > maxLines;
    if (headSeen && !tooLarge) return;
    const isData = (line: Line): boolean => fieldOf(line).name === "data";
    let first = lines[dataless];
    // Checks each line once.
    for (; first !== undefined && !isData(first); first = lines[dataless]) dataless += 1;
    const current = { start: lineStart, end: length, next: length };
    if (first === undefined && isData(current)) first = current;
    let head = "";
    if (first !== undefined) {
      const { value } = fieldOf(first);
      head = decoder.decode(held.subarray(value, Math.min(first.end, value + headBytes)));
      headSeen = first.end - value >= headBytes || first !== current;
      if (surelyHarmless(head, tooLarge)) {
        mode = "pass";
        reader = begin(firstBlock);
      }
    }
    if (mode === "hold" && tooLarge) {
      mode = "discard";
      out.push({ kind: "oversized", head });
    }
    if (mode !== "hold") idSeen ||= lines.some((line) => fieldOf(line).name === "id");
  };

  /** A line feed after a chunk ending in a carriage return. */
  const joinLineFeed = (view: Uint8Array<ArrayBuffer>): void => {
    if (!afterCr) return;
    afterCr = false;
    if (view[searchedTo] !== lf) return;
    const last = lines.at(-1);
    searchedTo += 1;
    lineStart = searchedTo;
    if (last !== undefined && mode === "hold") last.next = searchedTo;
  };

  /** Outputs what may pass of the current event. Returns where the held part starts. */
  const release = (
    view: Uint8Array<ArrayBuffer>,
    out: Segment[],
    { kept, wasOpen }: { kept: number; wasOpen: boolean },
  ): number => {
    const comments = lines.findIndex((line) => fieldOf(line).name !== ":");
    const flushed =
      mode === "hold" ? lines.splice(0, comments === -1 ? lines.length : comments) : [];
    firstBlock &&= flushed.length === 0;
    dataless = Math.max(0, dataless - flushed.length);
    const heldFrom = mode === "hold" ? (lines[0]?.start ?? lineStart) : length;
    if (heldFrom > kept && mode === "pass")
      out.push(passed(view.slice(kept, heldFrom), { isLast: false, wasOpen }));
    else if (heldFrom > kept && mode === "hold") out.push(comment(view.slice(kept, heldFrom)));
    if (mode !== "hold") {
      openLine ||= length > lineStart;
      lines = [];
      lineStart = length;
    }
    return heldFrom;
  };

  const push = (chunk: Uint8Array<ArrayBuffer>): Segment[] => {
    const out: Segment[] = [];
    if (chunk.byteLength === 0) return out;
    append(chunk);
    const wasOpen = openLine;
    /** start of the remaining output */
    let kept = 0;
    const view = held.subarray(0, length);
    joinLineFeed(view);
    let nextLf = -1;
    let nextCr = -1;
    const find = (byte: number, known: number, from: number): number => {
      if (known >= from) return known;
      const at = view.indexOf(byte, from);
      return at === -1 ? Infinity : at;
    };
    for (;;) {
      nextLf = find(lf, nextLf, searchedTo);
      nextCr = find(cr, nextCr, searchedTo);
      const end = Math.min(nextLf, nextCr);
      if (end === Infinity) break;
      const next = end === nextCr && nextLf === end + 1 ? end + 2 : end + 1;
      afterCr = end === nextCr && next === length && next === end + 1;
      const blank = end === lineStart && !openLine;
      if (!blank) {
        if (mode === "hold") lines.push({ start: lineStart, end, next });
        openLine = false;
        lineStart = next;
        searchedTo = next;
        continue;
      }
      if (mode === "hold") {
        const start = lines[0]?.start ?? lineStart;
        if (start > kept) out.push({ kind: "bytes", bytes: view.slice(kept, start) });
        out.push(finishBlock(next));
      } else if (mode === "pass")
        out.push(passed(view.slice(kept, next), { isLast: true, wasOpen }));
      kept = next;
      searchedTo = next;
      restart(next);
    }
    searchedTo = length;
    decideEarly(out);
    const heldFrom = release(view, out, { kept, wasOpen });
    drop(heldFrom);
    return out;
  };

  return {
    push,
    /** The rest isn't an event, but some clients read it as one. */
    end(): Segment[] {
      if (mode === "pass" && read !== undefined)
        return [passed(none, { isLast: true, wasOpen: openLine })];
      if (mode !== "hold" || length === 0) return [];
      if (read === undefined) return [{ kind: "bytes", bytes: held.slice(0, length) }];
      if (length > lineStart) lines.push({ start: lineStart, end: length, next: length });
      return [finishBlock(length)];
    },
    /** Whether a client could resume. */
    hasIds: (): boolean => idSeen,
    /** Whether a comment may be inserted. */
    isBetweenEvents: (): boolean => mode === "hold",
  };
}
