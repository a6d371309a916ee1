/** Appends sentences to the system prompt and sets default priorities; never affects authorization or limits. */
import {
  isSatisfied,
  parsePredicate,
  refusesInteraction,
  type Features,
  type Format,
  type Verbosity,
} from "./negotiation.ts";
import type { Modality } from "../modality.ts";
import type { Priorities, SamplingCall } from "./call.ts";

/** Applies if all predicates match. The last matching rule wins. */
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
  rules: number[];
}

/** Documented verbatim in docs/content-negotiation.md. */
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

/** Rules take precedence over tags. If the server's code reads the answer, tags only matter as predicates. */
export function shapingOf({
  features,
  rules,
  readBy,
  wants,
}: {
  features: Features;
  rules: readonly ShapingRule[];
  readBy: "client" | "server";
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
      return predicate !== null && isSatisfied(predicate, features);
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

export interface NegotiationRecord {
  features: string[];
  ignored: string[];
  format: Format | null;
  verbosity: Verbosity | null;
  rules: number[];
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
