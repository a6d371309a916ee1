/**
 * A server's answer on its way to the client, without what the router intercepted. Streams stay
 * streams: nothing is held beyond one event, and a comment now and then keeps the client's
 * connection open while the router samples.
 */
import { returnedHeaders } from "../../domain/servers/proxied-headers.ts";
import { serverFailed, type Refusal } from "../../domain/refusals.ts";
import { surelyHarmless, startsResponse } from "../message-head.ts";
import { createEventSplitter } from "../../mcp/sse/event-splitter.ts";
import { sseKeepAlive, sseMessage } from "../../mcp/sse/write.ts";
import { maxBodyBytes } from "../../mcp/body.ts";
import { streamedHeaders } from "../media-type.ts";
import { readJsonBody } from "../json-body.ts";
import { readAheadBytes } from "../pass-on.ts";
import { unreadableAnswer, type Losses } from "../losses.ts";
import type { Interceptor } from "./sampling-interceptor.ts";

/**
 * The runtime notices that a client has left when it writes, and not before. A server that wasn't told
 * would answer the client's next stream with 409, so a silent stream gets a comment now and then.
 */
const tickMs = 1_000;
const silentTicks = 4;
/** …and sooner while the router samples: that is when clients and proxies wait in vain. */
const samplingTicks = 2;
const encoder = new TextEncoder();
/** Whoever reads a JSON body reads past its byte order mark. */
const decoder = new TextDecoder();

type Bytes = Uint8Array<ArrayBuffer>;

export interface Relaying {
  /** null: nothing is intercepted */
  interceptor: Interceptor | null;
  /** what is dropped of it; null: nothing is read */
  losses: Losses | null;
  /** The stream is over, whoever ended it. */
  ended: () => void;
  /** The message that ends the client's request when the server's stream breaks; null: it can resume. */
  broken: () => Record<string, unknown> | null;
}

export function relayEvents(
  response: Response,
  { interceptor, losses, ended, broken }: Relaying,
): Response {
  const splitter = createEventSplitter({
    maxEventBytes: maxBodyBytes,
    mayNeedRouter: interceptor === null ? () => false : interceptor.mayNeedRouter,
    surelyHarmless,
    read: losses?.read,
  });
  const reader = response.body?.getReader();
  let timer: ReturnType<typeof setInterval> | undefined;
  const state = { over: false, silent: 0 };

  const stop = (): void => {
    state.over = true;
    clearInterval(timer);
    ended();
  };

  const handOut = async (
    controller: ReadableStreamDefaultController<Bytes>,
    segments: ReturnType<typeof splitter.push>,
  ): Promise<number> => {
    let given = 0;
    for (const segment of segments) {
      if (segment.kind === "oversized") {
        interceptor?.refuseOversized(segment.head, maxBodyBytes);
        continue;
      }
      let { bytes } = segment;
      if (segment.kind === "unreadable" && losses !== null) bytes = losses.replace(segment);
      if (segment.kind === "event" && interceptor !== null) {
        const intercepted = await interceptor.intercept(segment.data, segment.id);
        if (intercepted.kind === "intercepted") bytes = segment.rest;
        if (intercepted.kind === "changed") bytes = segment.withData(intercepted.text);
      }
      if (bytes.byteLength === 0 || state.over) continue;
      controller.enqueue(bytes);
      state.silent = 0;
      given += 1;
    }
    return given;
  };

  const source: UnderlyingDefaultSource<Bytes> = {
    start(controller) {
      timer = setInterval(() => {
        state.silent += 1;
        const most = interceptor?.isRunning() === true ? samplingTicks : silentTicks;
        // A client that reads nothing needs no more of them.
        const waits = (controller.desiredSize ?? 0) > 0;
        if (state.over || !waits || state.silent < most || !splitter.isBetweenEvents()) return;
        state.silent = 0;
        controller.enqueue(encoder.encode(sseKeepAlive));
      }, tickMs);
    },
    async pull(controller) {
      // Until something has gone out: a pull that gives nothing is not repeated.
      for (let given = 0; given === 0 && !state.over;) {
        const next = await reader?.read().catch(() => "broken" as const);
        if (state.over) return;
        if (next !== undefined && next !== "broken" && !next.done) {
          given += await handOut(controller, splitter.push(next.value));
          continue;
        }
        const last = next === "broken" && !splitter.hasIds() ? broken() : null;
        const whole = splitter.isBetweenEvents();
        await handOut(controller, splitter.end());
        const missing = last === null ? (losses?.last() ?? "") : "";
        if (missing !== "") controller.enqueue(encoder.encode(`\n\n${missing}`));
        if (last !== null && whole) controller.enqueue(encoder.encode(`\n\n${sseMessage(last)}`));
        stop();
        controller.close();
      }
    },
    async cancel() {
      stop();
      await reader?.cancel();
    },
  };
  const body = new ReadableStream(
    source,
    new ByteLengthQueuingStrategy({ highWaterMark: readAheadBytes }),
  );
  // A proxy that buffers would hold back events and comments.
  const headers = { ...returnedHeaders(response.headers), "x-accel-buffering": "no" };
  return new Response(body, { status: response.status, headers });
}

/** The body without what the router intercepts. */
async function withoutIntercepted(
  bytes: Bytes,
  about: { status: number; headers: Record<string, string> },
  interceptor: Interceptor | null,
): Promise<Response> {
  const text = interceptor === null ? "" : decoder.decode(bytes);
  if (interceptor === null || !interceptor.mayNeedRouter(text)) return new Response(bytes, about);
  const intercepted = await interceptor.intercept(text, null);
  switch (intercepted.kind) {
    case "pass":
      return new Response(bytes, about);
    case "changed":
      return new Response(intercepted.text, about);
    case "intercepted": {
      const { "content-type": _, ...headers } = about.headers;
      return new Response(null, { status: 202, headers });
    }
  }
}

/** A JSON answer: a small one is read at once, a large response passes while it arrives. */
export async function relayJson(
  response: Response,
  { interceptor, losses }: Relaying,
): Promise<Response | Refusal> {
  const about = { status: response.status, headers: returnedHeaders(response.headers) };
  const read = await readJsonBody(response, {
    mayPass: startsResponse,
    mostBytes: maxBodyBytes,
    unreadable: (fault) => losses?.note(fault),
  });
  switch (read.kind) {
    case "whole":
      return withoutIntercepted(read.bytes, about, interceptor);
    case "parts":
      return new Response(read.body, { ...about, headers: streamedHeaders(about.headers) });
    case "unreadable":
      losses?.note(read.fault);
      return unreadableAnswer(read.fault);
    case "too_large":
      return serverFailed("Its answer is too large.", response.status);
    case "broken":
      return serverFailed("It broke off.", response.status);
  }
}
