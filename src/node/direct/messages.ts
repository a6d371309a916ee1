/**
 * Handles sampling calls and proxied messages without `Request` and `Response` objects. Unusual requests go to the adapter, which
 * gives the same answers, possibly in other chunks.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodySink, ClientBody, PlainAnswer } from "../../domain/ports/client-answer.ts";
import type { ClientMessage } from "../../domain/ports/client-message.ts";
import type { MessageHeaders } from "../../domain/servers/message-headers.ts";

/** A larger body is read only for callers whose key is known, which asks for the body as a stream. */
const maxBytes = 64 * 1024;
/** Bytes of one step that go out as one piece. */
const maxBatchBytes = 16 * 1024;
/** Hosts that the adapter accepts without further checks. */
const plainHost = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;
/** Browsers' requests, and bodies that need decoding. */
const unusual = ["origin", "content-encoding", "transfer-encoding", "expect", "upgrade"];

/** `null` if a header is repeated: the adapter joins those. */
function headersIn({ rawHeaders }: IncomingMessage): Map<string, string> | null {
  const headers = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.set((rawHeaders[at] ?? "").toLowerCase(), rawHeaders[at + 1] ?? "");
  return headers.size * 2 === rawHeaders.length ? headers : null;
}

/** In the order in which `Headers` gives them. */
const inOrder = (headers: ReadonlyMap<string, string>): [string, string][] =>
  [...headers].toSorted(([one], [other]) => (one < other ? -1 : 1));

function messageHeaders(headers: ReadonlyMap<string, string>): MessageHeaders {
  return {
    get: (name) => headers.get(name.toLowerCase()) ?? null,
    has: (name) => headers.has(name.toLowerCase()),
    forEach(act) {
      for (const [name, value] of inOrder(headers)) act(value, name);
    },
    [Symbol.iterator]: () => inOrder(headers).values(),
  };
}

/** Empty if the sender disconnects early. */
function bodyOf(incoming: IncomingMessage, bytes: number): Promise<ArrayBuffer> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    const whole = (): void => {
      const all = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
      resolve(new Uint8Array(all).buffer);
    };
    incoming.on("data", (part: Buffer) => {
      parts.push(part);
      size += part.byteLength;
      if (size === bytes) whole();
    });
    if (bytes === 0) whole();
    incoming.once("close", () => resolve(new ArrayBuffer(0)));
  });
}

/** null: left to the adapter */
export function directMessage(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): ClientMessage | null {
  if (incoming.method !== "POST") return null;
  const headers = headersIn(incoming);
  if (headers === null || unusual.some((name) => headers.has(name))) return null;
  const length = headers.get("content-length") ?? "";
  if (!/^\d{1,5}$/.test(length) || Number(length) > maxBytes) return null;
  if (!plainHost.test(headers.get("host") ?? "")) return null;
  const leaving = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) leaving.abort();
  });
  return {
    method: "POST",
    headers: messageHeaders(headers),
    signal: leaving.signal,
    // Asked for where a length is unknown, or large.
    body: null,
    arrayBuffer: () => bodyOf(incoming, Number(length)),
  };
}

const sorted = (fields: Record<string, string>): Record<string, string> => {
  const head: Record<string, string> = {};
  for (const name of Object.keys(fields).toSorted()) head[name] = fields[name] ?? "";
  return head;
};

/**
 * The first piece is often there when a head is, and each write to a connection is a call of the system. So the head and
 * what is written in its step go out together, as one piece. A whole turn of the loop would keep them from their client longer.
 */
function pipeInto(outgoing: ServerResponse, body: ClientBody): void {
  let isOver = false;
  const over = (): void => void (isOver = true);
  /** what the first step wrote; null: that has gone out */
  let first: Uint8Array[] | null = [];
  let size = 0;
  /** False: the client has to read first. */
  const release = (): boolean => {
    const [only, ...more] = first ?? [];
    first = null;
    if (only === undefined) return true;
    return outgoing.write(more.length === 0 ? only : Buffer.concat([only, ...more]));
  };
  process.nextTick(() => {
    if (first === null) return;
    if (first.length === 0) outgoing.flushHeaders();
    release();
  });
  const sink: BodySink = {
    write(bytes) {
      if (first === null) return outgoing.write(bytes);
      first.push(bytes);
      size += bytes.byteLength;
      return size < maxBatchBytes || release();
    },
    end() {
      over();
      release();
      outgoing.end();
    },
    fail(reason) {
      over();
      first = null;
      outgoing.destroy(reason instanceof Error ? reason : new Error(String(reason)));
    },
  };
  const piping = body.pipe(sink);
  outgoing.on("drain", piping.resume);
  const leave = (): void => {
    if (!isOver) piping.cancel();
    over();
  };
  outgoing.once("close", leave);
  if (outgoing.destroyed) leave();
}

export function writePlain(
  outgoing: ServerResponse,
  { status, fields, content }: PlainAnswer,
): void {
  const head = sorted(fields);
  // A client that has left is noticed by the end of its connection, and what is written meanwhile goes nowhere.
  outgoing.on("error", () => {});
  if (content === null) return void outgoing.writeHead(status, head).end();
  if (typeof content === "string" || content instanceof Uint8Array) {
    head["content-length"] = String(Buffer.byteLength(content));
    return void outgoing.writeHead(status, head).end(content);
  }
  outgoing.writeHead(status, head);
  pipeInto(outgoing, content);
}
