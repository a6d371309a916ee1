/** A model at a cloud is sent what its maker's own API is sent, apart from the cloud's form. */
import { describe, expect, it } from "vitest";
import { isObject, type JsonObject } from "../../../src/domain/json.ts";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import type { CloudPlace } from "../../../src/domain/models/cloud-place.ts";
import { apiOf } from "../../../src/domain/models/clouds.ts";
import { maxUsage } from "../../../src/domain/models/cost.ts";
import { nameOf, type CredentialSummary, type Model } from "../../../src/domain/models/model.ts";
import { headroomOf, reasoningOf } from "../../../src/domain/models/reasoning.ts";
import { modelsOf } from "../../../src/domain/models/tenant-models.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import { reasoningNeedsOf } from "../../../src/domain/sampling/reasoning-needs.ts";
import { createProviders } from "../../../src/providers/registry.ts";
import { refusalAt, type StrictWire } from "../../fakes/strict-wires.ts";
import { answerAt } from "../../fakes/wire-answers.ts";
import { promptPrefixes, prose } from "../../fixtures/caching-loop.ts";
import { callOf, modelOf, saying } from "../../fixtures/providers/calls.ts";
import { loop, tool } from "../../fixtures/wires/corpus.ts";

const places = {
  azure: { cloud: "azure", endpoint: "https://acme.test", auth: "apiKey" },
  bedrock: { cloud: "bedrock", region: "eu-central-1", geography: "eu", auth: "apiKey" },
  vertex: { cloud: "vertex", project: "p", location: "global", auth: "serviceAccount" },
} as const satisfies Record<string, CloudPlace>;

const summaryOf = (place: CloudPlace): CredentialSummary => ({
  id: "c",
  provider: place.cloud,
  status: "active",
  place,
  models: place.cloud === "azure" ? [{ id: "prod", like: "openai/gpt-5-mini" }] : null,
});

/** Models at clouds, each with the maker's model that it is. */
const pairs = Object.values(places).flatMap((place) =>
  modelsOf(seedCatalogue, [summaryOf(place)], [])
    .filter(({ provider, like }) => provider === place.cloud && like !== undefined)
    .flatMap((model) => {
      const makers = seedCatalogue.models.find((each) => nameOf(each) === model.like);
      const isOwnApi = makers !== undefined && apiOf(model) === makers.provider;
      return isOwnApi ? [{ place, model, makers }] : [];
    }),
);

const wireAt = (url: string): StrictWire => {
  if (url.includes("/chat/completions")) return "openai-chat";
  return /generateContent/.test(url) ? "google" : "anthropic";
};

/** What the model is sent in a series of calls, without the members of a cloud's form. */
async function sentFor(model: Model, place: CloudPlace | null, calls: readonly SamplingCall[]) {
  const id = model.like?.split("/")[1] ?? model.id;
  const sent: JsonObject[] = [];
  const refusals: string[] = [];
  const notes: string[] = [];
  const providers = createProviders({
    demo: false,
    now: () => 0,
    prefixes: await promptPrefixes(() => 0),
    async fetch(input, init) {
      const url = String(input);
      const {
        model: _,
        anthropic_version,
        anthropic_beta,
        ...body
      } = JSON.parse(String(init?.body)) as JsonObject;
      expect(anthropic_version === undefined, url).toBe(!/bedrock|aiplatform.*anthropic/.test(url));
      const betas = anthropic_beta ?? new Headers(init?.headers).get("anthropic-beta")?.split(",");
      const wire = wireAt(url);
      const refusal = refusalAt(wire, { body: { ...body, model: id }, model: id });
      if (refusal !== null) refusals.push(refusal.message);
      sent.push({ ...body, ...(betas !== undefined && { betas }) });
      return Response.json(refusal?.body ?? answerAt(wire, {}), { status: refusal?.status ?? 200 });
    },
  });
  for (const call of calls) {
    const needs = reasoningNeedsOf(call, {}) ?? {};
    const { sent: effort, metadata } = reasoningOf(model, needs);
    const asked = { inputTokens: 10, maxTokens: call.maxTokens, reasoning: needs };
    const answer = await providers.complete({
      credential: { id: "c", provider: model.provider, apiKey: "k", baseUrl: null, place },
      model,
      call,
      maxTokens: call.maxTokens,
      reasoning: { sent: effort, metadata, headroom: headroomOf(model, asked) },
      cacheScope: { tenantId: "t", credentialId: "c" },
      signal: new AbortController().signal,
    });
    notes.push(...(answer.ok ? answer.value.notes : ["refused"]));
  }
  expect(refusals, nameOf(model)).toEqual([]);
  return { sent, notes };
}

const long = { systemPrompt: prose(5_000, "The handbook") };
const repeated = ["one", "two"].map((text) =>
  callOf({ ...long, ...saying({ type: "text", text }) }),
);
const withMetadata = (options: JsonObject) => (name: string) => [
  callOf({ maxTokens: 4_000, metadata: { [name]: options } }),
];
const signed = loop("call_1", "search").map((message) => ({
  ...message,
  content: message.content.map((block) =>
    block.type === "tool_use"
      ? {
          ...block,
          _meta: { "sampling-router/providerMetadata": { google: { thoughtSignature: "s" } } },
        }
      : block,
  ),
}));

