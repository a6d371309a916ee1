/**
 * A server's answer on its way to the client, without what the router intercepted. Streams stay
 * streams: nothing is held beyond one event, and a comment now and then keeps the client's
 * connection open while the router samples.
 */
import {
  plainAnswer,
  type ClientAnswer,
  type PlainAnswer,
} from "../../domain/ports/client-answer.ts";
import type { AnswerReader, UpstreamAnswer } from "../../domain/ports/upstream.ts";
import { returnedHeaders } from "../../domain/servers/proxied-headers.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import { surelyHarmless, startsResponse } from "../message-head.ts";
import {
  createClientStream,
  type ClientStream,
  type StreamOwner,
} from "../../mcp/sse/client-stream.ts";
import { createEventSplitter } from "../../mcp/sse/event-splitter.ts";
import type { Segment } from "../../mcp/sse/segment.ts";
import { sseMessage } from "../../mcp/sse/write.ts";
import { maxBodyBytes } from "../../mcp/body.ts";
import { streamedHeaders } from "../media-type.ts";
import { readJsonBody } from "../json-body.ts";
import { unreadableAnswer, type Losses } from "../losses.ts";
import type { Interceptor } from "./sampling-interceptor.ts";

/**
 * A server that isn't told that a client has left would answer the client's next stream with 409. So a stream gets
 * a comment after so many silent seconds, by which the runtime notices…
 */
const silentTicks = 4;
/** …and sooner while the router samples: that is when clients and proxies wait in vain. */
const samplingTicks = 2;
/** Whoever reads a JSON body reads past its byte order mark. */
const decoder = new TextDecoder();

type Bytes = Uint8Array<ArrayBuffer>;

const nothing: Bytes = new Uint8Array(0);

export interface Relaying {
  /** null: nothing is intercepted */
  interceptor: Interceptor | null;
  /** what is dropped of the stream; null: nothing is read */
  losses: Losses | null;
  /** The stream is over, whoever ended it. */
  ended: () => void;
  owner: StreamOwner | null;
  /** The message that ends the client's request when the server's stream breaks; null: it can resume. */
  broken: () => Record<string, unknown> | null;
}

/** What the client gets of one segment; empty: nothing. */
async function partFor(
  segment: Segment,
  { interceptor, losses }: Pick<Relaying, "interceptor" | "losses">,
): Promise<Bytes> {
  if (segment.kind === "oversized") {
    interceptor?.refuseOversized(segment.head, maxBodyBytes);
    return nothing;
  }
  if (segment.kind === "unreadable" && losses !== null) return losses.replace(segment);
  if (segment.kind !== "event" || interceptor === null) return segment.bytes;
  const intercepted = await interceptor.intercept(segment.data, segment.id);
  if (intercepted.kind === "intercepted") return segment.rest;
  return intercepted.kind === "changed" ? segment.withData(intercepted.text) : segment.bytes;
}

interface Copying {
  stream: ClientStream;
  splitter: ReturnType<typeof createEventSplitter>;
  relaying: Relaying;
}

/** A server's stream, event by event, until it ends or its client has left. */
async function copyEvents(
  reader: AnswerReader | undefined,
  { stream, splitter, relaying }: Copying,
): Promise<void> {
  const { losses, broken } = relaying;
  const copy = async (segments: Segment[]): Promise<void> => {
    let room: Promise<void> | null = null;
    for (const segment of segments) {
      const bytes = await partFor(segment, relaying);
      if (bytes.byteLength > 0) room = stream.write(bytes);
    }
    await room;
  };
  for (;;) {
    const next = await reader?.read().catch(() => "broken" as const);
    if (stream.isOver()) return;
    if (next !== undefined && next !== "broken" && !next.done) {
      await copy(splitter.push(next.value));
      continue;
    }
    const last = next === "broken" && !splitter.hasIds() ? broken() : null;
    const isWhole = splitter.isBetweenEvents();
    for (const segment of splitter.end()) {
      const bytes = await partFor(segment, relaying);
      if (bytes.byteLength > 0) void stream.write(bytes);
    }
    const missing = last === null ? (losses?.last() ?? "") : "";
    if (missing !== "") return stream.end(`\n\n${missing}`);
    return stream.end(last !== null && isWhole ? `\n\n${sseMessage(last)}` : "");
  }
}

export function relayEvents(response: UpstreamAnswer, relaying: Relaying): ClientAnswer {
  const { interceptor, losses, ended, owner } = relaying;
  const splitter = createEventSplitter({
    maxEventBytes: maxBodyBytes,
    mayNeedRouter: interceptor === null ? () => false : interceptor.mayNeedRouter,
    surelyHarmless,
    read: losses?.read,
  });
  const reader = response.body?.getReader();
  const stream = createClientStream({
    silentTicks: () => (interceptor?.isRunning() === true ? samplingTicks : silentTicks),
    mayComment: splitter.isBetweenEvents,
    left: () => reader?.cancel(),
    ended,
    owner,
  });
  const body = stream.open();
  copyEvents(reader, { stream, splitter, relaying }).catch(stream.fail);
  // A proxy that buffers would hold back events and comments.
  const headers = { ...returnedHeaders(response.headers), "x-accel-buffering": "no" };
  return plainAnswer({ status: response.status, fields: headers, content: body });
}

/** The body without what the router intercepts. */
async function withoutIntercepted(
  bytes: Bytes,
  { status, fields }: Pick<PlainAnswer, "status" | "fields">,
  interceptor: Interceptor | null,
): Promise<ClientAnswer> {
  const text = interceptor === null ? "" : decoder.decode(bytes);
  if (interceptor === null || !interceptor.mayNeedRouter(text))
    return plainAnswer({ status, fields, content: bytes });
  const intercepted = await interceptor.intercept(text, null);
  switch (intercepted.kind) {
    case "pass":
      return plainAnswer({ status, fields, content: bytes });
    case "changed":
      return plainAnswer({ status, fields, content: intercepted.text });
    case "intercepted": {
      const { "content-type": _, ...rest } = fields;
      return plainAnswer({ status: 202, fields: rest, content: null });
    }
  }
}

/** A JSON answer: a small one is read at once, a large response passes while it arrives. */
export async function relayJson(
  response: UpstreamAnswer,
  { interceptor, losses }: Relaying,
): Promise<ClientAnswer | Refusal> {
  const { status } = response;
  const fields = returnedHeaders(response.headers);
  const read = await readJsonBody(response, {
    mayPass: startsResponse,
    mostBytes: maxBodyBytes,
    sender: "server",
    unreadable: (fault) => losses?.note(fault),
  });
  switch (read.kind) {
    case "whole":
      return withoutIntercepted(read.bytes, { status, fields }, interceptor);
    case "parts":
      return new Response(read.body, { status, headers: streamedHeaders(fields) });
    case "unreadable":
      losses?.note(read.fault);
      return unreadableAnswer(read.fault);
    case "too_large":
      return serverFailed("Its answer is too large.", response.status);
    case "broken":
      return serverFailed("It broke off.", response.status);
  }
}
