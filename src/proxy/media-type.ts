/** The media type of a message, and the types that its sender takes. */
import type { MessageHeaders } from "../domain/servers/message-headers.ts";
import type { UpstreamAnswer } from "../domain/ports/upstream.ts";
import { mediaTypeIn, type MediaKind } from "../domain/servers/media-type.ts";

const kindOf = ({ headers }: Pick<UpstreamAnswer, "headers">): MediaKind =>
  mediaTypeIn(headers.get("content-type")).kind;

export const isJson = (response: Pick<UpstreamAnswer, "headers">): boolean =>
  kindOf(response) === "json";
export const isEventStream = (response: Pick<UpstreamAnswer, "headers">): boolean =>
  kindOf(response) === "event-stream";

/** A stream that answers. A stream beside an error status is no answer. */
export const streamsAnswer = (response: Pick<UpstreamAnswer, "headers" | "ok">): boolean =>
  response.ok && isEventStream(response);

export const takesStream = (headers: Pick<MessageHeaders, "get">): boolean =>
  (headers.get("Accept") ?? "").includes("text/event-stream");

/**
 * Headers of a body that goes on while it arrives. A proxy that compresses on the way to the client would hold
 * back what has come so far, unless a coding is set, or the body may not be transformed (RFC 9111, 5.2.2.6).
 */
export function streamedHeaders(headers: Record<string, string>): Record<string, string> {
  const rules = headers["cache-control"];
  return {
    ...headers,
    "content-encoding": "identity",
    "cache-control": rules === undefined ? "no-transform" : `${rules}, no-transform`,
  };
}
