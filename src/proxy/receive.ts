/**
 * `/mcp/{tenant}/{server}`: finds the caller, the server and the era, and hands the message to the era's own
 * files.
 */
import { bearerOf } from "../domain/tenancy/access.ts";
import { own } from "../domain/json.ts";
import type { Refusal } from "../domain/refusals.ts";
import { isModern } from "../mcp/era.ts";
import { bodyIn, requestsIn, type ProxiedBody } from "../mcp/message.ts";
import { needsKnownCaller, readBody } from "../mcp/body.ts";
import type { BridgeServices } from "./bridge/services.ts";
import { derive, refuse, type Exchange } from "./exchange.ts";
import { ambiguityIn, idToRefuse } from "../mcp/json-text/ambiguous.ts";
import { keyEnded } from "./key-watch.ts";
import { openAnswer } from "./open-answer.ts";
import { earlyFor, openKindOf } from "./waiting.ts";
import { dispatchLegacy, dispatchModern } from "./dispatch.ts";

export const routerKeyHeader = "X-Sampling-Router-Key";
const sessionHeader = "Mcp-Session-Id";

/** Reads past a byte order mark, as servers do: it is no part of the JSON. */
const decoder = new TextDecoder();
/** Messages of one batch. Each may cost a read of the database. */
const mostMessages = 100;
/** One of our API keys, wherever it stands. It is never forwarded as an authorization. */
const ownKey = /\bsrk_/i;

/** A request as the route gets it. */
export interface Inbound {
  request: Request;
  path: string;
  /** the tenant and the server in the path */
  through: { tenant: string; server: string };
  requestId: string;
  /** how a refusal is sent where no JSON-RPC request asked */
  problem: (refusal: Refusal) => Response;
}

/** The API key, and the `Authorization` for the server, if the key came in the other header. */
function keyIn(headers: Headers): { token: string | null; authorization: string | null } {
  const authorization = headers.get("Authorization");
  const key = headers.get(routerKeyHeader);
  return key === null
    ? { token: bearerOf(authorization ?? undefined), authorization: null }
    : { token: key.trim(), authorization: ownKey.test(authorization ?? "") ? null : authorization };
}

/**
 * Why a message can't go to a server whose sampling the router may answer. A message that the router reads
 * otherwise than the server, or can't read, could answer in the router's place. null: it can go.
 */
function unreadable(headers: Headers, body: ProxiedBody | null): Refusal | null {
  const expected = "application/json in UTF-8, without a content coding";
  const coding = headers.get("Content-Encoding") ?? "identity";
  const charset = /;\s*charset\s*=\s*"?([^";]*)/i.exec(headers.get("Content-Type") ?? "")?.[1];
  if (!/^(identity)?$/i.test(coding.trim()) || !/^utf-?8$/i.test((charset ?? "utf-8").trim()))
    return { reason: "unsupported_media_type", expected };
  if (body === null) return { reason: "parse_error" };
  const detail = `A batch holds at most ${mostMessages} messages.`;
  return body.messages.length > mostMessages ? { reason: "invalid_request", detail } : null;
}

/** Without the session header: nobody has checked whose session it names. */
function withoutSession(from: Headers): Headers {
  const headers = new Headers(from);
  headers.delete(sessionHeader);
  return headers;
}

/** `initialize` without a `_meta` is legacy, whatever the header says, because that era begins with it. */
function speaksModern(body: ProxiedBody | null, header: string | null): boolean {
  const [message] = body?.messages ?? [];
  const params =
    message?.kind === "request" || message?.kind === "notification" ? message.params : {};
  const begins = message?.kind === "request" && message.method === "initialize";
  if (body?.batch === true || (begins && own(params, "_meta") === undefined)) return false;
  return isModern(params, header);
}

/**
 * A server may ask on the client's GET stream as soon as it gets a request. So no request overtakes the GET
 * that was sent before it, however long the database takes for either.
 */
export async function receive(services: BridgeServices, inbound: Inbound): Promise<Response> {
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

async function handle(services: BridgeServices, inbound: Inbound): Promise<Response> {
  const { request: raw, requestId, through, problem } = inbound;
  const startedAt = services.now();
  const { headers } = raw;
  const { token, authorization } = keyIn(headers);
  if (token === null)
    return problem({
      reason: "unauthorized",
      detail: `Send an API key as Authorization: Bearer <API key>, or in ${routerKeyHeader}.`,
    });
  const method = raw.method as Exchange["method"];
  if (needsKnownCaller(raw)) {
    const anybody = { token, sessionId: null, scope: "proxy", through } as const;
    const known = await services.authenticate(anybody, "memory");
    if (!known.ok) return problem(known.error);
  }
  const read = await readBody(raw);
  if (!read.ok) return problem(read.error);
  const text = decoder.decode(read.value);
  const body = method === "POST" ? bodyIn(text) : null;
  const modern = speaksModern(body, headers.get("MCP-Protocol-Version"));
  const claim = {
    token,
    // The modern era has no sessions. But a server of both eras may know a session by that id, even
    // another key's.
    sessionId: modern ? null : headers.get(sessionHeader),
    scope: "proxy",
    through,
  } as const;
  const caller = await services.authenticate(claim, "recent");
  const [request] = body === null ? [] : requestsIn(body);
  const refused = (refusal: Refusal): Promise<Response> | Response =>
    request === undefined ? problem(refusal) : refuse(refusal, { id: request.id, requestId });
  if (!caller.ok) return refused(caller.error);
  const { server } = caller.value;
  if (server === null) return refused({ reason: "not_found", what: "no such server" });
  const isRead = method === "POST" && server.sampling !== "client";
  const fault = isRead ? unreadable(headers, body) : null;
  if (fault !== null) return refused(fault);
  const ambiguity = isRead ? ambiguityIn(read.value, "client") : null;
  if (ambiguity !== null) return refuse(ambiguity, { id: idToRefuse(text), requestId });
  const { key, tenant } = caller.value.snapshot;
  const whose = { keyId: key.id, tenantId: tenant.id };
  const held = services.openExchanges.begin(openKindOf(method, body), whose);
  if (!held.ok) return refused(held.error);
  const exchange: Exchange = {
    caller: caller.value,
    server,
    current: () => services.authenticate(claim, "recent"),
    again: () => services.authenticate(claim, "database"),
    method,
    headers: modern && headers.has(sessionHeader) ? withoutSession(headers) : headers,
    authorization,
    bytes: read.value,
    text,
    body,
    requestId,
    startedAt,
    left: raw.signal,
  };
  const dispatch = modern ? dispatchModern : dispatchLegacy;
  // Without the session, so that all streams of a key rest on one reading.
  const ofKey = { ...claim, sessionId: null };
  return openAnswer({
    waitedMs: services.now() - startedAt,
    work: (left) => dispatch(services, derive(exchange, { left })),
    left: exchange.left,
    early: earlyFor(exchange, modern),
    held: held.value,
    keyEnded: () => keyEnded(() => services.authenticate(ofKey, "watch")),
    async failed(thrown) {
      services.report(requestId, thrown);
      return refused({ reason: "internal" });
    },
    background: services.background,
  });
}
