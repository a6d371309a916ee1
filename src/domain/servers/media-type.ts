/**
 * The media type of a server's body, as RFC 9110 (8.3.1) writes it. Read strictly: official clients look for
 * `text/event-stream` anywhere in the header. A type that the router reads otherwise, or does not understand,
 * could reach a client unseen.
 */

import { rememberedByText } from "../remembered.ts";

export type MediaKind = "json" | "event-stream" | "other";

export interface MediaType {
  kind: MediaKind;
  /** in lower case, without parameters; "" where the header can't be read */
  essence: string;
  /** Whether there is a parameter that a client could take for a type. */
  hasOtherParameters: boolean;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const quoted = '"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"';
// Each blank can match in one place only, so that a server that writes many blanks can't keep the
// reader busy.
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
  // JSON and event streams are UTF-8. A client that reads another charset reads another text than
  // the router did.
  if (!charsets.every((name) => utf8.test(name)))
    return { kind: "other", essence, hasOtherParameters: true };
  return {
    kind: kinds.get(essence) ?? "other",
    essence,
    hasOtherParameters: parameters.replaceAll(charset, "").replaceAll(/[;\s]/g, "") !== "",
  };
}

const remembered = rememberedByText(typeIn);

/** @param header null: the answer has none */
export const mediaTypeIn = (header: string | null): MediaType => remembered(header ?? "");

/** JSON of any kind, such as problem details. */
export const isAnyJson = ({ kind, essence }: MediaType): boolean =>
  kind === "json" || /^application\/[^+]+\+json$/.test(essence);