/** Calls by the name under which the metadata is given. */
const series: Record<string, (name: string) => SamplingCall[]> = {
  "a plain call": () => [callOf()],
  "a wish for reasoning": () => [callOf({ maxTokens: 4_000, reasoning: { effort: "high" } })],
  "an effort": withMetadata({ effort: "high", reasoningEffort: "high" }),
  "an effort that is disallowed in a tool loop": (name) => [
    callOf({
      messages: loop("call_1", "search"),
      tools: [tool("search")],
      metadata: { [name]: { effort: "high" } },
    }),
  ],
  "a budget of thoughts": withMetadata({ thinkingConfig: { thinkingBudget: 2_048 } }),
  "a tool loop with signed thoughts": (name) => [
    callOf({
      messages: signed,
      tools: [tool("search")],
      metadata: { [name]: { thinkingConfig: { thinkingLevel: "high" } } },
    }),
  ],
  "a mark for the cache": withMetadata({ cacheControl: { type: "ephemeral", ttl: "1h" } }),
  "other options": withMetadata({ disableParallelToolUse: true, safetySettings: [], user: "u" }),
  "a prompt that repeats": () => repeated,
};

describe.each(Object.keys(places))("at %s", (cloud) => {
  const its = pairs.filter(({ place }) => place.cloud === cloud);

  it.each(Object.keys(series))(
    "%s is sent as to the maker, under the maker's name and the cloud's",
    async (kind) => {
      expect(its.length).toBeGreaterThan(0);
      for (const { place, model, makers } of its) {
        const calls = series[kind];
        if (calls === undefined) throw new Error(kind);
        const expected = await sentFor(makers, null, calls(makers.provider));
        for (const name of new Set([makers.provider, place.cloud])) {
          const found = await sentFor(model, place, calls(name));
          expect(found.sent, `${nameOf(model)} by ${name}`).toEqual(expected.sent);
          expect(found.notes.length, `${nameOf(model)} by ${name}`).toBe(expected.notes.length);
        }
      }
    },
  );

  it("no cache writes are reserved that only marks cause", () => {
    const needs = { inputTokens: 1_000, maxTokens: 100, outputModalities: ["text" as const] };
    const classes = (of: Model) => maxUsage(of, { ...needs, cacheWrites: "none" }).classes;
    for (const { model, makers } of its)
      expect(classes(model), nameOf(model)).toEqual(classes(makers));
  });
});

it("prefers the cloud's own options", async () => {
  const pair = pairs.find(({ model }) => model.id === "eu.anthropic.claude-opus-4-6-v1");
  if (pair === undefined) throw new Error("none");
  const metadata = { anthropic: { effort: "low" }, bedrock: { effort: "max" } };
  const { sent } = await sentFor(pair.model, pair.place, [callOf({ metadata })]);
  expect(isObject(sent[0]?.["output_config"]) && sent[0]?.["output_config"]).toEqual({
    effort: "max",
  });
});

it.each([
  [
    "eu.anthropic.claude-opus-4-6-v1",
    "anthropic/claude-opus-4-6",
    "bedrock",
    "https://bedrock-runtime.eu-central-1.amazonaws.com/model/eu.anthropic.claude-opus-4-6-v1/invoke",
  ],
  [
    "openai.gpt-oss-120b-1:0",
    "cerebras/gpt-oss-120b",
    "bedrock",
    "https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1/chat/completions",
  ],
  [
    "openai.gpt-5.6-sol",
    "openai/gpt-5.6-sol",
    "bedrock",
    "https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1/responses",
  ],
  [
    "openai.gpt-5.5",
    "openai/gpt-5.5",
    "bedrock-mantle",
    "https://bedrock-mantle.eu-central-1.api.aws/openai/v1/responses",
  ],
  [
    "google.gemma-4-31b",
    "google/gemma-4-31b-it",
    "bedrock-mantle",
    "https://bedrock-mantle.eu-central-1.api.aws/openai/v1/chat/completions",
  ],
])("%s, like %s, is signed for %s at %s", async (id, like, service, url) => {
  const asked: { url: string; authorization: string | null }[] = [];
  const providers = createProviders({
    demo: false,
    now: () => 0,
    async fetch(input, init) {
      const authorization = new Headers(init?.headers).get("authorization");
      asked.push({ url: String(input), authorization });
      return Response.json({}, { status: 500 });
    },
  });
  const place = { ...places.bedrock, auth: "accessKey" as const };
  const aws = { accessKeyId: "AKIA", secretAccessKey: "s" };
  await providers.complete({
    credential: { provider: "bedrock", apiKey: "", baseUrl: null, place, aws },
    model: modelOf("bedrock", id, { like }),
    call: callOf(),
    maxTokens: 100,
    signal: new AbortController().signal,
  });
  expect(asked.map((each) => decodeURIComponent(each.url))).toEqual([url]);
  expect(asked[0]?.authorization).toContain(`/eu-central-1/${service}/aws4_request`);
});
