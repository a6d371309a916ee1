/** A cloud's request has the options that were given for the cloud, in the words of its API. */
import { expect, it } from "vitest";
import type { CloudPlace } from "../../../../src/domain/models/cloud-place.ts";
import { asApi } from "../../../../src/providers/clouds/as-api.ts";
import { callOf, requestOf } from "../../../fixtures/providers/calls.ts";

const places: Record<string, CloudPlace> = {
  azure: { cloud: "azure", endpoint: "https://a.test", auth: "apiKey" },
  bedrock: { cloud: "bedrock", region: "eu-west-1", geography: null, auth: "apiKey" },
};

const metadataOf = (provider: string, model: string, metadata: object) => {
  const call = callOf({ metadata: metadata as never });
  const request = requestOf({ provider, model }, { call, model: { like: model } });
  const place = places[provider] ?? null;
  const { credential, call: asked } = asApi({
    ...request,
    credential: { ...request.credential, place },
  });
  return [credential.provider, asked.metadata];
};
const openai = { user: "theirs" };

it.each([
  // The cloud's options take precedence over the maker's.
  [
    "azure",
    "openai/gpt-5-mini",
    { openai, azure: { reasoningEffort: "low" }, x: {} },
    ["openai", { openai: { user: "theirs", reasoningEffort: "low" }, x: {} }],
  ],
  ["azure", "openai/gpt-5-mini", { openai }, ["openai", { openai }]],
  ["azure", "openai/gpt-5-mini", { openai: "x", azure: null }, ["openai", {}]],
  [
    "bedrock",
    "anthropic/claude-opus-4-6",
    { bedrock: { effort: "high" }, anthropic: { effort: "low", disableParallelToolUse: true } },
    ["anthropic", { anthropic: { effort: "high", disableParallelToolUse: true } }],
  ],
  [
    "bedrock",
    "meta/llama-3.3-70b",
    { bedrock: { user: "u" } },
    ["bedrock", { bedrock: { user: "u" } }],
  ],
  [
    "groq",
    "openai/gpt-oss-20b",
    { groq: { user: "u" }, openai },
    ["groq", { groq: { user: "u" }, openai }],
  ],
])("of %s with %s and %j", (provider, model, metadata, expected) => {
  expect(metadataOf(provider, model, metadata)).toEqual(expected);
});
