/**
 * Client messages that the router can't read as the server does. Where the router answers sampling, or refuses it, such a
 * message could answer in the router's place, or open a stream that nobody intercepts.
 */
import type { MessageHeaders } from "../domain/servers/message-headers.ts";
import type { Refusal } from "../domain/refusals.ts";
import type { Session } from "../domain/tenancy/session.ts";
import { isPlainUtf8, plainJson } from "../mcp/body.ts";
import { isLegacy, namesModern } from "../mcp/era.ts";
import { ambiguityInSlices } from "../mcp/json-text/ambiguous.ts";
import type { ProxiedBody } from "../mcp/message.ts";
import { modernRevision } from "../mcp/rev2026/codec.ts";
import type { Exchange } from "./exchange.ts";

/** Messages of one batch. Each may cost a read of the database. */
const mostMessages = 100;

/**
 * Why a message can't go to a server whose sampling the router may answer. A message that the router reads
 * otherwise than the server, or can't read, could answer in the router's place. null: it can go.
 */
function unreadable(headers: MessageHeaders, body: ProxiedBody | null): Refusal | null {
  if (!isPlainUtf8(headers)) return { reason: "unsupported_media_type", expected: plainJson };
  if (body === null) return { reason: "parse_error" };
  if (body.messages.length > mostMessages)
    return {
      reason: "invalid_request",
      detail: `A batch holds at most ${mostMessages} messages.`,
    };
  const isMixed =
    body.batch && body.messages.some((each) => "params" in each && namesModern(each.params));
  return isMixed
    ? { reason: "invalid_request", detail: `${modernRevision} has no batches.` }
    : null;
}

/** A session has one revision. A message that names one that nobody knows may be read in another era. */
function unknownRevision(headers: MessageHeaders, session: Session | null): Refusal | null {
  const requested = headers.get("MCP-Protocol-Version");
  if (session === null || requested === null) return null;
  if (isLegacy(requested) || requested === session.revision) return null;
  return {
    reason: "unsupported_protocol_version",
    supported: [session.revision],
    requested: requested.slice(0, 50),
  };
}

/** Why the router can't let a message through that it must be able to read; null: nothing is wrong. */
export async function faultOf(
  message: Pick<Exchange, "method" | "bytes" | "body"> & { unparsable: Refusal | null },
  context: {
    server: Exchange["server"];
    session: Session | null;
    headers: MessageHeaders;
    pause: () => Promise<void>;
  },
): Promise<{ refusal: Refusal; isAmbiguous: boolean } | null> {
  const { method, bytes, body, unparsable } = message;
  const { server, session, headers, pause } = context;
  if (server.sampling === "client") return null;
  const unknown = unknownRevision(headers, session);
  if (unknown !== null) return { refusal: unknown, isAmbiguous: false };
  if (method !== "POST") return null;
  const refusal = unparsable ?? unreadable(headers, body);
  if (refusal !== null) return { refusal, isAmbiguous: false };
  const ambiguity = await ambiguityInSlices(bytes, { sender: "client", pause });
  return ambiguity === null ? null : { refusal: ambiguity, isAmbiguous: true };
}
