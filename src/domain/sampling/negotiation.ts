/** Tags only shape content, never authorization or limits. Source: the extension's draft 1.0. */
import { isObject, own, type JsonObject } from "../json.ts";

export const contentNegotiationKey = "io.modelcontextprotocol/content-negotiation";

export const formats = ["json", "text", "markdown"] as const;
export type Format = (typeof formats)[number];
export const verbosities = ["compact", "standard", "verbose"] as const;
export type Verbosity = (typeof verbosities)[number];

/** An unlisted tag differs from one listed as `!tag`. */
export interface Features {
  declared: Map<string, string | null>;
  denied: Set<string>;
  /** unknown, malformed or contradicting tags, shortened */
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

export type Predicate =
  | { kind: "present" | "absent"; tag: string }
  | { kind: "equals" | "differs"; tag: string; value: string };

const predicateShape =
  /^(?:(?<not>!)?(?<tag>[a-z][a-z0-9._-]*)|(?<key>[a-z][a-z0-9._-]*)(?<operator>!?=)(?<value>[a-z0-9][a-z0-9._+/-]*))$/i;

export function parsePredicate(text: string): Predicate | null {
  const groups = predicateShape.exec(text)?.groups;
  if (groups === undefined) return null;
  const { not, tag, key, operator, value } = groups;
  if (tag !== undefined) return { kind: not === undefined ? "present" : "absent", tag };
  if (key === undefined || value === undefined) return null;
  return { kind: operator === "=" ? "equals" : "differs", tag: key, value };
}

/** `!tag` matches denied and unlisted tags. `tag!=value` only matches a declared tag with another value. */
export function isSatisfied(
  predicate: Predicate,
  { declared }: Pick<Features, "declared">,
): boolean {
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

export const refusesInteraction = ({ denied }: Features): boolean => denied.has("interactive");
