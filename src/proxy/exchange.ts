/** One message, or one stream, on its way through the proxy. */
import type { MessageHeaders } from "../domain/servers/message-headers.ts";
import type { StreamOwner } from "../mcp/sse/client-stream.ts";
import type { UpstreamAnswer } from "../domain/ports/upstream.ts";
import type { SealedServer } from "../domain/servers/server.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { bodyIn, type ProxiedBody } from "../mcp/message.ts";
import type { RequestId } from "../mcp/json-text/exact-ids.ts";
import type { Caller } from "../pipeline/callers/authenticate.ts";
import type { Sending } from "../pipeline/servers/upstream.ts";
import { legacyWireOf } from "../mcp/faults.ts";
import type { Wire } from "../mcp/codec.ts";
import type { ProxyServices } from "./services.ts";
import { responseOf } from "../domain/ports/client-answer.ts";
import { refusalReply, respond } from "../mcp/reply.ts";

export interface Exchange {
  /** `session` is the one that the server began, if there is one */
  caller: Caller;
  server: SealedServer;
  /** The caller as of now, a few seconds old at most: a stream outlives what it began with. */
  current: () => Promise<Result<Caller, Refusal>>;
  /** The caller once more, from the database. */
  again: () => Promise<Result<Caller, Refusal>>;
  method: "POST" | "GET" | "DELETE";
  /** the client's own headers; `Upstream` decides which of them go on */
  headers: MessageHeaders;
  /** the client's `Authorization`, where its key came in the other header */
  authorization: string | null;
  /** the body as it came; empty for GET and DELETE */
  bytes: Uint8Array<ArrayBuffer>;
  /** the body's text, UTF-8 */
  text: string;
  /** null: no JSON, or no body */
  body: ProxiedBody | null;
  requestId: string;
  startedAt: number;
  /** the client has left */
  left: AbortSignal;
  /** of the stream that answers the client; null: whoever reads the answer holds it */
  owner: StreamOwner | null;
}

/** What a derived exchange has of its own. Absent members stay as they are. */
export interface Derivation {
  /** How the way looks on a caller: on the caller of now, and on each that is looked up later. */
  caller?: (caller: Caller) => Caller;
  /** Refuses a caller that was read from the database again; null: nothing speaks against the caller. */
  confirm?: () => Promise<Refusal | null>;
  /** another message in the place of the client's */
  message?: { headers: MessageHeaders; text: string };
  /** another word for the client's leaving */
  left?: AbortSignal;
  owner?: StreamOwner;
}

/** An exchange made of another one: the one way to make it. */
export function derive(
  exchange: Exchange,
  { caller: view, confirm, message, left, owner }: Derivation,
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
    async again() {
      const read = await viewed(exchange.again());
      const refusal = read.ok ? ((await confirm?.()) ?? null) : null;
      return refusal === null ? read : err(refusal);
    },
    ...(message !== undefined && {
      headers: message.headers,
      text: message.text,
      bytes: new TextEncoder().encode(message.text),
      body: bodyIn(message.text),
      // Another message's answer goes to the router, and not as it comes to the client.
      owner: null,
    }),
    ...(owner !== undefined && { owner }),
    ...(left !== undefined && { left }),
  };
}

/** ms until a server's headers come. A server may hold its headers back until a tool has ended. */
const headersMs = 300_000;

/**
 * Sends a request to the server, under the client's headers. `signal` ends the request, and the body of its
 * answer.
 */
export const sendOn = (
  deps: Pick<ProxyServices, "upstream">,
  { server, caller, method, headers, authorization }: Exchange,
  body: Sending["body"],
  signal: AbortSignal,
): Promise<Result<UpstreamAnswer, Refusal>> =>
  deps.upstream({
    server,
    caller,
    method,
    headers,
    authorization,
    body,
    signal,
    timeoutMs: headersMs,
  });

/** Whether `text` is what the bytes say: bytes that are no UTF-8 were replaced in it. */
export function isFaithful({ text, bytes }: Pick<Exchange, "text" | "bytes">): boolean {
  if (!text.includes("\ufffd")) return true;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/**
 * A refusal as the client understands it: a JSON-RPC error where a request asked, with the status
 * that its era wants; else a problem with the refusal's HTTP status.
 */
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
