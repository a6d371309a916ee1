/**
 * The part of `metadata` that is sent: options under the provider's name that shape the answer. Some adapters
 * copy unknown options into the body, where they could change model, price, or retention.
 */
import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import { isObject, own, type JsonObject, type JsonValue } from "../domain/json.ts";

export type Kind = "language" | "image" | "speech";

const openai = [
  "user",
  "reasoningEffort",
  "textVerbosity",
  "parallelToolCalls",
  "promptCacheKey",
  "safetyIdentifier",
];
const passed: Readonly<Record<Kind, Readonly<Record<string, readonly string[]>>>> = {
  language: {
    openai,
    anthropic: ["effort", "disableParallelToolUse", "metadata", "cacheControl"],
    google: ["safetySettings", "thinkingConfig", "labels", "imageConfig"],
  },
  image: {
    openai: [
      "size",
      "quality",
      "background",
      "outputFormat",
      "outputCompression",
      "user",
      "safetyIdentifier",
    ],
  },
  speech: { google: ["voice"] },
};
const compatible: Readonly<Record<Kind, readonly string[]>> = {
  language: ["user", "reasoningEffort", "textVerbosity"],
  image: ["size", "quality", "user"],
  speech: ["voice", "outputFormat", "speed"],
};

/** `null` means absent, also in nested members. */
const withoutNulls = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(object).flatMap(([key, value]): [string, JsonValue][] => {
      if (value === null) return [];
      return [[key, isObject(value) ? withoutNulls(value) : value]];
    }),
  );

export function optionsFromMetadata(
  metadata: JsonObject,
  provider: string,
  kind: Kind = "language",
): { options: JsonObject | null; notes: string[] } {
  const given = own(metadata, provider);
  if (!isObject(given)) return { options: null, notes: [] };
  const named = passed[kind];
  const known = Object.hasOwn(named, provider) ? named[provider] : compatible[kind];
  const entries = Object.entries(withoutNulls(given));
  const kept = entries.filter(([key]) => known?.includes(key));
  const notes =
    kept.length === entries.length
      ? []
      : [`metadata.${provider}: ${entries.length - kept.length} option(s) not passed on`];
  return { options: kept.length === 0 ? null : Object.fromEntries(kept), notes };
}

/** The router's options win, since they control retention. */
export const mergeOptions = (
  namespace: string,
  fromMetadata: JsonObject | null,
  ours: SharedV4ProviderOptions | undefined,
): SharedV4ProviderOptions | undefined =>
  fromMetadata === null
    ? ours
    : { ...ours, [namespace]: { ...fromMetadata, ...ours?.[namespace] } };
