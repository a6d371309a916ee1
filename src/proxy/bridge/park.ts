/**
 * A modern client's call before a legacy server that may ask the client: the call has a session of its own, and its connection
 * is kept while the client is away to answer.
 */
import { own, parsedJson } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import type { CarriedState } from "../../domain/sampling/rounds.ts";
import { ok, type Result } from "../../domain/result.ts";
import { serverFailed } from "../../domain/refusals.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { isId, parsedMessages } from "../../mcp/json-text/exact-ids.ts";
import { textAt } from "../../mcp/json-text/parts.ts";
import { messageIn, type ProxiedRequest } from "../../mcp/message.ts";
import type { ModernMeta } from "../../mcp/rev2026/codec.ts";
import { roundWire } from "../../mcp/rev2026/round.ts";
import { bytesOf, eventsOf } from "../../mcp/server-answer.ts";
import { sseMessageText } from "../../mcp/sse/write.ts";
import { legacyRequest, type LegacyRequest } from "../../mcp/translate/to-legacy.ts";
import { askedMethod } from "../../domain/servers/asking.ts";
import { streamsAnswer } from "../../domain/servers/media-type.ts";
import type { ClientAnswer } from "../../domain/ports/client-answer.ts";
import type { ClientReply } from "../client-reply.ts";
import { derive, type Exchange } from "../exchange.ts";
import { proxyLegacy } from "../legacy/message.ts";
import { answerHeaders, declineClientRequest } from "../legacy/post-answer.ts";
import { stateOwnerOf } from "../modern/message.ts";
import {
  beginLegacySession,
  cancelInSession,
  endLegacySession,
  inSession,
} from "./legacy-session.ts";
import type { ParkedCall, ParkedCalls, ParkedOutcome } from "./parked-calls.ts";
import { mayHaveRun, questionKey } from "./resume-parked.ts";
import type { BridgeServices } from "./services.ts";
import { tendParked } from "./tend-parked.ts";

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
export async function* messagesOf(response: ClientAnswer): AsyncGenerator<string, undefined> {
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

/** @returns the server's status; 0: none */
const answerServer = (
  services: BridgeServices,
  exchange: Exchange,
  { session, body }: { session: Session; body: string },
): Promise<number> =>
  services.deliver({
    server: exchange.server,
    caller: exchange.caller,
    headers: answerHeaders(exchange.headers, { revision: session.revision, session }),
    authorization: exchange.authorization,
    body,
  });

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

const notTaken = (status: number): Refusal =>
  mayHaveRun("It didn't take the client's answer.", status === 0 ? undefined : status);
const noAnswer: Refusal = {
  reason: "input_missing",
  detail: "The client didn't come back in time.",
};

async function keep(
  services: BridgeServices,
  { call, calls, session }: Pick<Keeping, "call" | "calls" | "session">,
): Promise<Result<null, Refusal>> {
  if (calls.find(call.id, call.tenantId) !== null) return ok(null);
  const counted = await services.sessions.park(session);
  const until = counted.ok ? calls.keep(call) : null;
  if (until !== null) services.background(tendParked(services, { calls, until }));
  return counted;
}

/** Reads the server's stream to its answer. Each question ends a round of the client's. */
async function follow(
  services: BridgeServices,
  exchange: Exchange,
  keeping: Keeping,
): Promise<ParkedOutcome> {
  const { call, calls, session, legacy, stop } = keeping;
  const response = await proxyLegacy(services, exchange);
  for await (const text of messagesOf(response)) {
    const message = messageIn(parsedMessages(text) ?? null);
    if (message.kind === "request" && isId(message.id)) {
      const { id, method } = message;
      if (method !== askedMethod) {
        const declined = declineClientRequest({ id, method }, exchange.requestId);
        await answerServer(services, exchange, { session, body: JSON.stringify(declined) });
        continue;
      }
      const parked = await keep(services, keeping);
      const answer = parked.ok
        ? await untilAnswered(
            services,
            call.conclude({ kind: "asks", params: textAt(text, ["params"]) ?? "{}" }),
            { stop: calls.waitsUntil(stop.signal), patienceMs: calls.patienceMs },
          )
        : null;
      const result = answer ?? '{"action":"cancel"}';
      const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
      const status = await answerServer(services, exchange, { session, body });
      if (!parked.ok) return { kind: "refused", refusal: parked.error };
      if (answer === null) return { kind: "refused", refusal: noAnswer };
      if (status === 0 || status >= 400) return { kind: "refused", refusal: notTaken(status) };
      continue;
    }
    const translated = legacy.translate(text);
    if (translated.kind === "answer") return { kind: "answer", text: translated.text };
    if (translated.kind !== "notification") continue;
    const reply = keeping.reply();
    reply?.begin({});
    await reply?.write(sseMessageText(translated.text));
  }
  return { kind: "refused", refusal: serverFailed("Its stream ended without an answer.") };
}

interface Parking {
  request: ProxiedRequest;
  meta: ModernMeta;
  reply: ClientReply;
  gone: AbortSignal;
}

/** A round and its outcome. null: the client has left */
type Reached = NonNullable<CarriedState["parked"]> & { outcome: ParkedOutcome | null };

/** Begins the call in a session of its own. */
export async function beginParked(
  services: BridgeServices,
  exchange: Exchange,
  { calls, request, meta, reply, gone }: Parking & { calls: ParkedCalls },
): Promise<Result<Reached, Refusal>> {
  const messageId = JSON.stringify(services.ids.next("request"));
  // The call outlives the client's request.
  const stop = new AbortController();
  const there = derive(exchange, { left: stop.signal });
  const begun = await beginLegacySession(services, there, {
    meta,
    key: `parks ${messageId}`,
    parks: true,
  });
  if (!begun.ok) return begun;
  const session = begun.value;
  const legacy = legacyRequest(exchange.text, request.method, messageId);
  const call = calls.begin(session, () => stop.abort());
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
    await call.end();
    // An aborted stream ends with an error response of the relay's.
    if (outcome.kind === "refused" || stop.signal.aborted)
      await cancelInSession(services, exchange, { session, meta, messageId });
    stop.abort();
    await endLegacySession(services, exchange, session);
  };
  services.background(run());
  const outcome = await call.outcomeOf(0, gone);
  return ok({ id: call.id, epoch: calls.epoch, round: 0, outcome });
}

/** The result that asks the client, JSON text. */
export async function askParked(
  services: BridgeServices,
  exchange: Exchange,
  context: {
    request: ProxiedRequest;
    /** of the next answer */
    parked: NonNullable<CarriedState["parked"]>;
    params: string;
    patienceMs: number;
  },
): Promise<string> {
  const { request, parked, params, patienceMs } = context;
  const state = await services.states.wrap(
    await stateOwnerOf(services, exchange, request),
    { state: null, answers: [], rounds: parked.round, parked },
    patienceMs,
  );
  const given = parsedJson(params);
  const isPage = own(given, "mode") === "url";
  const kept = isPage ? ["message", "mode", "url"] : ["message", "mode", "requestedSchema"];
  const members = kept.flatMap((name): [string, string][] => {
    const text = textAt(params, [name]);
    return text === null ? [] : [[name, text]];
  });
  const entry = `{"method":"${askedMethod}","params":${roundWire.objectText(members)}}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},"result":{"resultType":"input_required","inputRequests":{${JSON.stringify(questionKey)}:${entry}},"requestState":${JSON.stringify(state)}}}`;
}
