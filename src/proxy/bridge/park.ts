/**
 * A modern client's call before a legacy server that may ask the client: the call has a session of its own, and its connection
 * is kept while the client is away to answer.
 */
import { own, parsedJson } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { err, ok, type Result } from "../../domain/result.ts";
import { faultOfAnswer } from "../../domain/servers/asking.ts";
import type { CarriedState } from "../../domain/sampling/rounds.ts";
import { serverFailed } from "../../domain/refusals.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { isId, parsedMessages, type RequestId } from "../../mcp/json-text/exact-ids.ts";
import { textAt } from "../../mcp/json-text/parts.ts";
import { messageIn, type ProxiedRequest } from "../../mcp/message.ts";
import type { ModernMeta } from "../../mcp/rev2026/codec.ts";
import { roundWire } from "../../mcp/rev2026/round.ts";
import { bytesOf, eventsOf } from "../../mcp/server-answer.ts";
import { sseMessageText } from "../../mcp/sse/write.ts";
import { legacyRequest, type LegacyRequest } from "../../mcp/translate/to-legacy.ts";
import { streamsAnswer } from "../../domain/servers/media-type.ts";
import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import type { ClientReply } from "../client-reply.ts";
import { derive, type Exchange } from "../exchange.ts";
import { proxyLegacy } from "../legacy/message.ts";
import { answerHeaders } from "../legacy/post-answer.ts";
import { stateOwnerOf } from "../modern/message.ts";
import { stateRefused } from "../modern/round-state.ts";
import {
  beginLegacySession,
  cancelInSession,
  endLegacySession,
  inSession,
} from "./legacy-session.ts";
import type { ParkedCall, ParkedCalls, ParkedOutcome } from "./parked-calls.ts";
import type { BridgeServices } from "./services.ts";

/** The router's key of a server's question. */
const questionKey = "sampling-router/question";

const lost: Refusal = {
  ...serverFailed(
    "The router lost the connection that waited for this answer. The request may have taken effect, and isn't repeated.",
  ),
  retryable: false,
} as Refusal;

interface Keeping {
  call: ParkedCall;
  calls: ParkedCalls;
  session: Session;
  legacy: LegacyRequest;
  /** aborts the request to the server */
  stop: AbortController;
  /** takes what the server sends before its first question; null: dropped */
  reply: () => ClientReply | null;
}

/** The messages of a server's answer; unlike `for await`, reading pauses with the consumer. */
async function* messagesOf(response: ClientAnswer): AsyncGenerator<string, undefined> {
  if (!streamsAnswer(response)) {
    const bytes = await bytesOf(response);
    if (bytes !== null) yield new TextDecoder().decode(bytes);
    return undefined;
  }
  const { segments } = eventsOf(response, {
    mayNeedRouter: () => true,
    surelyHarmless: () => false,
  });
  for await (const segment of segments) if (segment.kind === "event") yield segment.data;
  return undefined;
}

