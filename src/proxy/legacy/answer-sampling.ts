/** Each answer is a POST to the server in the same invocation, because invocations can't share connections. */
import type { JsonObject } from "../../domain/json.ts";
import { deniedBy } from "../../domain/servers/answering.ts";
import { streamKeyPrefix, type ReplayKey } from "../../domain/sampling/replay-key.ts";
import { noSuchServer, type Refusal } from "../../domain/refusals.ts";
import { err } from "../../domain/result.ts";
import type { Codec } from "../../mcp/codec.ts";
import type { RequestId } from "../../mcp/json-text/exact-ids.ts";
import { messageKey } from "../../pipeline/sampling/request/message-key.ts";
import type { Declared } from "../../pipeline/sampling/choice/choose.ts";
import { idempotencyKeyOf } from "../../mcp/idempotency-key.ts";
import { approvalMessage, patienceWithProgressMs, progressOf } from "../../mcp/progress.ts";
import type { AnsweredBy } from "../../pipeline/sampling/request/idempotency.ts";
import type { Waiting } from "../../pipeline/sampling/request/sampling-request.ts";
import type { Exchange } from "../exchange.ts";
import { sampleForServer, type SamplingDeps } from "../sample-for-server.ts";
import type { LegacyServices } from "./services.ts";
import { answerHeaders, answerText, declineClientRequest } from "./post-answer.ts";

/** Concurrent requests of one stream. The next one waits, and the server's stream waits with it. */
const maxRunning = 32;

export type AnsweringDeps = SamplingDeps &
  Pick<
    LegacyServices,
    "deliver" | "cancellation" | "idempotency" | "background" | "note" | "sha256Hex"
  >;

export interface AskingStream {
  tool: string | null;
  /** the client's request that the stream answers; null: the GET stream, or several requests */
  answers: RequestId | null;
  isOpen: () => boolean;
}

export interface Negotiated {
  revision: string;
  codec: Codec;
  declared: Declared;
}

interface KnownRequest {
  params: JsonObject;
  messageId: string;
  /** within which the server's ids are unique; null if unknown: nothing is stored */
  scope: string | null;
}

interface Asked {
  params: JsonObject;
  replayKey: ReplayKey | null;
  /** bytes of a request that was too large to buffer */
  oversized: { refusal: Refusal; bytes: number } | null;
}

interface AnsweredText {
  requestId: string;
  answeredBy: AnsweredBy;
  text: string;
}

export interface Answering {
  /** Starts to answer. Waits only while too many of this stream's requests run. */
  start(request: { id: RequestId; params: JsonObject }, eventId: string | null): Promise<void>;
  refuseOversized(id: RequestId, limitBytes: number): void;
  decline(request: { id: RequestId; method: string }): void;
  /** Cancels the request with the server's id, wherever it runs. False if the router has no such request. */
  cancel(serverRequestId: unknown): Promise<boolean>;
  isRunning(): boolean;
}

