/**
 * Strict: official clients search for `text/event-stream` anywhere in the header, so lenient parsing would let
 * messages bypass the router.
 */
import { memoizedByText } from "../memoized.ts";
import type { MessageHeaders } from "./message-headers.ts";

export type MediaKind = "json" | "event-stream" | "other";

export interface MediaType {
  kind: MediaKind;
  essence: string;
  /** whether a client could mistake a parameter for a type */
  hasOtherParameters: boolean;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const quoted = '"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"';
// No ambiguity in white space, which would allow exponential backtracking.
const parameter = `;[ \\t]*(?:${token}=(?:${token}|${quoted})[ \\t]*)?`;
const wellFormed = new RegExp(`^(${token}/${token})[ \\t]*((?:${parameter})*)$`);
const charset = /;[ \t]*charset="?([^";\s]*)"?/gi;
const utf8 = /^utf-?8$/i;

const kinds: ReadonlyMap<string, MediaKind> = new Map([
  ["application/json", "json"],
  ["text/event-stream", "event-stream"],
]);
const unreadable: MediaType = { kind: "other", essence: "", hasOtherParameters: true };

function typeIn(header: string): MediaType {
  const [, type, parameters = ""] = wellFormed.exec(header.replace(/^[ \t]+/, "")) ?? [];
  if (type === undefined) return unreadable;
  const essence = type.toLowerCase();
  const charsets = [...parameters.matchAll(charset)].map(([, name = ""]) => name);
  // JSON and event streams are UTF-8; with another charset, a client would read other text than the router.
  if (!charsets.every((name) => utf8.test(name)))
    return { kind: "other", essence, hasOtherParameters: true };
  return {
    kind: kinds.get(essence) ?? "other",
    essence,
    hasOtherParameters: parameters.replaceAll(charset, "").replaceAll(/[;\s]/g, "") !== "",
  };
}

const remembered = memoizedByText(typeIn);

export const mediaTypeIn = (header: string | null): MediaType => remembered(header ?? "");

export const isAnyJson = ({ kind, essence }: MediaType): boolean =>
  kind === "json" || /^application\/[^+]+\+json$/.test(essence);

interface Typed {
  headers: Pick<MessageHeaders, "get">;
}

export const isJson = ({ headers }: Typed): boolean =>
  mediaTypeIn(headers.get("content-type")).kind === "json";
export const isEventStream = ({ headers }: Typed): boolean =>
  mediaTypeIn(headers.get("content-type")).kind === "event-stream";

export const streamsAnswer = (response: Typed & { ok: boolean }): boolean =>
  response.ok && isEventStream(response);

export const takesStream = (headers: Pick<MessageHeaders, "get">): boolean =>
  (headers.get("Accept") ?? "").includes("text/event-stream");

/**
 * An intermediary that compresses would delay a stream, unless a coding is set or the body may not be
 * transformed (RFC 9111, 5.2.2.6).
 */
export function streamedHeaders(headers: Record<string, string>): Record<string, string> {
  const rules = headers["cache-control"];
  return {
    ...headers,
    "content-encoding": "identity",
    "cache-control": rules === undefined ? "no-transform" : `${rules}, no-transform`,
  };
}