/** Sends the client's answer, or the end of waiting, to the server. */
async function answerServer(
  services: BridgeServices,
  exchange: Exchange,
  { session, id, result }: { session: Session; id: RequestId; result: string },
): Promise<void> {
  await services.deliver({
    server: exchange.server,
    caller: exchange.caller,
    headers: answerHeaders(exchange.headers, { revision: session.revision, session }),
    authorization: exchange.authorization,
    body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`,
  });
}

/** Waits for the client. null: it didn't come. */
async function untilAnswered(
  services: Pick<BridgeServices, "wait">,
  answer: Promise<string>,
  { stop, patienceMs }: { stop: AbortSignal; patienceMs: number },
): Promise<string | null> {
  const over = new AbortController();
  const late = services.wait(patienceMs, AbortSignal.any([over.signal, stop])).then(() => null);
  try {
    return await Promise.race([answer, late]);
  } finally {
    over.abort();
  }
}

const noAnswer: Refusal = {
  reason: "input_missing",
  detail: "The client didn't come back in time.",
};

/** Reads the server's stream to its answer. Each question ends a round of the client's. */
async function follow(
  services: BridgeServices,
  exchange: Exchange,
  keeping: Keeping,
): Promise<ParkedOutcome> {
  const { call, calls, session, legacy, stop } = keeping;
  const whose = { tenantId: session.tenantId, keyId: session.keyId };
  const response = await proxyLegacy(services, exchange);
  for await (const text of messagesOf(response)) {
    const message = messageIn(parsedMessages(text) ?? null);
    if (message.kind === "request" && isId(message.id)) {
      const parked = calls.park(call, whose);
      const answer = parked.ok
        ? await untilAnswered(
            services,
            call.conclude({ kind: "asks", params: textAt(text, ["params"]) ?? "{}" }),
            { stop: calls.waitsUntil(stop.signal), patienceMs: calls.patienceMs },
          )
        : null;
      const result = answer ?? '{"action":"cancel"}';
      await answerServer(services, exchange, { session, id: message.id, result });
      if (!parked.ok) return { kind: "refused", refusal: parked.error };
      if (answer === null) return { kind: "refused", refusal: noAnswer };
      continue;
    }
    const translated = legacy.translate(text);
    if (translated.kind === "answer") return { kind: "answer", text: translated.text };
    if (translated.kind === "notification")
      await keeping.reply()?.write(sseMessageText(translated.text));
  }
  return { kind: "refused", refusal: serverFailed("Its stream ended without an answer.") };
}

interface Parking {
  request: ProxiedRequest;
  meta: ModernMeta;
  reply: ClientReply;
  gone: AbortSignal;
}

/** Begins the call in a session of its own. */
export async function beginParked(
  services: BridgeServices,
  exchange: Exchange,
  { calls, request, meta, reply, gone }: Parking & { calls: ParkedCalls },
): Promise<Result<ParkedCall, Refusal>> {
  const id = services.ids.next("request");
  const messageId = JSON.stringify(id);
  // The call outlives the client's request.
  const stop = new AbortController();
  const there = derive(exchange, { left: stop.signal });
  const begun = await beginLegacySession(services, there, {
    meta,
    key: `parks ${id}`,
    parks: true,
  });
  if (!begun.ok) return begun;
  const session = begun.value;
  const legacy = legacyRequest(exchange.text, request.method, messageId);
  const call = calls.begin(id, () => stop.abort());
  const keeping: Keeping = {
    call,
    calls,
    session,
    legacy,
    stop,
    reply: () => (call.round() === 0 && !gone.aborted ? reply : null),
  };
  const asked = inSession(services, there, { session, meta, text: legacy.text, left: stop.signal });
  const run = async (): Promise<void> => {
    const outcome = await follow(services, asked, keeping).catch(
      (thrown: unknown): ParkedOutcome => {
        if (!stop.signal.aborted) services.report(exchange.requestId, thrown);
        return { kind: "refused", refusal: { reason: "cancelled" } };
      },
    );
    void call.conclude(outcome);
    call.end();
    if (outcome.kind === "refused")
      await cancelInSession(services, exchange, { session, meta, messageId });
    stop.abort();
    await endLegacySession(services, exchange, session);
  };
  services.background(run());
  return ok(call);
}

/** @returns the call, with this answer; a repeated answer joins the first */
export async function resumeParked(
  services: BridgeServices,
  exchange: Exchange,
  { calls, state }: { calls: ParkedCalls; state: NonNullable<CarriedState["parked"]> },
): Promise<Result<{ call: ParkedCall; round: number }, Refusal>> {
  const { id, epoch, round } = state;
  const call = epoch === calls.epoch ? calls.find(id) : null;
  if (call === null) return err(lost);
  const text = roundWire.responsesOf(exchange.text).get(questionKey);
  // Asked again.
  if (text === undefined) return ok({ call, round: round - 1 });
  const fault = faultOfAnswer({ result: parsedJson(text) ?? null });
  if (fault !== null) return err(fault);
  const digest = await services.sha256Hex(text);
  return call.answer(round, { digest, text }) ? ok({ call, round }) : err(stateRefused);
}

/** The result that asks the client, JSON text. */
export async function askParked(
  services: BridgeServices,
  exchange: Exchange,
  context: {
    request: ProxiedRequest;
    call: ParkedCall;
    round: number;
    params: string;
    calls: ParkedCalls;
  },
): Promise<string> {
  const { request, call, round, params } = context;
  const { epoch, patienceMs } = context.calls;
  const state = await services.states.wrap(
    await stateOwnerOf(services, exchange, request),
    { state: null, answers: [], rounds: round, parked: { id: call.id, epoch, round: round + 1 } },
    patienceMs,
  );
  const given = parsedJson(params);
  const isPage = own(given, "mode") === "url";
  const kept = isPage ? ["message", "mode", "url"] : ["message", "mode", "requestedSchema"];
  const members = kept.flatMap((name): [string, string][] => {
    const text = textAt(params, [name]);
    return text === null ? [] : [[name, text]];
  });
  const entry = `{"method":"elicitation/create","params":${roundWire.objectText(members)}}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},"result":{"resultType":"input_required","inputRequests":{${JSON.stringify(questionKey)}:${entry}},"requestState":${JSON.stringify(state)}}}`;
}
