/**
 * Answers the sampling requests that were intercepted on one legacy stream. Each answer is a POST of the router's
 * own to the server, in the same invocation: one invocation may not touch another's connections.
 */
import type { JsonObject } from "../../domain/json.ts";
import { deniedBy } from "../../domain/servers/answering.ts";
import { streamKeys, type ReplayKey } from "../../domain/sampling/replay-key.ts";
import { noSuchServer, type Refusal } from "../../domain/refusals.ts";
import { err, type Result } from "../../domain/result.ts";
import type { RequestId } from "../../mcp/json-text/exact-ids.ts";
import type { Caller } from "../../pipeline/callers/authenticate.ts";
import type { AnsweredBy } from "../../pipeline/sampling/request/idempotency.ts";
import { messageKey } from "../../pipeline/sampling/request/message-key.ts";
import { idempotencyKeyOf } from "../../mcp/idempotency-key.ts";
import { patienceWithProgressMs, progressOf } from "../../mcp/progress.ts";
import type { Waiting } from "../../pipeline/sampling/request/sampling-request.ts";
import { createBound } from "../bound.ts";
import type { Exchange } from "../exchange.ts";
import {
  answerMessage,
  sampleForServer,
  type SamplingDeps,
  type SamplingOutcome,
} from "../sample-for-server.ts";
import { declineClientRequest } from "./decline-client-request.ts";
import { answerHeaders, type Negotiated } from "./negotiated.ts";
import type { LegacyServices } from "./services.ts";

/** So many requests of one stream run at once. The next one waits, and the server's stream waits with it. */
const mostRunning = 32;

export type AnsweringDeps = SamplingDeps &
  Pick<
    LegacyServices,
    "deliver" | "cancellation" | "idempotency" | "background" | "note" | "sha256Hex"
  >;

/** The stream on which a server asks, as far as its answers depend on it. */
export interface AskingStream {
  /** the tool being called; null: the stream doesn't tell */
  tool: string | null;
  /** the client's request that the stream answers; null: the GET stream, or several requests */
  answers: RequestId | null;
  /** Whether the client's request is still open, or the stream where no request is told. */
  isOpen: () => boolean;
}

/** A server's request as the stores know it. */
interface KnownRequest {
  id: RequestId;
  params: JsonObject;
  /** the server's id, as rows know it */
  messageId: string;
  /** within which the server's ids are unique; null: nothing says so, and nothing is remembered */
  scope: string | null;
}

/** Why a request is refused whatever the request asks, and how large it was. */
interface Oversized {
  refusal: Refusal;
  bytes: number;
}

export interface AnsweredText {
  /** of the audit record */
  requestId: string;
  answeredBy: AnsweredBy;
  /** the JSON-RPC message for the server */
  text: string;
}

export interface Answering {
  /** Begins to answer, and waits only while too many of this stream's requests run. */
  start(request: { id: RequestId; params: JsonObject }, eventId: string | null): Promise<void>;
  /** Refuses a request that was too large to be held. */
  refuseOversized(id: RequestId, limitBytes: number): void;
  /** Refuses what only a client could do. */
  decline(request: { id: RequestId; method: string }): void;
  /** Ends the request that a server takes back, wherever it runs. false: no request of the router's had that id. */
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
  const bound = createBound(mostRunning);
  /** A server may ask twice under one id, and cancels both by it. `messageId`: the id, as rows know it */
  const running = new Set<{ messageId: string; ending: AbortController }>();

  const messageIdOf = (id: unknown): Promise<string> =>
    messageKey(deps, JSON.stringify(id ?? null));

  /** Without a session, an event's id has to do. */
  const scopeOf = async (eventId: string | null): Promise<string | null> => {
    if (session !== null) return session.id;
    if (eventId === null) return null;
    return `${snapshot.key.id}/${server.id}/${await messageKey(deps, eventId)}`;
  };

  /** By what the request is known again. Without a scope, only by the key of the call that it joins. */
  const replayKeyOf = async ({
    params,
    messageId,
    scope,
  }: Omit<KnownRequest, "id">): Promise<ReplayKey | null> => {
    const key = idempotencyKeyOf(noHeaders, params);
    const joins = key.ok && key.value !== null ? await deps.sha256Hex(key.value) : null;
    if (scope !== null)
      return { kind: "stream", scope, messageId, ...(joins !== null && { joins }) };
    return joins === null ? null : { kind: "client", key: joins };
  };

  const deliver = (text: string): Promise<number> =>
    deps.deliver({
      server,
      caller: exchange.caller,
      headers: answerHeaders(exchange.headers, { revision: negotiated.revision, session }),
      authorization: exchange.authorization,
      body: text,
    });

  const noteFailure = (status: number | null): void => {
    if (status !== null && (status < 200 || status >= 300))
      deps.note({ event: "undelivered", requestId: exchange.requestId, status });
  };

  /** A server that asked for progress gets it, and waits for a person for as long as its client does. */
  const waitingOf = (params: JsonObject): { waiting?: () => Waiting } => {
    const progress = progressOf(params, deps.elapsed, (message) =>
      deps.background(deliver(JSON.stringify(message)).then(noteFailure)),
    );
    return progress === null
      ? {}
      : {
          waiting: () => ({
            patienceMs: stream.isOpen() ? Infinity : patienceWithProgressMs,
            progress,
          }),
        };
  };

