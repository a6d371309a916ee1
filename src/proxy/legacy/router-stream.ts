/**
 * The GET stream that the router holds for a client that has none, for as long as one of its requests
 * runs: servers that sample outside of a request use it. What else comes on it would have reached
 * nobody, and is dropped. It ends as soon as the client wants its own.
 *
 * A server has one such stream per session, and loses what it sends while none stands. So the requests
 * of an isolate share one: whoever opened it keeps it for those that still run, and when it can't for
 * longer, the next one opens another at once.
 */
import type { Session } from "../../domain/tenancy/session.ts";
import { surelyHarmless } from "../message-head.ts";
import { createEventSplitter } from "../../mcp/sse/event-splitter.ts";
import { renewStreamMs } from "./streams.ts";
import { maxBodyBytes } from "../../mcp/body.ts";
import type { LegacyServices } from "./services.ts";
import type { Exchange } from "../exchange.ts";
import { createLosses } from "../losses.ts";
import { streamsAnswer } from "../media-type.ts";
import { createInterceptor } from "./sampling-interceptor.ts";

/** Methods behind which a server runs code of its own that may sample. */
const mayAsk = new Set(["tools/call", "prompts/get", "resources/read", "completion/complete"]);
/** The request waits this long for the router stream: a server may send no headers before an event. */
const headStartMs = 1_000;
const headersMs = 30_000;
const retryMs = 1_000;
/** Looks into memory alone are as frequent as this… */
const tickMs = 100;
/** …and those into the database as this. */
const lookMs = 1_000;
/** A stream that another isolate holds is asked for so often at first, then once a second. */
const handOverMs = 300;
const handOverTries = 10;
/** An invocation ends some time after its response has, and may have to answer what it took last. */
const afterwardsMs = 10_000;

interface Standing {
  services: LegacyServices;
  exchange: Exchange;
  session: Session;
  /** the request has ended */
  over: AbortSignal;
  /** The stream stands, or there will be none: the request need not wait. */
  ready: () => void;
}

const nothingToEnd = (): void => undefined;

/** Opens one where it is missing. What it gives ends it. */
export async function openRouterStream(
  services: LegacyServices,
  exchange: Exchange,
  method: string | undefined,
): Promise<() => void> {
  const { server, caller } = exchange;
  const { session } = caller;
  if (session === null || method === undefined || !mayAsk.has(method)) return nothingToEnd;
  // Behind a bridge nobody else hears what a server asks there, be it only to be refused.
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
  // One that stands already is known by now.
  if (!headStart.signal.aborted) await services.wait(headStartMs, headStart.signal);
  return () => {
    done();
    over.abort();
  };
}

/** Sees to it that one stands, until the request is over. */
async function stand(standing: Standing): Promise<void> {
  const { services, session, over, ready } = standing;
  const { streams } = services;
  for (let tries = 0; !over.aborted; tries += 1) {
    const here = streams.routerStreamHere(session);
    if (here === "stands") ready();
    const next = here === null ? await hold(standing, tries) : tickMs;
    // A client that only asks for its own has none yet: the request waits for that one then.
    if (next === "never" || (next === "clients" && !(await streams.isMissing(session)))) return;
    if (next !== "clients") await services.wait(next, over);
  }
}

/** Holds one until it ends. ms until the next try, unless there is no use in another. */
async function hold(standing: Standing, tries: number): Promise<number | "clients" | "never"> {
  const { services, exchange, session, ready } = standing;
  const { streams } = services;
  // The client's own goes first, also where it has to ask twice.
  if (streams.clientHasHere(session) || (tries > 0 && (await streams.clientHas(session))))
    return "clients";
  const turn = streams.takeTurn(session);
  if (turn === null) return tickMs;
  const stop = new AbortController();
  const keeping = keep(standing, { stop, turn });
  const headers = new Headers(exchange.headers);
  headers.delete("Content-Type");
  headers.delete("Last-Event-ID");
  headers.set("Accept", "text/event-stream");
  try {
    const opened = await services.upstream({
      server: exchange.server,
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
      // One that the server ended is not asked for again at once.
      return stop.signal.aborted ? tickMs : retryMs;
    }
    await response.body?.cancel();
    if (response.status === 405) streams.isNotOffered(session);
    if (response.status !== 409) return "never";
    if (await streams.clientHas(session)) return "clients";
    // Either another isolate's, which takes what comes, or one whose end the server hasn't noticed yet.
    if (!(await streams.isRouters(session))) return tries * tickMs < retryMs ? tickMs : retryMs;
    ready();
    return tries < handOverTries ? handOverMs : retryMs;
  } finally {
    turn.release();
    stop.abort();
    await keeping;
  }
}

/** Ends it when nobody needs it here any longer, or when the client wants its own. */
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
      // Whoever waits for it here asks the server now, and not once the database knows.
      turn.release();
    } else if (turns % (renewStreamMs / tickMs) === 0) await streams.routerHolds(session);
  }
}

/** Intercepts sampling requests, and drops everything else. */
async function read({ services, exchange }: Standing, response: Response): Promise<void> {
  const interceptor = createInterceptor(services, exchange, { tool: null, answers: null });
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
