/** A fault in the buffered part becomes a refusal; a later one truncates the body, so that no parser accepts it. */
import type { AnswerReader, UpstreamAnswer } from "../domain/ports/upstream.ts";
import { concatenated } from "../domain/bytes.ts";
import {
  createMessageReader,
  faultIn,
  type Fault,
  type MessageReader,
} from "../mcp/json-text/message-reader.ts";
import type { ServerSender } from "../mcp/sse/event-data.ts";
import { declaredBytes } from "../mcp/body.ts";

/** Bytes buffered of a body that may pass while it arrives, and ms to wait for its rest. */
const heldBytes = 64 * 1024;
const heldMs = 50;
const decoder = new TextDecoder();

type Bytes = Uint8Array<ArrayBuffer>;
type Reader = AnswerReader;
type Next = Awaited<ReturnType<Reader["read"]>>;

export type JsonBody =
  | { kind: "whole"; bytes: Bytes }
  | { kind: "parts"; body: ReadableStream<Bytes> }
  | { kind: "unreadable"; fault: Fault }
  | { kind: "broken" | "too_large" };

const withoutMark = (bytes: Bytes): Bytes =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

function rest(options: {
  first: readonly Bytes[];
  pending: Promise<Next>;
  reader: Reader;
  message: MessageReader;
  unreadable: (fault: Fault) => void;
}): ReadableStream<Bytes> {
  const { first, reader, message, unreadable } = options;
  let pending: Promise<Next> | null = options.pending;
  return new ReadableStream<Bytes>({
    start(controller) {
      for (const chunk of first) controller.enqueue(chunk);
    },
    async pull(controller) {
      const next = await (pending ?? reader.read());
      pending = null;
      const fault = next.done ? message.end() : message.push(next.value);
      if (fault !== null) {
        unreadable(fault);
        controller.error(new Error("The server's answer is unreadable."));
        await reader.cancel();
      } else if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

interface Reading {
  mayPass: (head: string) => boolean;
  maxBytes: number;
  sender: ServerSender;
  unreadable: (fault: Fault) => void;
}

export async function readJsonBody(response: UpstreamAnswer, reading: Reading): Promise<JsonBody> {
  if ((declaredBytes(response) ?? Infinity) <= heldBytes) {
    const read = await response.arrayBuffer().catch(() => null);
    if (read === null) return { kind: "broken" };
    const bytes = new Uint8Array(read);
    return wholeOf(bytes, bytes.byteLength === 0 ? null : faultIn(bytes, reading.sender));
  }
  const reader = response.body?.getReader();
  if (reader === undefined) return { kind: "whole", bytes: new Uint8Array(0) };
  const late = deadlineAfter(heldMs);
  try {
    return await readArriving(reader, reading, late);
  } finally {
    late.stop();
  }
}

const wholeOf = (bytes: Bytes, fault: Fault | null): JsonBody =>
  fault === null ? { kind: "whole", bytes } : { kind: "unreadable", fault };

interface Deadline {
  isPast: () => boolean;
  past: Promise<null>;
  stop: () => void;
}

function deadlineAfter(ms: number): Deadline {
  const { promise, resolve } = Promise.withResolvers<null>();
  let isPast = false;
  const timer = setTimeout(() => {
    isPast = true;
    resolve(null);
  }, ms);
  return { isPast: () => isPast, past: promise, stop: () => clearTimeout(timer) };
}

/** Reads a body of unknown length whole if it is small and arrives in time. */
async function readArriving(
  reader: Reader,
  { mayPass, maxBytes, sender, unreadable }: Reading,
  late: Deadline,
): Promise<JsonBody> {
  const message = createMessageReader(sender);
  const chunks: Bytes[] = [];
  let size = 0;
  let isHarmless = false;
  const onwards = (pending: Promise<Next>): JsonBody => {
    pending.catch(() => undefined);
    return { kind: "parts", body: rest({ first: chunks, pending, reader, message, unreadable }) };
  };
  for (;;) {
    const pending = reader.read();
    if (isHarmless && (late.isPast() || size > heldBytes)) return onwards(pending);
    const next = await (isHarmless ? Promise.race([pending, late.past]) : pending).catch(
      () => "broken" as const,
    );
    if (next === "broken") return { kind: "broken" };
    if (next === null) return onwards(pending);
    if (next.done) return wholeOf(concatenated(chunks), size === 0 ? null : message.end());
    const { value } = next;
    if (chunks.length === 0) isHarmless = mayPass(decoder.decode(value.subarray(0, 1_024)));
    const fault = message.push(chunks.length === 0 ? withoutMark(value) : value);
    chunks.push(value);
    size += value.byteLength;
    if (fault === null && (isHarmless || size <= maxBytes)) continue;
    await reader.cancel();
    return fault === null ? { kind: "too_large" } : { kind: "unreadable", fault };
  }
}
