/**
 * Intercepts the sampling requests in what a legacy server sends. The router answers each request by a POST
 * of its own, in the same invocation. The client sees neither the request nor the answer.
 */
import { answererOf, deniedBy } from "../../domain/servers/answering.ts";
import { isObject, own, parsedJson, type JsonObject, type JsonValue } from "../../domain/json.ts";
import { modalities } from "../../domain/modality.ts";
import { featuresOf } from "../../domain/sampling/negotiation.ts";
import { streamKeys, type ReplayKey } from "../../domain/sampling/replay-key.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err } from "../../domain/result.ts";
import { codecFor } from "../../mcp/era.ts";
import type { RequestId } from "../../mcp/jsonrpc.ts";
import { messageIn } from "../../mcp/message.ts";
import { advertisedByRevision } from "./advertise.ts";
import { withoutElements } from "../../mcp/json-text/raw-json.ts";
import { samplingMethod } from "../../domain/sampling/rounds.ts";
import { declineClientRequest } from "./decline-client-request.ts";
import { mayNeedRouter, startsResponse } from "../message-head.ts";
import type { LegacyServices } from "./services.ts";
import { answerMessage, sampleForServer, type SamplingOutcome } from "../sample-for-server.ts";
import type { Exchange } from "../exchange.ts";
import { messageKey } from "../../pipeline/message-key.ts";

/** A client that names no revision speaks this one (2025-06-18, "Protocol Version Header"). */
const unnamedRevision = "2025-03-26";
const firstWithHeader = "2025-06-18";
/** Requests of one stream that are answered at once. What comes then waits, and its stream with it. */
const mostRunning = 32;

type Intercepted =
  | { kind: "pass" }
  | { kind: "taken" }
  /** a batch, some of which was taken */
  | { kind: "changed"; text: string };

const pass: Intercepted = { kind: "pass" };

