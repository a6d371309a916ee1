/** `/mcp/{tenant}/{server}`: reads a message, finds its caller and server, and sends it on its way. */
import type { ClientAnswer } from "../domain/ports/client-answer.ts";
import type { ClientMessage } from "../domain/ports/client-message.ts";
import { own } from "../domain/json.ts";
import type { HeldExchange, OpenExchanges } from "../domain/limits/open-exchanges.ts";
import type { OpenKind } from "../domain/limits/open-limits.ts";
import { noSuchServer, type Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { MessageHeaders } from "../domain/servers/message-headers.ts";
import { bearerOf } from "../domain/tenancy/access.ts";
import { anyToken } from "../domain/tenancy/grant-ids.ts";
import type { Session } from "../domain/tenancy/session.ts";
import { bytesToAdmit, proxiedBounds, readBody, unparsable } from "../mcp/body.ts";
import { clientFault } from "../mcp/client-faults.ts";
import { isModern } from "../mcp/era.ts";
import { idToRefuse } from "../mcp/json-text/ambiguous.ts";
import { bodyIn, requestsIn, type ProxiedBody } from "../mcp/message.ts";
import { listenMethod } from "../mcp/translate/subscriptions.ts";
import { admitBody, type LargeBodyServices } from "../pipeline/callers/body-allowance.ts";
import type { Claim } from "../pipeline/callers/authenticate.ts";
import type { Challenges } from "../pipeline/servers/challenges.ts";
import type { CallScheduler } from "../pipeline/sampling/scheduling.ts";
import { handlerOf } from "./dispatch.ts";
import { createExchange, refuse, type Exchange } from "./exchange.ts";
import { earlyFor, endsStream, openAnswer } from "./open-answer.ts";
import type { BridgeServices } from "./bridge/services.ts";

export interface ReceiveServices extends BridgeServices, LargeBodyServices {
  challenges: Pick<Challenges, "challenge">;
  callScheduler: Pick<CallScheduler, "pause">;
  openExchanges: OpenExchanges;
}

export const routerKeyHeader = "X-Sampling-Router-Key";
const sessionHeader = "Mcp-Session-Id";
const decoder = new TextDecoder();
/** An API key or access token of the router's, which is never forwarded. */
const isOwn = (text: string): boolean => /\bsrk_/i.test(text) || anyToken.test(text);

export interface Inbound {
  request: ClientMessage;
  path: string;
  through: { tenant: string; server: string };
  requestId: string;
  /** makes the answer to a message that isn't a JSON-RPC request */
  problem: (refusal: Refusal) => Response;
}

/** The API key, and the `Authorization` for the server if the key came in the other header. */
function keyIn(headers: MessageHeaders): { token: string | null; authorization: string | null } {
  const authorization = headers.get("Authorization");
  const key = headers.get(routerKeyHeader);
  return key === null
    ? { token: bearerOf(authorization ?? undefined), authorization: null }
    : { token: key.trim(), authorization: isOwn(authorization ?? "") ? null : authorization };
}

function withoutSession(from: MessageHeaders): Headers {
  const headers = new Headers([...from]);
  headers.delete(sessionHeader);
  return headers;
}

/** `initialize` without a `_meta` is legacy whatever the header says, because that era begins with it. */
function speaksModern(body: ProxiedBody | null, headers: MessageHeaders): boolean {
  const [message] = body?.messages ?? [];
  const params =
    message?.kind === "request" || message?.kind === "notification" ? message.params : {};
  const begins = message?.kind === "request" && message.method === "initialize";
  if (body?.batch === true || (begins && own(params, "_meta") === undefined)) return false;
  // In a session, an unknown revision in the header doesn't change the session's era.
  return isModern(params, headers.has(sessionHeader) ? null : headers.get("MCP-Protocol-Version"));
}

function openKindOf(method: Exchange["method"], body: ProxiedBody | null): OpenKind {
  if (method === "GET") return "streams";
  const [request] = body === null ? [] : requestsIn(body);
  if (request === undefined) return "messages";
  // 2026-07-28 has no GET. The response to this request is the stream of a client's subscriptions.
  return request.method === listenMethod ? "streams" : "requests";
}

/**
 * A server may send requests on the client's GET stream as soon as it gets a request. So no request overtakes the GET that
 * was sent before it, however long the database takes for either.
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

interface ReadMessage extends Pick<
  Exchange,
  "method" | "headers" | "authorization" | "bytes" | "text" | "body"
> {
  unparsable: Refusal | null;
  isModern: boolean;
  kind: OpenKind;
  claim: Claim;
  /** Keeps the body from counting against its key. */
  wasOfUse: () => void;
}