  const sample = async (
    now: Caller,
    request: { params: JsonObject; replayKey: ReplayKey | null; oversized: Oversized | null },
    signal: AbortSignal,
  ): ReturnType<typeof sampleForServer> => {
    const entry = now.server ?? server;
    return sampleForServer(deps, {
      caller: now,
      server: entry,
      exchange,
      request: {
        params: request.params,
        codec,
        declared,
        clientInfo: session?.clientInfo ?? {},
        tool: stream.tool,
        messageId: stream.answers === null ? null : await messageIdOf(stream.answers),
        replayKey: request.replayKey,
        ...waitingOf(request.params),
        oversizedBytes: request.oversized?.bytes ?? null,
        denied: request.oversized?.refusal ?? faultOfKey(request.params) ?? deniedBy(entry),
      },
      signal,
    });
  };

  /** The answer to one request, as its caller may have it by now: the stream is older than the request. */
  const answerTo = async (
    id: RequestId,
    request: { params: JsonObject; replayKey: ReplayKey | null; oversized: Oversized | null },
    signal: AbortSignal,
  ): Promise<AnsweredText> => {
    const textOf = (sampled: SamplingOutcome): AnsweredText => ({
      requestId: sampled.requestId,
      answeredBy: sampled.answeredBy,
      text: JSON.stringify(answerMessage(id, codec, sampled)),
    });
    const refused = (refusal: Refusal): AnsweredText => {
      const { requestId } = exchange;
      return textOf({ requestId, answeredBy: "this-call", outcome: err(refusal) });
    };
    try {
      const now = withServer(await exchange.current());
      return now.ok ? textOf(await sample(now.value, request, signal)) : refused(now.error);
    } catch (thrown) {
      // The server waits for an answer, whatever bug there is here.
      deps.report(exchange.requestId, thrown);
      return refused({ reason: "internal" });
    }
  };

  /** The status with which the server took the answer; null: nobody waits for an answer from here. */
  const answer = async ({ id, params, messageId, scope }: KnownRequest): Promise<number | null> => {
    const ending = new AbortController();
    const entry = { messageId, ending };
    running.add(entry);
    const watch =
      scope === null
        ? null
        : deps.cancellation.watch(
            { tenantId, sessionId: scope, messageId: `server:${messageId}` },
            deps.now(),
          );
    try {
      const signal =
        watch === null ? ending.signal : AbortSignal.any([ending.signal, watch.signal]);
      const replayKey = await replayKeyOf({ params, messageId, scope });
      const answered = await answerTo(id, { params, replayKey, oversized: null }, signal);
      const { text, answeredBy, requestId } = answered;
      // The other call has the same id, and is answered. One that names its call has an id of its own.
      const isAnswered = answeredBy === "concurrent-call" && replayKey?.kind !== "client";
      if (signal.aborted || isAnswered) return null;
      const status = await deliver(text);
      if (replayKey !== null) await deps.idempotency.deliver({ tenantId, requestId }, status);
      return status;
    } finally {
      watch?.stop();
      running.delete(entry);
    }
  };

  return {
    async start({ id, params }, eventId) {
      const [messageId, scope] = [await messageIdOf(id), await scopeOf(eventId)];
      const leave = await bound.enter();
      const work = answer({ id, params, messageId, scope })
        .then(noteFailure, (thrown: unknown) => deps.report(exchange.requestId, thrown))
        .finally(leave);
      deps.background(work);
    },
    refuseOversized(id, limitBytes) {
      const oversized = {
        refusal: { reason: "payload_too_large", limitBytes } as const,
        bytes: limitBytes,
      };
      const refuse = async (): Promise<void> => {
        const { signal } = new AbortController();
        await deliver(
          (await answerTo(id, { params: {}, replayKey: null, oversized }, signal)).text,
        );
      };
      deps.background(refuse());
    },
    decline: (request) =>
      deps.background(deliver(JSON.stringify(declineClientRequest(request, exchange.requestId)))),
    async cancel(serverRequestId) {
      const messageId = await messageIdOf(serverRequestId);
      const here = [...running].filter((entry) => entry.messageId === messageId);
      for (const { ending } of here) ending.abort();
      if (session === null) return here.length > 0;
      const { keyId, serverId, id: sessionId } = session;
      // Also for a request that runs elsewhere, be it on the way to its admission.
      await deps.cancellation.cancel({
        tenantId: session.tenantId,
        sessionId,
        messageId: `server:${messageId}`,
      });
      if (here.length > 0) return true;
      const keys = streamKeys(sessionId, messageId);
      const taken = await deps.idempotency.isTaken(
        { tenantId: session.tenantId, keyId, serverId, keys },
        deps.now(),
      );
      return taken.ok && taken.value;
    },
    isRunning: () => running.size > 0,
  };
}

/** A server has no headers for its own requests. */
const noHeaders = { get: () => null };

const faultOfKey = (params: JsonObject): Refusal | null => {
  const key = idempotencyKeyOf(noHeaders, params);
  return key.ok ? null : key.error;
};

/** A caller whose server is gone by now has nobody to sample for. */
function withServer(caller: Result<Caller, Refusal>): Result<Caller, Refusal> {
  return caller.ok && caller.value.server === null ? err(noSuchServer) : caller;
}
