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
  /** `session` is the one that the server began */
  caller: Caller;
  server: SealedServer;
  /** The caller as of now, at most a few seconds old: a stream outlives what it began with. */
  current: () => Promise<Result<Caller, Refusal>>;
  reauthenticate: () => Promise<Result<Caller, Refusal>>;
  method: "POST" | "GET" | "DELETE";
  headers: MessageHeaders;
  /** the client's `Authorization` if its key came in the other header */
  authorization: string | null;
  bytes: Uint8Array<ArrayBuffer>;
  text: string;
  body: ProxiedBody | null;
  requestId: string;
  startedAt: number;
  left: AbortSignal;
  /** of the stream that answers the client; null: the reader of the answer owns it */
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
  /** Applied to the caller of now and to each that is looked up later. */
  caller?: (caller: Caller) => Caller;
  /** Refuses a caller that was read again from the database; null: accepted. */
  confirm?: () => Promise<Refusal | null>;
  message?: { headers: MessageHeaders; text: string };
  left?: AbortSignal;
}

/** The exchange as another message, caller or client. */
export function derive(
  exchange: Exchange,
  { caller: view, confirm, message, left }: Derivation,
): Exchange {
  const seen = view?.(exchange.caller) ?? exchange.caller;
  const viewed = async (
    reading: Promise<Result<Caller, Refusal>>,
  ): Promise<Result<Caller, Refusal>> => {
    const read = await reading;
    return read.ok && view !== undefined ? ok(view(read.value)) : read;
  };
  return {
    ...exchange,
    caller: seen,
    server: seen.server ?? exchange.server,
    current: () => viewed(exchange.current()),
    async reauthenticate() {
      const read = await viewed(exchange.reauthenticate());
      const refusal = read.ok ? ((await confirm?.()) ?? null) : null;
      return refusal === null ? read : err(refusal);
    },
    ...(message !== undefined && {
      headers: message.headers,
      text: message.text,
      bytes: new TextEncoder().encode(message.text),
      body: bodyIn(message.text),
      // The router reads the answer to a message of its own.
      owner: null,
    }),
    ...(left !== undefined && { left }),
  };
}

/** The client's headers on a message of the other era. @param own names and values of that era's headers */
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

/** ms until a server's headers arrive. A server may hold them back until a tool has finished. */
const headersMs = 300_000;

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
    timeoutMs: headersMs,
    ...sending,
  });

/** A JSON-RPC error with the status of its era, or a problem document if the message wasn't a request. */
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