export function createAnswering(
  deps: AnsweringDeps,
  context: { exchange: Exchange; stream: AskingStream; negotiated: Negotiated },
): Answering {
  const { exchange, stream, negotiated } = context;
  const { server, caller } = exchange;
  const { session, snapshot } = caller;
  const { codec, declared } = negotiated;
  const tenantId = snapshot.tenant.id;
  /** A server may use one id twice, and cancels both requests by it. */
  const running = new Set<{ messageId: string; ending: AbortController }>();
  let finished: PromiseWithResolvers<void> | null = null;

  const messageIdOf = (id: unknown): Promise<string> =>
    messageKey(deps, JSON.stringify(id ?? null));

  /** Without a session, the event's id identifies the stream. */
  const scopeOf = async (eventId: string | null): Promise<string | null> => {
    if (session !== null) return session.id;
    if (eventId === null) return null;
    return `${snapshot.key.id}/${server.id}/${await messageKey(deps, eventId)}`;
  };

  const replayKeyOf = async ({
    params,
    messageId,
    scope,
  }: KnownRequest): Promise<ReplayKey | null> => {
    const key = idempotencyKeyOf(noHeaders, params);
    const joins = key.ok && key.value !== null ? await deps.sha256Hex(key.value) : null;
    if (scope !== null)
      return { kind: "stream", scope, messageId, ...(joins !== null && { joins }) };
    return joins === null ? null : { kind: "client", key: joins };
  };

  const deliver = (text: string): Promise<number> =>
    deps.deliver({
      server,
      caller,
      headers: answerHeaders(exchange.headers, { revision: negotiated.revision, session }),
      authorization: exchange.authorization,
      body: text,
    });

  const noteFailure = (status: number | null): void => {
    if (status !== null && (status < 200 || status >= 300))
      deps.note({ event: "undelivered", requestId: exchange.requestId, status });
  };

  /** A server that asked for progress gets it, and waits for an approver for as long as its client does. */
  const waitingOf = (params: JsonObject): { waiting?: () => Waiting } => {
    const progress = progressOf(params, deps.elapsed, {
      message: approvalMessage,
      notify: (note) => deps.background(deliver(JSON.stringify(note)).then(noteFailure)),
    });
    return progress === null
      ? {}
      : {
          waiting: () => ({
            patienceMs: stream.isOpen() ? Infinity : patienceWithProgressMs,
            progress,
          }),
        };
  };

  /** Uses the caller as of now, since the stream is older than the request. */
  const answerTo = async (
    id: RequestId,
    { params, replayKey, oversized }: Asked,
    signal: AbortSignal,
  ): Promise<AnsweredText> => {
    const refused = (refusal: Refusal): AnsweredText => {
      const { requestId } = exchange;
      const text = answerText(id, codec, { requestId, outcome: err(refusal) });
      return { requestId, answeredBy: "this-call", text };
    };
    try {
      const now = await exchange.current();
      if (!now.ok) return refused(now.error);
      const entry = now.value.server;
      if (entry === null) return refused(noSuchServer);
      const sampled = await sampleForServer(deps, {
        caller: now.value,
        server: entry,
        exchange,
        request: {
          params,
          codec,
          declared,
          clientInfo: session?.clientInfo ?? {},
          tool: stream.tool,
          messageId: stream.answers === null ? null : await messageIdOf(stream.answers),
          replayKey,
          ...waitingOf(params),
          oversizedBytes: oversized?.bytes ?? null,
          denied: oversized?.refusal ?? faultOfKey(params) ?? deniedBy(entry),
        },
        signal,
      });
      const { requestId, answeredBy } = sampled;
      return { requestId, answeredBy, text: answerText(id, codec, sampled) };
    } catch (thrown) {
      // Whatever went wrong here, the server is waiting for an answer.
      deps.report(exchange.requestId, thrown);
      return refused({ reason: "internal" });
    }
  };

  const answer = async (id: RequestId, known: KnownRequest): Promise<number | null> => {
    const { params, messageId, scope } = known;
    const entry = { messageId, ending: new AbortController() };
    running.add(entry);
    const watch =
      scope === null
        ? null
        : deps.cancellation.watch(
            { tenantId, sessionId: scope, messageId: `server:${messageId}` },
            deps.now(),
          );
    try {
      const ended = entry.ending.signal;
      const signal = watch === null ? ended : AbortSignal.any([ended, watch.signal]);
      const replayKey = await replayKeyOf(known);
      const answered = await answerTo(id, { params, replayKey, oversized: null }, signal);
      const { text, answeredBy, requestId } = answered;
      // A concurrent call with the same id answers it. A call that joins by its own key has another id.
      const isAnswered = answeredBy === "concurrent-call" && replayKey?.kind !== "client";
      if (signal.aborted || isAnswered) return null;
      const status = await deliver(text);
      if (replayKey !== null)
        await deps.idempotency.recordDelivery({ tenantId, requestId }, status);
      return status;
    } finally {
      watch?.stop();
      running.delete(entry);
      finished?.resolve();
      finished = null;
    }
  };

  return {
    async start({ id, params }, eventId) {
      const known = { params, messageId: await messageIdOf(id), scope: await scopeOf(eventId) };
      while (running.size >= maxRunning) await (finished ??= Promise.withResolvers<void>()).promise;
      deps.background(
        answer(id, known).then(noteFailure, (thrown: unknown) =>
          deps.report(exchange.requestId, thrown),
        ),
      );
    },
    refuseOversized(id, limitBytes) {
      const refusal = { reason: "payload_too_large", limitBytes } as const;
      const asked = { params: {}, replayKey: null, oversized: { refusal, bytes: limitBytes } };
      const { signal } = new AbortController();
      deps.background(answerTo(id, asked, signal).then(({ text }) => deliver(text)));
    },
    decline: (request) =>
      deps.background(deliver(JSON.stringify(declineClientRequest(request, exchange.requestId)))),
    async cancel(serverRequestId) {
      const messageId = await messageIdOf(serverRequestId);
      const here = [...running].filter((entry) => entry.messageId === messageId);
      for (const { ending } of here) ending.abort();
      if (session === null) return here.length > 0;
      const { keyId, serverId, id: sessionId } = session;
      // Also reaches a request that runs elsewhere, or has not been admitted yet.
      await deps.cancellation.cancel({
        tenantId: session.tenantId,
        sessionId,
        messageId: `server:${messageId}`,
      });
      if (here.length > 0) return true;
      const keyPrefix = streamKeyPrefix(sessionId, messageId);
      const taken = await deps.idempotency.isPrefixTaken(
        { tenantId: session.tenantId, keyId, serverId, keyPrefix },
        deps.now(),
      );
      return taken.ok && taken.value;
    },
    isRunning: () => running.size > 0,
  };
}

const noHeaders = { get: () => null };

const faultOfKey = (params: JsonObject): Refusal | null => {
  const key = idempotencyKeyOf(noHeaders, params);
  return key.ok ? null : key.error;
};
