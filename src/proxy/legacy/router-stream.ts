/**
 * The router stream: the GET stream that the router holds for a client that has none, for as long as one of the
 * client's requests runs. Servers that sample outside of a request use it. Everything else that comes on it
 * would have reached nobody, and is dropped. The stream ends as soon as the client wants its own.
 *
 * A server has one such stream per session, and loses what it sends while none stands. So the requests of an
 * isolate share one stream. The request that opened it keeps it for the others that still run. When it can't
 * keep it any longer, the next request opens another at once.
 */
import type { UpstreamAnswer } from "../../domain/ports/upstream.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { surelyHarmless } from "../message-head.ts";
import { createEventSplitter } from "../../mcp/sse/event-splitter.ts";
import { renewStreamMs } from "./streams.ts";
import { maxBodyBytes } from "../../mcp/body.ts";
import type { LegacyServices } from "./services.ts";
import type { Exchange } from "../exchange.ts";
import { createLosses } from "../losses.ts";
import { streamsAnswer } from "../media-type.ts";
import { createInterceptor, type InterceptorDeps } from "./sampling-interceptor.ts";

/** Methods for which a server runs code of its own that may sample. */
const mayAsk = new Set(["tools/call", "prompts/get", "resources/read", "completion/complete"]);
/** ms that the request waits for the router stream: a server may send no headers before its first event. */
const headStartMs = 1_000;
const headersMs = 30_000;
const retryMs = 1_000;
/** ms between two looks into memory alone… */
const tickMs = 100;
/** …and between two looks into the database. */
const lookMs = 1_000;
/** ms between two tries at first, where another isolate holds the stream; later a second. */
const handOverMs = 300;
const handOverTries = 10;
/**
 * ms for which an invocation keeps the stream beyond its own response. The invocation ends some time after its
 * response, and may have to answer what it intercepted last.
 */
const afterwardsMs = 10_000;

export type RouterStreamDeps = InterceptorDeps &
  Pick<LegacyServices, "streams" | "upstream" | "wait">;

interface Standing {
  services: RouterStreamDeps;
  exchange: Exchange;
  session: Session;
  /** the request has ended */
  over: AbortSignal;
  /** The stream stands, or there will be none, so the request need not wait. */
  ready: () => void;
}

const nothingToEnd = (): void => undefined;

/** Opens the stream where the client has none. The function that comes back ends the stream. */
export async function openRouterStream(
  services: RouterStreamDeps,
  exchange: Exchange,
  method: string | undefined,
): Promise<() => void> {
  const { server, caller } = exchange;
  const { session } = caller;
  if (session === null || method === undefined || !mayAsk.has(method)) return nothingToEnd;
  // Behind a bridge only the router gets what a server asks on that stream, if only to refuse it.
  const samples = server.sampling === "router" || server.sampling === "client-then-router";
  if (!samples && session.bridge === null) return nothingToEnd;
  const { streams } = services;
  if (!(await streams.isMissing(session))) return nothingToEnd;

  const done = streams.needs(session);
  const over = new AbortController();
  const headStart = new AbortController();
  const ready = (): void => headStart.abort();
  services.background(
    stand({ services, exchange, session, over: over.signal, ready })
      .catch((thrown: unknown) => services.report(exchange.requestId, thrown))
      .finally(ready),
  );
  // A stream that stood already is known by now.
  if (!headStart.signal.aborted) await services.wait(headStartMs, headStart.signal);
  return () => {
    done();
    over.abort();
  };
}

/** Keeps a stream standing until the request is over. */
async function stand(standing: Standing): Promise<void> {
  const { services, session, over, ready } = standing;
  const { streams } = services;
  for (let tries = 0; !over.aborted; tries += 1) {
    const here = streams.routerStreamHere(session);
    if (here === "stands") ready();
    const next = here === null ? await hold(standing, tries) : tickMs;
    // The client has asked for its own stream and has not got it yet, so the request waits for the
    // client's stream.
    if (next === "never" || (next === "clients" && !(await streams.isMissing(session)))) return;
    if (next !== "clients") await services.wait(next, over);
  }
}

/** Holds one stream until it ends. Gives the ms until the next try, or says that another try is of no use. */
async function hold(standing: Standing, tries: number): Promise<number | "clients" | "never"> {
  const { services, exchange, session, ready } = standing;
  const { streams } = services;
  // The client's own stream goes first, also where the client has to ask twice.
  if (streams.clientHasHere(session) || (tries > 0 && (await streams.clientHas(session))))
    return "clients";
  const turn = streams.takeTurn(session);
  if (turn === null) return tickMs;
  const stop = new AbortController();
  const keeping = keep(standing, { stop, turn });
  const headers = new Headers([...exchange.headers]);
  headers.delete("Content-Type");
  headers.delete("Last-Event-ID");
  headers.set("Accept", "text/event-stream");
  try {
    const opened = await services.upstream({
      server: exchange.server,
      caller: exchange.caller,
      method: "GET",
      headers,
      authorization: exchange.authorization,
      body: null,
      signal: stop.signal,
      timeoutMs: headersMs,
    });
    if (!opened.ok) return opened.error.reason === "server_timeout" ? retryMs : "never";
    const response = opened.value;
    if (streamsAnswer(response)) {
      turn.stands();
      ready();
      await streams.routerHolds(session);
      await read(standing, response);
      await streams.routerReleases(session);
      // A stream that the server ended is not asked for again at once.
      return stop.signal.aborted ? tickMs : retryMs;
    }
    await response.body?.cancel();
    if (response.status === 405) streams.isNotOffered(session);
    if (response.status !== 409) return "never";
    if (await streams.clientHas(session)) return "clients";
    // Either another isolate holds the stream and takes what comes, or the server hasn't noticed
    // its end yet.
    if (!(await streams.isRouters(session))) return tries * tickMs < retryMs ? tickMs : retryMs;
    ready();
    return tries < handOverTries ? handOverMs : retryMs;
  } finally {
    turn.release();
    stop.abort();
    await keeping;
  }
}

/** Ends the stream when no request needs it here any longer, or when the client wants its own. */
async function keep(
  { services, session, over }: Standing,
  { stop, turn }: { stop: AbortController; turn: { renew(): void; release(): void } },
): Promise<void> {
  const { streams, now } = services;
  let endedAt: number | null = null;
  for (let turns = 1; ; turns += 1) {
    await services.wait(tickMs, stop.signal);
    if (stop.signal.aborted) return;
    turn.renew();
    if (over.aborted) endedAt ??= now();
    const idle = endedAt !== null && (!streams.isNeeded(session) || now() - endedAt > afterwardsMs);
    const looks = turns % (lookMs / tickMs) === 0;
    if (idle || streams.clientHasHere(session) || (looks && (await streams.clientHas(session)))) {
      stop.abort();
      // Another request that waits here may ask the server now, before the database knows.
      turn.release();
    } else if (turns % (renewStreamMs / tickMs) === 0) await streams.routerHolds(session);
  }
}

/** Intercepts sampling requests, and drops everything else. */
async function read(
  { services, exchange, session }: Standing,
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
