/**
 * What content negotiation and a tenant's rules change in a call. The sentences below are added to the system
 * prompt and never replace it, and priorities fill in where the call gave none. Nothing else changes: not who
 * may call, not which models are allowed, not what is limited.
 */
import {
  holds,
  parsePredicate,
  refusesInteraction,
  type Features,
  type Format,
  type Verbosity,
} from "./negotiation.ts";
import type { Modality } from "../modality.ts";
import type { Priorities, SamplingCall } from "./call.ts";

/** Applies when every predicate of `when` holds. Of several rules that apply, the last one decides. */
export interface ShapingRule {
  when: string[];
  set: {
    defaultPriorities?: Priorities;
    verbosity?: Verbosity;
    format?: Format;
    systemPromptSuffix?: string;
  };
}

export interface Shaping {
  format: Format | null;
  verbosity: Verbosity | null;
  defaultPriorities: Priorities;
  suffixes: string[];
  /** positions of the rules that applied */
  rules: number[];
}

/** Documented in docs/content-negotiation.md, word for word. */
export const formatSentences: Record<Format, string> = {
  json: "Answer with one JSON value and nothing else: no prose, no code fence.",
  text: "Answer in plain text, without Markdown.",
  markdown: "Answer in Markdown.",
};
export const verbositySentences: Record<Verbosity, string> = {
  compact: "Be brief: answer only what was asked, without explanation.",
  standard: "Answer at ordinary length.",
  verbose: "Answer in full detail, with explanation.",
};

/**
 * The client's own tags count first. The tenant's rules, which the tenant wrote knowing the tags, count over
 * them. What a server samples is read by the server's code. So there the tags of the server's client shape
 * nothing by themselves, and only the tenant's rules do, which read all tags.
 */
export function shapingOf({
  features,
  rules,
  readBy,
  wants,
}: {
  features: Features;
  rules: readonly ShapingRule[];
  /**
   * whose code reads the answer: that of the client, which declared the features, or that of the client's
   * server
   */
  readBy: "client" | "server";
  /** the modalities of the answer: format and verbosity shape text, and would only spoil an image's prompt */
  wants: readonly Modality[];
}): Shaping {
  const tagged = (name: string): string | null =>
    readBy === "client" ? (features.declared.get(name) ?? null) : null;
  const shaping: Shaping = {
    format: tagged("format") as Format | null,
    verbosity: tagged("verbosity") as Verbosity | null,
    defaultPriorities: {},
    suffixes: [],
    rules: [],
  };
  for (const [at, { when, set }] of rules.entries()) {
    const applies = when.every((text) => {
      const predicate = parsePredicate(text);
      return predicate !== null && holds(predicate, features);
    });
    if (!applies) continue;
    shaping.rules.push(at);
    shaping.format = set.format ?? shaping.format;
    shaping.verbosity = set.verbosity ?? shaping.verbosity;
    shaping.defaultPriorities = { ...shaping.defaultPriorities, ...set.defaultPriorities };
    if (set.systemPromptSuffix !== undefined) shaping.suffixes.push(set.systemPromptSuffix);
  }
  if (wants.includes("text")) return shaping;
  return { ...shaping, format: null, verbosity: null };
}

/** The call as the model will get it. */
export function shape(call: SamplingCall, shaping: Shaping): SamplingCall {
  const { format, verbosity, suffixes, defaultPriorities } = shaping;
  const sentences = [
    ...(format === null ? [] : [formatSentences[format]]),
    ...(verbosity === null ? [] : [verbositySentences[verbosity]]),
    ...suffixes,
  ];
  const shaped: SamplingCall = {
    ...call,
    priorities: { ...defaultPriorities, ...call.priorities },
  };
  if (sentences.length > 0)
    shaped.systemPrompt = [call.systemPrompt ?? "", ...sentences]
      .filter((text) => text !== "")
      .join("\n\n");
  if (format === "json") shaped.format = "json";
  return shaped;
}

/** What the audit record says of content negotiation; null: nothing was declared and no rule applied. */
export interface NegotiationRecord {
  features: string[];
  ignored: string[];
  format: Format | null;
  verbosity: Verbosity | null;
  rules: number[];
  /** false: the client said that nothing may be asked of a person */
  interactive: boolean;
}

export function recordOf(features: Features, shaping: Shaping): NegotiationRecord | null {
  const listed = [
    ...[...features.declared].map(([tag, value]) => (value === null ? tag : `${tag}=${value}`)),
    ...[...features.denied].map((tag) => `!${tag}`),
  ];
  const { format, verbosity, rules } = shaping;
  if (listed.length === 0 && features.ignored.length === 0 && rules.length === 0) return null;
  const interactive = !refusesInteraction(features);
  return { features: listed, ignored: features.ignored, format, verbosity, rules, interactive };
}
