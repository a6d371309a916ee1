/**
 * The GET stream that the router holds for a client that has none, for as long as one of its requests
 * runs: servers that sample outside of a request use it. What else comes on it would have reached
 * nobody, and is dropped. It ends as soon as the client wants its own.
 */
import type { Session } from "../../domain/session.ts";
import { createEventSplitter } from "../../mcp/proxy/event-splitter.ts";
import { maxBodyBytes } from "../body.ts";
import type { Services } from "../context.ts";
import type { ProxyArrived } from "./arrived.ts";
import { isEventStream } from "./relay.ts";
import { createTaker } from "./take.ts";

/** Methods behind which a server runs code of its own that may sample. */
const mayAsk = new Set(["tools/call", "prompts/get", "resources/read", "completion/complete"]);
/** The request waits this long for its side stream: a server may send no headers before an event. */
const headStartMs = 1_000;
const headersMs = 30_000;
const retryMs = 1_000;
const lookMs = 1_000;

/** Opens one where it is missing. What it gives ends it; null: none is needed. */
export async function openAside(
  services: Services,
  arrived: ProxyArrived,
  method: string | undefined,
): Promise<(() => void) | null> {
  const { server, caller } = arrived;
  const { session } = caller;
  const samples = server.sampling === "router" || server.sampling === "client-then-router";
  if (session === null || !samples || method === undefined || !mayAsk.has(method)) return null;
  const { streams } = services;
  if (!(await streams.isMissing(session))) return null;

  const over = new AbortController();
  const headStart = new AbortController();
  const headers = new Headers(arrived.headers);
  headers.delete("Content-Type");
  headers.delete("Last-Event-ID");
  headers.set("Accept", "text/event-stream");

  /** Until it ends; false: there is no use in another try. */
  const hold = async (): Promise<boolean> => {
    const opened = await services.upstream({
      server,
      method: "GET",
      headers,
      authorization: arrived.authorization,
      body: null,
      signal: over.signal,
      timeoutMs: headersMs,
    });
    if (!opened.ok) return opened.error.reason === "server_timeout";
    headStart.abort();
    const response = opened.value;
    if (response.ok && isEventStream(response)) {
      await streams.routerHolds(session);
      await read(services, arrived, { session, response, over: over.signal });
      await streams.routerReleases(session);
      return !(await streams.clientHas(session));
    }
    await response.body?.cancel();
    // Another request of this session holds it, or its client does after all.
    if (response.status === 409) return !(await streams.clientHas(session));
    if (response.status === 405) streams.isNotOffered(session);
    return false;
  };
  const work = async (): Promise<void> => {
    while (!over.signal.aborted && (await hold())) await services.wait(retryMs, over.signal);
    headStart.abort();
  };
  services.background(
    work().catch((thrown: unknown) => services.report(arrived.requestId, thrown)),
  );
  await services.wait(headStartMs, headStart.signal);
  return () => over.abort();
}

/** Takes sampling requests out, and drops the rest. */
async function read(
  services: Services,
  arrived: ProxyArrived,
  about: { session: Session; response: Response; over: AbortSignal },
): Promise<void> {
  const taker = createTaker(services, arrived, { tool: null, answers: null });
  const splitter = createEventSplitter({
    maxEventBytes: maxBodyBytes,
    mayConcern: taker.mayConcern,
  });
  const reader = about.response.body?.getReader();
  const ended = new AbortController();
  const look = async (): Promise<void> => {
    for (;;) {
      await services.wait(lookMs, ended.signal);
      if (ended.signal.aborted) return;
      if (await services.streams.clientHas(about.session)) {
        await reader?.cancel().catch(() => undefined);
        return;
      }
    }
  };
  const looking = look();
  for (;;) {
    const next = await reader?.read().catch(() => null);
    if (next === undefined || next === null || next.done || about.over.aborted) break;
    for (const segment of splitter.push(next.value)) {
      if (segment.kind === "event") await taker.consider(segment.data, segment.id);
      if (segment.kind === "oversized") taker.refuseOversized(segment.head, maxBodyBytes);
    }
  }
  ended.abort();
  await looking;
  await reader?.cancel().catch(() => undefined);
}