async function readMessage(
  services: ReceiveServices,
  { request, through }: Inbound,
): Promise<Result<ReadMessage, Refusal>> {
  const { headers } = request;
  const { token, authorization } = keyIn(headers);
  if (token === null)
    return err({
      reason: "unauthorized",
      detail: `Send an API key as Authorization: Bearer <API key>, or in ${routerKeyHeader}.`,
    });
  const claim: Claim = { token, sessionId: null, scope: "proxy", through };
  const admitted = await admitBody(services, claim, bytesToAdmit(request));
  if (!admitted.ok) return admitted;
  const read = await readBody(request, proxiedBounds);
  if (!read.ok) return read;
  const text = decoder.decode(read.value);
  const method = request.method as Exchange["method"];
  const refusal = method === "POST" ? unparsable(read.value) : null;
  const body = method === "POST" && refusal === null ? bodyIn(text) : null;
  const session = headers.get(sessionHeader);
  // The modern era has no sessions. But a server of both eras may have one with that id, even another key's.
  const isModernMessage = speaksModern(body, headers);
  return ok({
    method,
    headers: isModernMessage && session !== null ? withoutSession(headers) : headers,
    authorization,
    bytes: read.value,
    text,
    body,
    unparsable: refusal,
    isModern: isModernMessage,
    kind: openKindOf(method, body),
    claim: { ...claim, sessionId: isModernMessage ? null : session },
    wasOfUse: admitted.value,
  });
}

/** Adds to a refusal where a client learns how to authorize. */
async function challenged(
  { challenges }: ReceiveServices,
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

/**
 * Subscriptions end when a shutdown begins, and clients begin new ones. A direct GET stream stays: a call that is still running
 * may need it.
 */
function leftOf(
  { openExchanges: { drains } }: Pick<ReceiveServices, "openExchanges">,
  { signal }: ClientMessage,
  { message, session }: { message: Pick<ReadMessage, "kind" | "method">; session: Session | null },
): AbortSignal {
  const isSubscription =
    message.kind === "streams" && (message.method === "POST" || session?.bridge?.to === "modern");
  return drains !== undefined && isSubscription ? AbortSignal.any([signal, drains]) : signal;
}

async function handle(services: ReceiveServices, inbound: Inbound): Promise<ClientAnswer> {
  const { request: sent, requestId, problem } = inbound;
  const startedAt = services.now();
  const read = await readMessage(services, inbound);
  if (!read.ok)
    return challenged(services, inbound, { refusal: read.error, answer: problem(read.error) });
  const message = read.value;
  const found = await services.authenticate(message.claim, "recent");
  const [request] = message.body === null ? [] : requestsIn(message.body);
  const refused = (refusal: Refusal): Promise<ClientAnswer> | ClientAnswer =>
    request === undefined ? problem(refusal) : refuse(refusal, { id: request.id, requestId });
  if (!found.ok) {
    const answer = await refused(found.error);
    return challenged(services, inbound, { refusal: found.error, answer });
  }
  const { server, session, snapshot } = found.value;
  if (server === null) return refused(noSuchServer);
  if (server.sampling !== "client") {
    const { pause } = services.callScheduler;
    const fault = await clientFault({ ...message, headers: sent.headers }, { session, pause });
    if (fault !== null)
      return fault.isAmbiguous
        ? refuse(fault.refusal, { id: idToRefuse(message.text), requestId })
        : refused(fault.refusal);
  }
  message.wasOfUse();
  const left = leftOf(services, sent, { message, session });
  const holder = { keyId: snapshot.key.id, tenantId: snapshot.tenant.id };
  const held = services.openExchanges.begin(message.kind, holder);
  if (!held.ok) return refused(held.error);
  const about = { caller: found.value, server, requestId, startedAt, left, owner: null };
  return answerExchange(services, message, { about, held: held.value, refused });
}

function answerExchange(
  services: ReceiveServices,
  message: ReadMessage,
  context: {
    about: Pick<Exchange, "caller" | "server" | "requestId" | "startedAt" | "left" | "owner">;
    held: HeldExchange;
    refused: (refusal: Refusal) => Promise<ClientAnswer> | ClientAnswer;
  },
): Promise<ClientAnswer> {
  const { about, held, refused } = context;
  const exchange = createExchange(services, message.claim, { ...message, ...about });
  const era = message.isModern ? "modern" : "legacy";
  // Without the session, so that all streams of a key share one read.
  const claim = { ...message.claim, sessionId: null };
  return openAnswer({
    waitedMs: services.now() - exchange.startedAt,
    async work(left, owner) {
      const open = { ...exchange, left, owner };
      const handler = await handlerOf(services, open, era);
      return handler(services, open);
    },
    left: exchange.left,
    early: earlyFor(exchange, era),
    held,
    keyEnded: async () => endsStream(await services.authenticate(claim, "watch")),
    async failed(thrown) {
      services.report(exchange.requestId, thrown);
      return refused({ reason: "internal" });
    },
    background: services.background,
  });
}
