/**
 * The GET stream of a client that has none, for servers that sample outside of a request. A server has one per
 * session, and loses messages while it is closed, so the requests of an isolate share it. It closes when the
 * client wants its own.
 */
import type { UpstreamAnswer } from "../../domain/ports/upstream.ts";
import { streamsAnswer } from "../../domain/servers/media-type.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { maxBodyBytes } from "../../mcp/body.ts";
import { surelyHarmless } from "../../mcp/json-text/message-head.ts";
import { createEventSplitter } from "../../mcp/sse/event-splitter.ts";
import { sendOn, type Exchange } from "../exchange.ts";
import { createLosses } from "../losses.ts";
import type { LegacyServices } from "./services.ts";
import type { AnsweringDeps } from "./answer-sampling.ts";
import { createInterceptor } from "./interceptor.ts";
import { renewStreamMs } from "./streams.ts";

/** Methods for which a server runs code that may sample. */
const mayAsk = new Set(["tools/call", "prompts/get", "resources/read", "completion/complete"]);
/** ms that the request waits for the stream: a server may send no headers before its first event. */
const headStartMs = 1_000;
const headersMs = 30_000;
const retryMs = 1_000;
const [tickMs, lookMs] = [100, 1_000];
/** ms between the first attempts while another isolate holds the stream; later `retryMs` */
const handOverMs = 300;
const handOverTries = 10;
/** ms. The invocation ends some time after its response, and may have to answer what it intercepted last. */
const afterwardsMs = 10_000;

export type RouterStreamDeps = AnsweringDeps &
  Pick<LegacyServices, "streams" | "upstream" | "wait">;

interface Holding {
  services: RouterStreamDeps;
  exchange: Exchange;
  session: Session;
  over: AbortSignal;
  /** Lets the request continue: the stream is open, or there will be none. */
  ready: () => void;
}

/**
 * Waits for a GET stream that the client is opening, or opens one. @returns a function that closes the router's
 * stream
 */
export async function openRouterStream(
  services: RouterStreamDeps,
  exchange: Exchange,
  method: string | undefined,
): Promise<(() => void) | null> {
  const { server, caller } = exchange;
  const { session } = caller;
  const { streams } = services;
  if (session === null || method === undefined) return null;
  if (session.bridge === null) await streams.untilOpenedElsewhere(session, exchange.left);
  if (!mayAsk.has(method)) return null;
  // Behind a bridge only the router can answer, or refuse, what a server asks on that stream.
  const samples = server.sampling === "router" || server.sampling === "client-then-router";
  if (!samples && session.bridge === null) return null;
  if (!(await streams.isMissing(session))) return null;

  const done = streams.needs(session);
  const over = new AbortController();
  const headStart = new AbortController();
  const ready = (): void => headStart.abort();
  services.background(
    keepOpen({ services, exchange, session, over: over.signal, ready })
      .catch((thrown: unknown) => services.report(exchange.requestId, thrown))
      .finally(ready),
  );
  if (!headStart.signal.aborted) await services.wait(headStartMs, headStart.signal);
  return () => {
    done();
    over.abort();
  };
}

async function keepOpen(holding: Holding): Promise<void> {
  const { services, session, over, ready } = holding;
  const { streams } = services;
  for (let tries = 0; !over.aborted; tries += 1) {
    const here = streams.routerStreamHere(session);
    if (here === "open") ready();
    const next = here === null ? await hold(holding, tries) : tickMs;
    // The request waits for a stream that the client has asked for and not got yet.
    if (next === "never" || (next === "clients" && !(await streams.isMissing(session)))) return;
    if (next !== "clients") await services.wait(next, over);
  }
}

/** Holds one stream until it ends. @returns ms until the next attempt, or why it ends */
async function hold(holding: Holding, tries: number): Promise<number | "clients" | "never"> {
  const { services, exchange, session, ready } = holding;
  const { streams } = services;
  // The client's own stream takes precedence, also if the client has to ask twice.
  if (streams.clientHasHere(session) || (tries > 0 && (await streams.clientHas(session))))
    return "clients";
  const lease = streams.acquire(session);
  if (lease === null) return tickMs;
  const stop = new AbortController();
  const keeping = closeWhenIdle(holding, { stop, lease });
  const headers = new Headers([...exchange.headers]);
  headers.delete("Content-Type");
  headers.delete("Last-Event-ID");
  headers.set("Accept", "text/event-stream");
  try {
    const opened = await sendOn(services, exchange, {
      method: "GET",
      headers,
      body: null,
      signal: stop.signal,
      timeoutMs: headersMs,
    });
    if (!opened.ok) return opened.error.reason === "server_timeout" ? retryMs : "never";
    const response = opened.value;
    if (streamsAnswer(response)) {
      lease.opened();
      ready();
      await streams.routerHolds(session);
      await read(holding, response);
      await streams.routerReleases(session);
      return stop.signal.aborted ? tickMs : retryMs;
    }
    await response.body?.cancel();
    if (response.status === 405) streams.isNotOffered(session);
    if (response.status !== 409) return "never";
    if (await streams.clientHas(session)) return "clients";
    // Either another isolate holds the stream, or the server hasn't noticed its end yet.
    if (!(await streams.isRouters(session))) return tries * tickMs < retryMs ? tickMs : retryMs;
    ready();
    return tries < handOverTries ? handOverMs : retryMs;
  } finally {
    lease.release();
    stop.abort();
    await keeping;
  }
}

async function closeWhenIdle(
  { services, session, over }: Holding,
  { stop, lease }: { stop: AbortController; lease: { renew(): void; release(): void } },
): Promise<void> {
  const { streams, now } = services;
  let endedAt: number | null = null;
  for (let ticks = 1; ; ticks += 1) {
    await services.wait(tickMs, stop.signal);
    if (stop.signal.aborted) return;
    lease.renew();
    if (over.aborted) endedAt ??= now();
    const idle = endedAt !== null && (!streams.isNeeded(session) || now() - endedAt > afterwardsMs);
    const looks = ticks % (lookMs / tickMs) === 0;
    if (idle || streams.clientHasHere(session) || (looks && (await streams.clientHas(session)))) {
      stop.abort();
      // Another request that waits here may reopen it before the database knows.
      lease.release();
    } else if (ticks % (renewStreamMs / tickMs) === 0) await streams.routerHolds(session);
  }
}

async function read(
  { services, exchange, session }: Holding,
  response: UpstreamAnswer,
): Promise<void> {
  const interceptor = createInterceptor(services, exchange, {
    tool: null,
    answers: null,
    isOpen: () => services.streams.isNeeded(session),
  });
  const losses = createLosses(services, { requestId: exchange.requestId, ids: [], era: "legacy" });
  const splitter = createEventSplitter({
    maxEventBytes: maxBodyBytes,
    mayNeedRouter: interceptor.mayNeedRouter,
    surelyHarmless,
    read: losses.read,
  });
  const reader = response.body?.getReader();
  for (;;) {
    const next = await reader?.read().catch(() => null);
    if (next === undefined || next === null || next.done) break;
    for (const segment of splitter.push(next.value)) {
      if (segment.kind === "event") await interceptor.intercept(segment.data, segment.id);
      if (segment.kind === "unreadable") losses.note(segment.fault);
      if (segment.kind === "oversized") interceptor.refuseOversized(segment.head, maxBodyBytes);
    }
  }
  await reader?.cancel().catch(() => undefined);
}
