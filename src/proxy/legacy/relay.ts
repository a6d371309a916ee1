/** At most one event is buffered; comments keep the client's connection open while the router samples. */
import {
  plainAnswer,
  type ClientAnswer,
  type PlainAnswer,
} from "../../domain/ports/client-answer.ts";
import type { AnswerReader, UpstreamAnswer } from "../../domain/ports/upstream.ts";
import { returnedHeaders } from "../../domain/servers/proxied-headers.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import { streamedHeaders, streamsAnswer } from "../../domain/servers/media-type.ts";
import { legacyWireOf } from "../../mcp/faults.ts";
import { surelyHarmless, startsResponse } from "../../mcp/json-text/message-head.ts";
import { errorMessage } from "../../mcp/jsonrpc.ts";
import { requestsIn } from "../../mcp/message.ts";
import {
  createClientStream,
  type ClientStream,
  type StreamOwner,
} from "../../mcp/sse/client-stream.ts";
import { createEventSplitter } from "../../mcp/sse/event-splitter.ts";
import type { Segment } from "../../mcp/sse/segment.ts";
import { sseMessage } from "../../mcp/sse/write.ts";
import { maxBodyBytes } from "../../mcp/body.ts";
import { refuse, type Exchange } from "../exchange.ts";
import { readJsonBody } from "../json-body.ts";
import { createLosses, unreadableAnswer, type Losses } from "../losses.ts";
import type { AnsweringDeps, AskingStream } from "./answer-sampling.ts";
import { createInterceptor, type Interceptor } from "./interceptor.ts";

/**
 * s of silence before a comment, by which the runtime notices a client that has left, whose next stream would
 * get a 409.
 */
const silentTicks = 4;
/** Sooner while the router samples, when clients and intermediaries might time out. */
const samplingTicks = 2;
/** Skips a byte order mark, as readers of JSON bodies do. */
const decoder = new TextDecoder();

type Bytes = Uint8Array<ArrayBuffer>;

const nothing: Bytes = new Uint8Array(0);

export interface Relaying {
  interceptor: Interceptor | null;
  losses: Losses | null;
  ended: () => void;
  owner: StreamOwner | null;
  /**
   * Error response if the stream breaks without event ids; `null` in mode `client`, or without exactly one
   * request.
   */
  broken: () => Record<string, unknown> | null;
}

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
  // Stops intermediaries from buffering events and comments.
  const headers = { ...returnedHeaders(response.headers), "x-accel-buffering": "no" };
  return plainAnswer({ status: response.status, fields: headers, content: body });
}

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

async function relayJson(
  response: UpstreamAnswer,
  { interceptor, losses }: Relaying,
): Promise<ClientAnswer | Refusal> {
  const { status } = response;
  const fields = returnedHeaders(response.headers);
  const read = await readJsonBody(response, {
    mayPass: startsResponse,
    maxBytes: maxBodyBytes,
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
      return serverFailed("response too large", response.status);
    case "broken":
      return serverFailed("connection lost during the response", response.status);
  }
}

export async function relayAnswer(
  services: AnsweringDeps,
  exchange: Exchange,
  about: { response: UpstreamAnswer; stream: AskingStream; ended: () => void },
): Promise<ClientAnswer> {
  const { server, body, requestId, owner } = exchange;
  const { response, stream, ended } = about;
  const isUntouched = server.sampling === "client";
  const ids = body === null ? [] : requestsIn(body).map(({ id }) => id);
  const relaying: Relaying = {
    interceptor: isUntouched ? null : createInterceptor(services, exchange, stream),
    losses: isUntouched ? null : createLosses(services, { requestId, ids, era: "legacy" }),
    ended,
    owner,
    broken() {
      const refusal = serverFailed("connection lost during the stream", response.status);
      return stream.answers === null || isUntouched
        ? null
        : errorMessage(stream.answers, refusal, legacyWireOf(refusal).code, requestId);
    },
  };
  if (streamsAnswer(response)) return relayEvents(response, relaying);
  const relayed = await relayJson(response, relaying);
  ended();
  return "reason" in relayed ? refuse(relayed, { id: ids[0] ?? null, requestId }) : relayed;
}
