/**
 * The content-negotiation extension, 1.0: what a client says about the content that it wants. Tags shape
 * content. Tags never decide authentication, authorisation, trust or limits, and nothing in this file can.
 * Source: the extension's draft; predicates after RFC 2295, section 6.
 */
import { isObject, own, type JsonObject } from "../json.ts";

export const contentNegotiationKey = "io.modelcontextprotocol/content-negotiation";

export const formats = ["json", "text", "markdown"] as const;
export type Format = (typeof formats)[number];
export const verbosities = ["compact", "standard", "verbose"] as const;
export type Verbosity = (typeof verbosities)[number];

/** What a client declared. A tag that is not listed differs from a tag that is listed as `!tag`. */
export interface Features {
  /** tag → its value; null for a tag without one */
  declared: Map<string, string | null>;
  /** tags listed as `!tag` */
  denied: Set<string>;
  /** tags as they came, cut short: unknown, malformed or contradicting an earlier tag */
  ignored: string[];
}

const plainTags = new Set([
  "agent",
  "human",
  "mcp-capable",
  "interactive",
  "sampling",
  "elicitation",
  "roots",
  "tasks",
]);
const valuedTags: Record<string, readonly string[]> = { format: formats, verbosity: verbosities };
const vendorTag = /^x-[a-z0-9][a-z0-9._-]*$/i;
const tagValue = /^[a-z0-9][a-z0-9._+/-]*$/i;
const maxFeatures = 64;
const maxShown = 64;

/** One well-formed tag; null: the text is none. At most one `=`, at most one leading `!`, no white space. */
function parseTag(text: string): { name: string; value: string | null; denied: boolean } | null {
  const denied = text.startsWith("!");
  const [name = "", value, ...more] = (denied ? text.slice(1) : text).split("=");
  if (more.length > 0 || (denied && value !== undefined)) return null;
  if (value === undefined)
    return plainTags.has(name) || vendorTag.test(name) ? { name, value: null, denied } : null;
  if (vendorTag.test(name)) return tagValue.test(value) ? { name, value, denied } : null;
  const allowed = Object.hasOwn(valuedTags, name) ? valuedTags[name] : undefined;
  return allowed?.includes(value) ? { name, value, denied } : null;
}

const shown = (text: unknown): string =>
  typeof text === "string" ? text.slice(0, maxShown) : typeof text;

/** Reads the extension from raw capabilities. Anything odd is recorded, and is never an error. */
export function featuresOf(capabilities: JsonObject): Features {
  const features: Features = { declared: new Map(), denied: new Set(), ignored: [] };
  const extension = own(own(capabilities, "extensions"), contentNegotiationKey);
  if (!isObject(extension)) return features;
  const version = own(extension, "version");
  const listed = own(extension, "features");
  if (version !== undefined && !/^1(\.|$)/.test(shown(version))) {
    features.ignored.push(`version ${shown(version)}`);
    return features;
  }
  if (!Array.isArray(listed)) return features;
  for (const [at, text] of listed.entries()) {
    const tag = at < maxFeatures && typeof text === "string" ? parseTag(text) : null;
    const contradicts =
      tag !== null && (features.declared.has(tag.name) || features.denied.has(tag.name));
    if (tag === null || contradicts) features.ignored.push(shown(text));
    else if (tag.denied) features.denied.add(tag.name);
    else features.declared.set(tag.name, tag.value);
    if (features.ignored.length >= maxFeatures) break;
  }
  return features;
}

/** `agent`, `!interactive`, `format=json`, `format!=xml`. */
export type Predicate =
  | { kind: "present" | "absent"; tag: string }
  | { kind: "equals" | "differs"; tag: string; value: string };

const predicateShape =
  /^(?:(?<not>!)?(?<tag>[a-z][a-z0-9._-]*)|(?<key>[a-z][a-z0-9._-]*)(?<operator>!?=)(?<value>[a-z0-9][a-z0-9._+/-]*))$/i;

/** null: the text is none of the four. */
export function parsePredicate(text: string): Predicate | null {
  const groups = predicateShape.exec(text)?.groups;
  if (groups === undefined) return null;
  const { not, tag, key, operator, value } = groups;
  if (tag !== undefined) return { kind: not === undefined ? "present" : "absent", tag };
  if (key === undefined || value === undefined) return null;
  return { kind: operator === "=" ? "equals" : "differs", tag: key, value };
}

/**
 * `!tag` holds when the tag is not declared, whether it is listed as `!tag` or not listed at all. `tag!=value`
 * holds only when the tag is declared with another value.
 */
export function holds(predicate: Predicate, { declared }: Pick<Features, "declared">): boolean {
  const has = declared.has(predicate.tag);
  const value = declared.get(predicate.tag) ?? null;
  switch (predicate.kind) {
    case "present":
      return has;
    case "absent":
      return !has;
    case "equals":
      return value === predicate.value;
    case "differs":
      return value !== null && value !== predicate.value;
  }
}

/** Only a client that says so refuses interaction. A client that says nothing does not. */
export const refusesInteraction = ({ denied }: Features): boolean => denied.has("interactive");