export function createInterceptor(
  services: LegacyServices,
  exchange: Exchange,
  stream: {
    /** the tool being called; null: the stream doesn't tell */
    tool: string | null;
    /** the client's request that the stream answers; null: the GET stream, or several */
    answers: RequestId | null;
  },
) {
  const { server, caller } = exchange;
  const { session } = caller;
  const revision =
    session?.revision ?? exchange.headers.get("MCP-Protocol-Version") ?? unnamedRevision;
  const codec = codecFor(revision) ?? codecFor(unnamedRevision);
  if (codec === null) throw new Error("no codec");
  const clientDeclared = codec.capabilitiesOf(session?.capabilities ?? {});
  /** by the server's id, as rows know it */
  const running = new Map<string, AbortController>();
  let runs = 0;
  /** Somebody waits until there are fewer. */
  let full: PromiseWithResolvers<void> | null = null;

  /** What may be asked: what it was told. Modalities reach no client, so all count as declared. */
  const advertised = session === null ? advertisedByRevision(revision) : (session.told ?? {});
  const sampling = own(advertised, "sampling");
  const declared = {
    capabilities: isObject(sampling)
      ? { sampling: { ...sampling, supportedModalities: [...modalities] } }
      : {},
    features: featuresOf(session?.capabilities ?? {}),
  };

  const headersToAnswer = (): Headers => {
    const headers = new Headers(exchange.headers);
    for (const name of ["Last-Event-ID", "Mcp-Session-Id"]) headers.delete(name);
    headers.set("Content-Type", "application/json");
    headers.set("Accept", "application/json, text/event-stream");
    const upstreamId = session?.upstreamId ?? null;
    if (upstreamId !== null) headers.set("Mcp-Session-Id", upstreamId);
    if (!headers.has("MCP-Protocol-Version") && revision >= firstWithHeader)
      headers.set("MCP-Protocol-Version", revision);
    return headers;
  };

  const deliver = (text: string): Promise<number> =>
    services.deliver({
      server,
      headers: headersToAnswer(),
      authorization: exchange.authorization,
      body: text,
    });

  const run = async (
    id: RequestId,
    about: {
      params: JsonObject;
      oversizedBytes: number | null;
      refusal: Refusal | null;
      replayKey: ReplayKey | null;
    },
    signal: AbortSignal,
  ): Promise<Omit<SamplingOutcome, "outcome"> & { text: string }> => {
    const { params, oversizedBytes, refusal, replayKey } = about;
    const now = await exchange.current();
    const { requestId } = exchange;
    if (!now.ok || now.value.server === null) {
      const outcome = now.ok ? err<Refusal>({ reason: "not_found", what: "no such server" }) : now;
      const text = JSON.stringify(answerMessage(id, codec, { requestId, outcome }));
      return { requestId, answeredBy: "this-call", text };
    }
    const entry = now.value.server;
    const sampled = await sampleForServer(
      services,
      { ...exchange, caller: now.value, server: entry },
      {
        params,
        codec,
        declared,
        clientInfo: session?.clientInfo ?? {},
        tool: stream.tool,
        messageId: stream.answers === null ? null : await messageIdOf(stream.answers),
        replayKey,
        oversizedBytes,
        denied: refusal ?? deniedBy(entry),
      },
      signal,
    );
    const { requestId: recordId, answeredBy } = sampled;
    return {
      requestId: recordId,
      answeredBy,
      text: JSON.stringify(answerMessage(id, codec, sampled)),
    };
  };

  /** Within which the server's ids are unique; without a session, an event's id has to do. */
  const scopeOf = async (eventId: string | null): Promise<string | null> => {
    if (session !== null) return session.id;
    if (eventId === null) return null;
    return `${caller.snapshot.key.id}/${server.id}/${await messageKey(services, eventId)}`;
  };
  const messageIdOf = (id: unknown): Promise<string> =>
    messageKey(services, JSON.stringify(id ?? null));

  const answer = async (
    id: RequestId,
    params: JsonObject,
    { messageId, scope }: { messageId: string; scope: string | null },
  ) => {
    const { id: tenantId } = caller.snapshot.tenant;
    const cancelled = new AbortController();
    running.set(messageId, cancelled);
    const watch =
      scope === null
        ? null
        : services.cancellation.watch(
            { tenantId, sessionId: scope, messageId: `server:${messageId}` },
            services.now(),
          );
    try {
      const signal =
        watch === null ? cancelled.signal : AbortSignal.any([cancelled.signal, watch.signal]);
      const replayKey: ReplayKey | null =
        scope === null ? null : { kind: "stream", scope, messageId };
      const request = { params, oversizedBytes: null, refusal: null, replayKey };
      const { text, answeredBy, requestId } = await run(id, request, signal);
      if (signal.aborted || answeredBy === "concurrent-call") return null;
      const status = await deliver(text);
      if (replayKey !== null) await services.idempotency.deliver({ tenantId, requestId }, status);
      return status;
    } finally {
      watch?.stop();
      running.delete(messageId);
    }
  };

  const take = async (id: RequestId, params: JsonObject, eventId: string | null): Promise<void> => {
    const [messageId, scope] = [await messageIdOf(id), await scopeOf(eventId)];
    // A stream's requests come one after another, so nobody else waits here.
    if (runs >= mostRunning) await (full ??= Promise.withResolvers<void>()).promise;
    runs += 1;
    const work = answer(id, params, { messageId, scope }).then(
      (status) => {
        if (status !== null && (status < 200 || status >= 300))
          services.note({ event: "undelivered", requestId: exchange.requestId, status });
        return undefined;
      },
      (thrown: unknown) => services.report(exchange.requestId, thrown),
    );
    services.background(
      work.finally(() => {
        runs -= 1;
        full?.resolve();
        full = null;
      }),
    );
  };

  /** The server takes a request back that it may have sent on another stream. */
  const takesBack = async (params: JsonObject): Promise<boolean> => {
    const messageId = await messageIdOf(params["requestId"]);
    const here = running.get(messageId);
    here?.abort();
    if (session === null) return here !== undefined;
    const { tenantId, keyId, serverId, id: sessionId } = session;
    // Also for the one that runs elsewhere, be it on its way to its admission.
    const call = { tenantId, sessionId, messageId: `server:${messageId}` };
    await services.cancellation.cancel(call);
    if (here !== undefined) return true;
    const keys = streamKeys(sessionId, messageId);
    const about = { tenantId, keyId, serverId, keys };
    const taken = await services.idempotency.isTaken(about, services.now());
    return taken.ok && taken.value;
  };

  const isTaken = async (value: JsonValue, eventId: string | null): Promise<boolean> => {
    const message = messageIn(value);
    // Nobody can answer an id such as null; yet some client may take it for one, and sample.
    if (message.kind === "unknown" && own(value, "method") === samplingMethod) return true;
    if (message.kind === "notification" && message.method === "notifications/cancelled")
      return takesBack(message.params);
    if (message.kind !== "request") return false;
    if (message.method !== samplingMethod) {
      if (session === null || session.bridge === null) return false;
      services.background(
        deliver(JSON.stringify(declineClientRequest(message, exchange.requestId))),
      );
      return true;
    }
    const call = codec.decodeCall(message.params);
    if (answererOf(server.sampling, call, clientDeclared) === "client") return false;
    await take(message.id, message.params, eventId);
    return true;
  };

  return {
    /** What becomes of a message, or of a batch of them. */
    async intercept(text: string, eventId: string | null): Promise<Intercepted> {
      const value = parsedJson(text);
      if (value === undefined) return pass;
      if (!Array.isArray(value)) return (await isTaken(value, eventId)) ? { kind: "taken" } : pass;
      const taken = new Set<number>();
      for (const [at, element] of value.entries())
        if (await isTaken(element, eventId)) taken.add(at);
      if (taken.size === 0) return pass;
      if (taken.size === value.length) return { kind: "taken" };
      return { kind: "changed", text: withoutElements(text, taken) };
    },
    /** A message too large to be held was taken out: the server is told, if it can be named. */
    refuseOversized(head: string, limitBytes: number): void {
      services.note({ event: "oversized", requestId: exchange.requestId, limitBytes });
      const text = /"id"\s*:\s*(-?\d+|"[^"\\]*")/.exec(head)?.[1];
      if (text === undefined || !head.includes(samplingMethod)) return;
      const id = JSON.parse(text) as RequestId;
      const refusal: Refusal = { reason: "payload_too_large", limitBytes };
      const refuse = async (): Promise<void> => {
        const signal = new AbortController().signal;
        const about = { params: {}, oversizedBytes: limitBytes, refusal, replayKey: null };
        await deliver((await run(id, about, signal)).text);
      };
      services.background(refuse());
    },
    /** A cheap look at a message: false only if nothing of it is taken. */
    mayNeedRouter: (text: string): boolean =>
      session === null || session.bridge === null ? mayNeedRouter(text) : !startsResponse(text),
    isRunning: (): boolean => running.size > 0,
  };
}

export type Interceptor = ReturnType<typeof createInterceptor>;
