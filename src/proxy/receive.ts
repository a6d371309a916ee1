/**
 * `/mcp/{tenant}/{server}`: finds the caller, the server and the era, and hands the message to the era's own
 * files.
 */
import type { ClientMessage } from "../domain/ports/client-message.ts";
import type { MessageHeaders } from "../domain/servers/message-headers.ts";
import type { ClientAnswer } from "../domain/ports/client-answer.ts";
import { bearerOf } from "../domain/tenancy/access.ts";
import { own } from "../domain/json.ts";
import { noSuchServer, type Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { Caller, Claim } from "../pipeline/callers/authenticate.ts";
import type { Door } from "../pipeline/sampling/turns.ts";
import type { Challenges } from "../pipeline/servers/challenges.ts";
import { anyToken } from "../domain/tenancy/grant-ids.ts";
import { isModern } from "../mcp/era.ts";
import { bodyIn, requestsIn, type ProxiedBody } from "../mcp/message.ts";
import { proxiedBounds, readBody, unparsable } from "../mcp/body.ts";
import type { BridgeServices } from "./bridge/services.ts";
import { derive, refuse, type Exchange } from "./exchange.ts";
import { idToRefuse } from "../mcp/json-text/ambiguous.ts";
import { faultOf } from "./client-faults.ts";
import { keyEnded } from "./key-watch.ts";
import { admitBody, type LargeBodyServices } from "./large-bodies.ts";
import type { HeldExchange, OpenExchanges } from "./open-exchanges.ts";
import { openAnswer } from "./open-answer.ts";
import { earlyFor, openKindOf } from "./waiting.ts";
import { dispatchLegacy, dispatchModern } from "./dispatch.ts";

/** What the proxy needs from the message's arrival on. */
export interface ReceiveServices extends BridgeServices, LargeBodyServices {
  challenges: Pick<Challenges, "challenge">;
  door: Pick<Door, "pause">;
  openExchanges: OpenExchanges;
}

export const routerKeyHeader = "X-Sampling-Router-Key";
const sessionHeader = "Mcp-Session-Id";

/** Reads past a byte order mark, as servers do: it is no part of the JSON. */
const decoder = new TextDecoder();
/** One of our API keys or access tokens, wherever it stands. It is never forwarded as an authorization. */
const isOwn = (text: string): boolean => /\bsrk_/i.test(text) || anyToken.test(text);

/** A request as the route gets it. */
export interface Inbound {
  request: ClientMessage;
  path: string;
  /** the tenant and the server in the path */
  through: { tenant: string; server: string };
  requestId: string;
  /** how a refusal is sent where no JSON-RPC request asked */
  problem: (refusal: Refusal) => Response;
}

/** The API key, and the `Authorization` for the server, if the key came in the other header. */
function keyIn(headers: MessageHeaders): { token: string | null; authorization: string | null } {
  const authorization = headers.get("Authorization");
  const key = headers.get(routerKeyHeader);
  return key === null
    ? { token: bearerOf(authorization ?? undefined), authorization: null }
    : { token: key.trim(), authorization: isOwn(authorization ?? "") ? null : authorization };
}

/** Without the session header: no check has said yet whose session the header names. */
function withoutSession(from: MessageHeaders): Headers {
  const headers = new Headers([...from]);
  headers.delete(sessionHeader);
  return headers;
}

/** `initialize` without a `_meta` is legacy, whatever the header says, because that era begins with it. */
function speaksModern(body: ProxiedBody | null, headers: MessageHeaders): boolean {
  const [message] = body?.messages ?? [];
  const params =
    message?.kind === "request" || message?.kind === "notification" ? message.params : {};
  const begins = message?.kind === "request" && message.method === "initialize";
  if (body?.batch === true || (begins && own(params, "_meta") === undefined)) return false;
  // In a session, an unknown revision in the header doesn't change the session's era.
  return isModern(params, headers.has(sessionHeader) ? null : headers.get("MCP-Protocol-Version"));
}

/**
 * A server may ask on the client's GET stream as soon as it gets a request. So no request overtakes the GET
 * that was sent before it, however long the database takes for either.
 */
export async function receive(services: ReceiveServices, inbound: Inbound): Promise<ClientAnswer> {
  const { headers, method, signal } = inbound.request;
  const session = headers.get(sessionHeader);
  if (session === null) return handle(services, inbound);
  const { streams } = services;
  const sender = JSON.stringify([inbound.path, session, keyIn(headers).token]);
  if (method === "POST") await streams.untilOpened(sender, signal);
  if (method !== "GET") return handle(services, inbound);
  const opened = streams.isOpening(sender);
  return handle(services, inbound).finally(opened);
}

/** A message as it was read, before the router knows whose message it is. */
interface ReadMessage {
  /** the client's `Authorization`, where its key came in the other header */
  authorization: string | null;
  method: Exchange["method"];
  bytes: Uint8Array<ArrayBuffer>;
  text: string;
  body: ProxiedBody | null;
  /** why the body was not parsed; null: it was, or there is none */
  unparsable: Refusal | null;
  isModern: boolean;
  claim: Claim;
  /** The body doesn't count against its key. */
  wasOfUse: () => void;
}

async function readMessage(
  services: LargeBodyServices,
  { request, through }: Inbound,
): Promise<Result<ReadMessage, Refusal>> {
  const { headers } = request;
  const { token, authorization } = keyIn(headers);
  if (token === null)
    return err({
      reason: "unauthorized",
      detail: `Send an API key as Authorization: Bearer <API key>, or in ${routerKeyHeader}.`,
    });
  const anybody: Claim = { token, sessionId: null, scope: "proxy", through };
  const admitted = await admitBody(services, request, anybody);
  if (!admitted.ok) return admitted;
  const read = await readBody(request, proxiedBounds);
  if (!read.ok) return read;
  const text = decoder.decode(read.value);
  const method = request.method as Exchange["method"];
  const refusal = method === "POST" ? unparsable(read.value) : null;
  const body = method === "POST" && refusal === null ? bodyIn(text) : null;
  const isModernMessage = speaksModern(body, headers);
  // The modern era has no sessions. But a server of both eras may know a session by that id, even
  // another key's.
  const sessionId = isModernMessage ? null : headers.get(sessionHeader);
  return ok({
    authorization,
    method,
    bytes: read.value,
    text,
    body,
    unparsable: refusal,
    isModern: isModernMessage,
    claim: { ...anybody, sessionId },
    wasOfUse: admitted.value,
  });
}

/** The refusal of a caller, with the word on where a client finds out how to be let in. */
async function challenged(
  { challenges }: Pick<ReceiveServices, "challenges">,
  { request, through }: Inbound,
  { refusal, answer }: { refusal: Refusal; answer: ClientAnswer },
): Promise<ClientAnswer> {
  const challenge = await challenges.challenge({
    resource: { kind: "server", ...through },
    token: keyIn(request.headers).token,
    refusal,
  });
  if (challenge !== null && answer instanceof Response)
    answer.headers.set("WWW-Authenticate", challenge);
  return answer;
}

async function handle(services: ReceiveServices, inbound: Inbound): Promise<ClientAnswer> {
  const { requestId, problem } = inbound;
  const startedAt = services.now();
  const read = await readMessage(services, inbound);
  if (!read.ok)
    return challenged(services, inbound, { refusal: read.error, answer: problem(read.error) });
  const message = read.value;
  const { body, text, method } = message;
  const caller = await services.authenticate(message.claim, "recent");
  const [request] = body === null ? [] : requestsIn(body);
  const refused = (refusal: Refusal): Promise<ClientAnswer> | ClientAnswer =>
    request === undefined ? problem(refusal) : refuse(refusal, { id: request.id, requestId });
  if (!caller.ok) {
    const answer = await refused(caller.error);
    return challenged(services, inbound, { refusal: caller.error, answer });
  }
  const { server } = caller.value;
  if (server === null) return refused(noSuchServer);
  const { session } = caller.value;
  const fault = await faultOf(message, {
    server,
    session,
    headers: inbound.request.headers,
    pause: services.door.pause,
  });
  if (fault !== null)
    return fault.isAmbiguous
      ? refuse(fault.refusal, { id: idToRefuse(text), requestId })
      : refused(fault.refusal);
  message.wasOfUse();
  const { key, tenant } = caller.value.snapshot;
  const whose = { keyId: key.id, tenantId: tenant.id };
  const held = services.openExchanges.begin(openKindOf(method, body), whose);
  if (!held.ok) return refused(held.error);
  const exchange = exchangeOf(services, {
    inbound,
    message,
    caller: caller.value,
    server,
    startedAt,
  });
  return answerExchange(services, { exchange, message, held: held.value, refused });
}

function exchangeOf(
  { authenticate }: Pick<ReceiveServices, "authenticate">,
  context: {
    inbound: Inbound;
    message: ReadMessage;
    caller: Caller;
    server: Exchange["server"];
    startedAt: number;
  },
): Exchange {
  const { inbound, message, caller, server, startedAt } = context;
  const { headers, signal } = inbound.request;
  const { claim, isModern: isModernMessage, authorization, method, bytes, text, body } = message;
  return {
    caller,
    server,
    current: () => authenticate(claim, "recent"),
    again: () => authenticate(claim, "database"),
    method,
    headers: isModernMessage && headers.has(sessionHeader) ? withoutSession(headers) : headers,
    authorization,
    bytes,
    text,
    body,
    requestId: inbound.requestId,
    startedAt,
    left: signal,
    owner: null,
  };
}

/** The answer to the exchange, which is held open until its client has it or has left. */
function answerExchange(
  services: BridgeServices & Pick<ReceiveServices, "authenticate">,
  context: {
    exchange: Exchange;
    message: ReadMessage;
    held: HeldExchange;
    refused: (refusal: Refusal) => Promise<ClientAnswer> | ClientAnswer;
  },
): Promise<ClientAnswer> {
  const { exchange, message, held, refused } = context;
  const dispatch = message.isModern ? dispatchModern : dispatchLegacy;
  // Without the session, so that all streams of a key rest on one reading.
  const ofKey = { ...message.claim, sessionId: null };
  return openAnswer({
    waitedMs: services.now() - exchange.startedAt,
    work: (left, owner) => dispatch(services, derive(exchange, { left, owner })),
    left: exchange.left,
    early: earlyFor(exchange, message.isModern),
    held,
    keyEnded: () => keyEnded(() => services.authenticate(ofKey, "watch")),
    async failed(thrown) {
      services.report(exchange.requestId, thrown);
      return refused({ reason: "internal" });
    },
    background: services.background,
  });
}
