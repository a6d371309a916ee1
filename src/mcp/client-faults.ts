/**
 * Client messages that the router can't read as the server does. Where the router answers sampling, such a message could
 * answer in the router's place, or open a stream that isn't intercepted.
 */
import type { MessageHeaders } from "../domain/servers/message-headers.ts";
import type { Refusal } from "../domain/refusals.ts";
import type { Session } from "../domain/tenancy/session.ts";
import { isPlainUtf8, plainJson } from "./body.ts";
import { isLegacy, namesModern } from "./era.ts";
import { ambiguityInSlices } from "./json-text/ambiguous.ts";
import type { ProxiedBody } from "./message.ts";
import { modernRevision } from "./rev2026/codec.ts";

/** Per batch, since each message may cost a read of the database. */
const maxMessages = 100;

function unreadable(headers: MessageHeaders, body: ProxiedBody | null): Refusal | null {
  if (!isPlainUtf8(headers)) return { reason: "unsupported_media_type", expected: plainJson };
  if (body === null) return { reason: "parse_error" };
  if (body.messages.length > maxMessages)
    return {
      reason: "invalid_request",
      detail: `A batch holds at most ${maxMessages} messages.`,
    };
  const isMixed =
    body.batch && body.messages.some((each) => "params" in each && namesModern(each.params));
  return isMixed
    ? { reason: "invalid_request", detail: `${modernRevision} has no batches.` }
    : null;
}

/** A session has one revision. A server may read a message with an unknown one as of another era. */
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

/** @returns null if the router reads the message as the server does */
export async function clientFault(
  message: {
    method: string;
    headers: MessageHeaders;
    bytes: Uint8Array<ArrayBuffer>;
    body: ProxiedBody | null;
    unparsable: Refusal | null;
  },
  { session, pause }: { session: Session | null; pause: () => Promise<void> },
): Promise<{ refusal: Refusal; isAmbiguous: boolean } | null> {
  const { method, headers, bytes, body, unparsable } = message;
  const unknown = unknownRevision(headers, session);
  if (unknown !== null) return { refusal: unknown, isAmbiguous: false };
  if (method !== "POST") return null;
  const refusal = unparsable ?? unreadable(headers, body);
  if (refusal !== null) return { refusal, isAmbiguous: false };
  const ambiguity = await ambiguityInSlices(bytes, { sender: "client", pause });
  return ambiguity === null ? null : { refusal: ambiguity, isAmbiguous: true };
}
