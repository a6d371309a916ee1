import { responseOf } from "../domain/ports/client-answer.ts";
import type { UpstreamAnswer } from "../domain/ports/upstream.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { MessageHeaders } from "../domain/servers/message-headers.ts";
import type { SealedServer } from "../domain/servers/server.ts";
import type { Wire } from "../mcp/codec.ts";
import { legacyWireOf } from "../mcp/faults.ts";
import type { RequestId } from "../mcp/json-text/exact-ids.ts";
import { bodyIn, type ProxiedBody } from "../mcp/message.ts";
import { refusalReply, respond } from "../mcp/reply.ts";
import type { StreamOwner } from "../mcp/sse/client-stream.ts";
import type { Authenticate, Caller, Claim } from "../pipeline/callers/authenticate.ts";
import type { Sending } from "../pipeline/servers/upstream.ts";
import type { ProxyServices } from "./services.ts";

export interface Exchange {
  /** `caller.session` is the session that the server began */
  caller: Caller;
  server: SealedServer;
  /** The caller as read within the last seconds. A stream can outlive the key or session that it began with. */
  current: () => Promise<Result<Caller, Refusal>>;
  /** Reads the caller from the database. */
  reauthenticate: () => Promise<Result<Caller, Refusal>>;
  method: "POST" | "GET" | "DELETE";
  headers: MessageHeaders;
  /** the client's `Authorization` for the server, if its API key is in `X-Sampling-Router-Key` */
  authorization: string | null;
  bytes: Uint8Array<ArrayBuffer>;
  text: string;
  body: ProxiedBody | null;
  requestId: string;
  startedAt: number;
  left: AbortSignal;
  /** owner of the stream that answers the client; null: the answer's reader owns the stream */
  owner: StreamOwner | null;
}

export const createExchange = (
  { authenticate }: { authenticate: Authenticate },
  claim: Claim,
  about: Omit<Exchange, "current" | "reauthenticate">,
): Exchange => ({
  ...about,
  current: () => authenticate(claim, "recent"),
  reauthenticate: () => authenticate(claim, "database"),
});

export interface Derivation {
  /** Applied to the exchange's caller and to each caller that is read later. */
  caller?: (caller: Caller) => Caller;
  /** Called by `reauthenticate` after it has read the caller; null: accepted. */
  confirm?: () => Promise<Refusal | null>;
  message?: { headers: MessageHeaders; text: string };
  left?: AbortSignal;
}

/** The exchange with another caller, message, or abort signal. */
export function derive(
  exchange: Exchange,
  { caller: change, confirm, message, left }: Derivation,
): Exchange {
  const caller = change?.(exchange.caller) ?? exchange.caller;
  const changed = async (
    reading: Promise<Result<Caller, Refusal>>,
  ): Promise<Result<Caller, Refusal>> => {
    const read = await reading;
    return read.ok && change !== undefined ? ok(change(read.value)) : read;
  };
  return {
    ...exchange,
    caller,
    server: caller.server ?? exchange.server,
    current: () => changed(exchange.current()),
    async reauthenticate() {
      const read = await changed(exchange.reauthenticate());
      const refusal = read.ok ? ((await confirm?.()) ?? null) : null;
      return refusal === null ? read : err(refusal);
    },
    ...(message !== undefined && {
      headers: message.headers,
      text: message.text,
      bytes: new TextEncoder().encode(message.text),
      body: bodyIn(message.text),
      // The router, not the client, reads the answer to the router's own message.
      owner: null,
    }),
    ...(left !== undefined && { left }),
  };
}

/** The client's headers for a message that is translated to another era. @param own headers of that era */
export function headersFor(
  from: MessageHeaders,
  own: Iterable<readonly [string, string]>,
): Headers {
  const headers = new Headers([...from]);
  for (const [name] of from)
    if (name.startsWith("mcp-") || name === "last-event-id") headers.delete(name);
  headers.set("Content-Type", "application/json");
  headers.set("Accept", "application/json, text/event-stream");
  for (const [name, value] of own) headers.set(name, value);
  return headers;
}

/** A server may send its headers only when a tool has finished. */
const headersTimeoutMs = 300_000;

export const sendOn = (
  deps: Pick<ProxyServices, "upstream">,
  {
    server,
    caller,
    method,
    headers,
    authorization,
    left,
  }: Pick<Exchange, "server" | "caller" | "method" | "headers" | "authorization" | "left">,
  sending: Pick<Sending, "body"> &
    Partial<Pick<Sending, "method" | "headers" | "signal" | "timeoutMs">>,
): Promise<Result<UpstreamAnswer, Refusal>> =>
  deps.upstream({
    server,
    caller,
    method,
    headers,
    authorization,
    signal: left,
    timeoutMs: headersTimeoutMs,
    ...sending,
  });

/** A JSON-RPC error with the HTTP status of the client's era, or with the refusal's own status if the message has no id. */
export const refuse = async (
  refusal: Refusal,
  context: { id: RequestId | null; requestId: string; wireOf?: (refusal: Refusal) => Wire },
): Promise<Response> =>
  responseOf(
    await respond(
      refusalReply(context.id, refusal, context.requestId, {
        wireOf: context.wireOf ?? legacyWireOf,
      }),
      { acceptsStream: false, signal: AbortSignal.abort() },
    ),
  );
