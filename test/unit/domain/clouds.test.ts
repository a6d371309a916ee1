/** Models of clouds are selected, priced and denied as the makers' models that they are. */
import { describe, expect, it } from "vitest";
import { choose } from "../../../src/domain/choice/selection.ts";
import { isAllowed } from "../../../src/domain/models/allowed.ts";
import { canonicalOf } from "../../../src/domain/models/canonical-name.ts";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { endpointFor, problemWithBedrockId } from "../../../src/domain/models/bedrock-models.ts";
import { factorOfAnswer } from "../../../src/domain/models/cloud-models.ts";
import {
  geographies,
  cloudUrl,
  partitionOf,
  stsUrl,
  type BedrockPlace,
  type CloudPlace,
  type Geography,
  type VertexPlace,
} from "../../../src/domain/models/cloud-place.ts";
import { apiOf } from "../../../src/domain/models/clouds.ts";
import { nameOf, type CredentialSummary, type Model } from "../../../src/domain/models/model.ts";
import { modelsOf } from "../../../src/domain/models/tenant-models.ts";
import { wireOf } from "../../../src/domain/wires/rules.ts";
import { call, credential, field } from "./models.fixture.ts";

const bedrockAt = (geography: Geography | null): BedrockPlace => ({
  cloud: "bedrock",
  region: "eu-central-1",
  geography,
  auth: "accessKey",
});
const vertexAt = (location: string): VertexPlace => ({
  cloud: "vertex",
  project: "acme",
  location,
  auth: "serviceAccount",
});
const azurePlace: CloudPlace = { cloud: "azure", endpoint: "https://a.test", auth: "apiKey" };

const azure = credential("azure", {
  place: azurePlace,
  models: [
    { id: "prod-chat", like: "openai/gpt-5-mini" },
    { id: "prod-large", like: "openai/gpt-5" },
  ],
});
const bedrock = credential("bedrock", { place: bedrockAt("eu") });
const vertex = credential("vertex", { place: vertexAt("global") });

const servedBy = (...credentials: CredentialSummary[]): readonly Model[] =>
  modelsOf(seedCatalogue, credentials, []);
const ofCloud = (models: readonly Model[]): Model[] =>
  models.filter(({ provider }) => ["azure", "bedrock", "vertex"].includes(provider));

const chosen = (hint: string | null, ...credentials: CredentialSummary[]): string => {
  const asked = call(hint === null ? {} : { hints: [hint] });
  const found = choose(asked, field({ models: servedBy(...credentials), credentials }));
  const first = found.ok ? found.value.decision : null;
  return first === null ? "none" : `${first.provider}/${first.model}`;
};

const hints = [null, "claude", "claude-sonnet-4-5", "gpt-5-mini", "gemini-2.5-flash"] as const;
const maker = (provider: string) => credential(provider);

describe("the choice", () => {
  it.each([
    [
      "OpenAI alone",
      [maker("openai")],
      [
        "openai/gpt-5.6-terra",
        "openai/gpt-5.6-terra",
        "openai/gpt-6-sol",
        "openai/gpt-5-mini",
        "openai/gpt-6-luna",
      ],
    ],
    [
      "Anthropic alone",
      [maker("anthropic")],
      [
        "anthropic/claude-sonnet-5-5",
        "anthropic/claude-sonnet-5-5",
        "anthropic/claude-sonnet-4-5",
        "anthropic/claude-haiku-4-5",
        "anthropic/claude-haiku-4-5",
      ],
    ],
    [
      "Google alone",
      [maker("google")],
      [
        "google/gemini-3.8-flash",
        "google/gemini-3.8-flash",
        "google/gemini-3.8-flash",
        "google/gemini-3.1-flash-lite",
        "google/gemini-2.5-flash",
      ],
    ],
    [
      "Azure alone",
      [azure],
      [
        "azure/prod-chat",
        "azure/prod-chat",
        "azure/prod-large",
        "azure/prod-chat",
        "azure/prod-chat",
      ],
    ],
    [
      "Bedrock alone",
      [bedrock],
      [
        "bedrock/eu.anthropic.claude-sonnet-5-5",
        "bedrock/eu.anthropic.claude-sonnet-5-5",
        "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/qwen.qwen3-32b-v1:0",
        "bedrock/zai.glm-4.7",
      ],
    ],
    [
      "Vertex alone",
      [vertex],
      [
        "vertex/claude-sonnet-5-5",
        "vertex/claude-sonnet-5-5",
        "vertex/claude-sonnet-4-5@20250929",
        "vertex/gemini-3.1-flash-lite",
        "vertex/gemini-2.5-flash",
      ],
    ],
    [
      "Azure and OpenAI",
      [azure, maker("openai")],
      [
        "azure/prod-chat",
        "azure/prod-chat",
        "openai/gpt-6-sol",
        "azure/prod-chat",
        "openai/gpt-5.4-mini",
      ],
    ],
    [
      "Bedrock and Anthropic",
      [bedrock, maker("anthropic")],
      [
        "bedrock/eu.anthropic.claude-sonnet-5-5",
        "bedrock/eu.anthropic.claude-sonnet-5-5",
        "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/qwen.qwen3-32b-v1:0",
        "bedrock/zai.glm-4.7",
      ],
    ],
    [
      "Vertex and Google",
      [vertex, maker("google")],
      [
        "vertex/gemini-3.8-flash",
        "vertex/claude-sonnet-5-5",
        "vertex/claude-sonnet-4-5@20250929",
        "vertex/gemini-3.1-flash-lite",
        "vertex/gemini-2.5-flash",
      ],
    ],
    [
      "the makers and all clouds",
      [maker("openai"), maker("anthropic"), maker("google"), azure, bedrock, vertex],
      [
        "google/gemini-3.8-flash",
        "anthropic/claude-sonnet-5-5",
        "anthropic/claude-sonnet-4-5",
        "openai/gpt-5-mini",
        "google/gemini-2.5-flash",
      ],
    ],
    [
      "all clouds",
      [azure, bedrock, vertex],
      [
        "azure/prod-chat",
        "bedrock/eu.anthropic.claude-sonnet-5-5",
        "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "azure/prod-chat",
        "vertex/gemini-2.5-flash",
      ],
    ],
  ] as const)("with %s", (_, credentials, expected) => {
    expect(hints.map((hint) => chosen(hint, ...credentials))).toEqual(expected);
  });
});

describe("a model of a cloud", () => {
  const all = ofCloud(
    servedBy(
      azure,
      ...geographies.map((geography) =>
        credential("bedrock", { id: geography, place: bedrockAt(geography) }),
      ),
      credential("bedrock", { id: "region", place: bedrockAt(null) }),
      vertex,
    ),
  );

  it("has the canonical name of the maker's model, and is denied with it under each of its names", () => {
    expect(all.length).toBeGreaterThan(30);
    for (const model of all) {
      const like = seedCatalogue.models.find((each) => nameOf(each) === model.like);
      if (like === undefined) throw new Error(model.id);
      expect(canonicalOf(model), model.id).toBe(canonicalOf(like));
      // Denying another host's copy denies only that.
      const isMakers = canonicalOf(like)?.startsWith(`${like.provider}/`) === true;
      const names = isMakers
        ? [nameOf(like), ...like.aliases.map((id) => `${like.provider}/${id}`)]
        : [String(canonicalOf(like))];
      for (const glob of [...names, ...(isMakers ? [`*/${like.id}`, like.id] : []), nameOf(model)])
        expect(isAllowed(model, { deniedModels: [glob] }), `${nameOf(model)} by ${glob}`).toBe(
          false,
        );
    }
  });

  it("is not allowed by its maker's name alone", () => {
    for (const model of all.filter((each) => apiOf(each) !== each.provider))
      expect(isAllowed(model, { allowedModels: [`${apiOf(model)}/*`] }), model.id).toBe(false);
  });

  it("has the traits and the wire of the maker's model", () => {
    for (const model of all) {
      const like = seedCatalogue.models.find((each) => nameOf(each) === model.like);
      if (like === undefined) throw new Error(model.id);
      // Bedrock serves GPT only by the Responses API, and open models by the API that others are compatible with.
      const isOwnWire = model.provider !== "bedrock" || apiOf(model) === "anthropic";
      if (isOwnWire) expect(wireOf(model), model.id).toBe(wireOf(like));
      const { tools, contextTokens, reasoningControl, inputModalities } = like;
      expect(model).toMatchObject({ tools, contextTokens, inputModalities });
      const isSentAlike =
        apiOf(model) === like.provider || reasoningControl?.sentAs.startsWith("workers_") !== true;
      expect(model.reasoningControl).toEqual(isSentAlike ? reasoningControl : undefined);
    }
  });
});

describe("a price", () => {
  const priceOf = (id: string, ...credentials: CredentialSummary[]) =>
    servedBy(...credentials).find((model) => model.id === id && model.provider !== "anthropic")
      ?.outputUsdPerMTok;
  const sonnet = "anthropic.claude-sonnet-4-5-20250929-v1:0";

  it.each([
    ["global", `global.${sonnet}`, 15],
    ["eu", `eu.${sonnet}`, 16.5],
    ["us", `us.${sonnet}`, 16.5],
    [null, sonnet, 16.5],
  ] as const)("of %s at Bedrock has the place's factor", (geography, id, price) => {
    expect(priceOf(id, credential("bedrock", { place: bedrockAt(geography) }))).toBe(price);
  });

  it("of a name without a profile is the region's, whatever the credential allows", () => {
    const models = [{ id: sonnet }];
    expect(priceOf(sonnet, credential("bedrock", { place: bedrockAt("global"), models }))).toBe(
      16.5,
    );
  });

  it("of GPT at Bedrock has the factor too, and one of GovCloud has its own", () => {
    const openai = seedCatalogue.models.find(({ id }) => id === "gpt-5.6-sol");
    const its = { input: openai?.outputUsdPerMTok ?? 0 };
    const at = (geography: Geography) => credential("bedrock", { place: bedrockAt(geography) });
    expect(priceOf("us.openai.gpt-5.6-sol", at("us"))).toBeCloseTo(its.input * 1.1);
    expect(priceOf("global.openai.gpt-5.6-sol", at("global"))).toBe(its.input);
    const place = { ...bedrockAt("us-gov"), region: "us-gov-west-1" };
    expect(priceOf(`us-gov.${sonnet}`, credential("bedrock", { place }))).toBe(18);
  });

  it("is the higher one where two places serve a model, in whatever order", () => {
    const [regional, global] = [vertexAt("europe-west1"), vertexAt("global")].map((place, at) =>
      credential("vertex", { id: String(at), place }),
    );
    if (regional === undefined || global === undefined) throw new Error("none");
    const id = "claude-sonnet-4-5@20250929";
    expect([priceOf(id, regional, global), priceOf(id, global, regional)]).toEqual([16.5, 16.5]);
    expect(priceOf("gemini-2.5-flash", regional)).toBe(priceOf("gemini-2.5-flash", global));
  });

  it("is settled by the place that answered, unless the tenant set it", () => {
    const [regional, global] = [vertexAt("europe-west1"), vertexAt("global")].map((place, at) =>
      credential("vertex", { id: String(at), place }),
    );
    if (regional === undefined || global === undefined) throw new Error("none");
    const all = [regional, global];
    const of = (id: string, change: object = {}) => {
      const found = servedBy(...all).find((each) => each.id === id && each.provider === "vertex");
      if (found === undefined) throw new Error(id);
      return { ...found, ...change };
    };
    const claude = of("claude-sonnet-4-5@20250929");
    expect(factorOfAnswer(claude, regional, all)).toBe(1);
    expect(factorOfAnswer(claude, global, all) * 16.5).toBeCloseTo(15);
    expect(factorOfAnswer(claude, global, [global])).toBe(1);
    expect(factorOfAnswer(of("gemini-2.5-flash"), global, all)).toBe(1);
    const set = of("claude-sonnet-4-5@20250929", { source: "override" });
    expect(factorOfAnswer(set, global, all)).toBe(1);
  });

  it("is the paid one where another credential has a price of 0, and 0 where that one answers", () => {
    const free = { inputUsdPerMTok: 0, outputUsdPerMTok: 0 };
    const like = { id: "prod-chat", like: "openai/gpt-5-mini" };
    const paid = credential("azure", { id: "paid", place: azurePlace, models: [like] });
    const provisioned = credential("azure", {
      id: "provisioned",
      place: azurePlace,
      models: [{ ...like, ...free }],
    });
    const usual = servedBy(paid).find(({ id }) => id === "prod-chat");
    for (const all of [
      [paid, provisioned],
      [provisioned, paid],
    ]) {
      const model = servedBy(...all).find(({ id }) => id === "prod-chat");
      if (model === undefined) throw new Error("none");
      expect(model.outputUsdPerMTok).toBe(usual?.outputUsdPerMTok);
      expect([paid, provisioned].map((its) => factorOfAnswer(model, its, all))).toEqual([1, 0]);
      expect(factorOfAnswer({ ...model, source: "override" }, provisioned, all)).toBe(1);
    }
  });

  it("that is declared has no factor, and a provisioned deployment costs nothing", () => {
    const declared = [{ id: `eu.${sonnet}`, outputUsdPerMTok: 7 }];
    const its = credential("bedrock", { place: bedrockAt("eu"), models: declared });
    expect(priceOf(`eu.${sonnet}`, its)).toBe(7);
  });
});

it.each([
  ["eu", `eu.anthropic.claude`, true],
  ["eu", "anthropic.claude", true],
  ["eu", "us.anthropic.claude", false],
  ["eu", "global.anthropic.claude", false],
  ["global", "global.anthropic.claude", true],
  ["eu", "arn:aws:bedrock:eu-central-1:1:inference-profile/eu.anthropic.claude", true],
  ["eu", "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude", false],
  ["eu", "arn:aws:bedrock:eu-central-1:1:inference-profile/global.anthropic.claude", false],
  ["eu", "arn:aws:bedrock:eu-central-1:1:application-inference-profile/abc123", true],
  ["eu", "openai.gpt-oss-120b-1:0", true],
  ["eu", "eu.amazon.nova-lite-v1:0", false],
  ["eu", "meta.llama3-3-70b-instruct-v1:0", false],
  ["eu", "arn:aws:bedrock:eu-central-1::foundation-model/amazon.nova-lite-v1:0", false],
] as const)("a credential of %s serves %s: %s", (geography, id, serves) => {
  expect(problemWithBedrockId(bedrockAt(geography), id) === null).toBe(serves);
});

describe("hosts of AWS", () => {
  const urlOf = (region: string, id: string, api?: string) =>
    cloudUrl({ ...bedrockAt(null), region, served: endpointFor(id) }, { baseUrl: null, api });

  it.each([
    [
      "eu-central-1",
      "anthropic.claude-opus-5-5",
      "anthropic",
      "bedrock-runtime.eu-central-1.amazonaws.com",
    ],
    [
      "eu-central-1",
      "openai.gpt-oss-120b-1:0",
      undefined,
      "bedrock-runtime.eu-central-1.amazonaws.com/openai/v1",
    ],
    [
      "us-east-1",
      "qwen.qwen3-32b-v1:0",
      undefined,
      "bedrock-runtime.us-east-1.amazonaws.com/openai/v1",
    ],
    [
      "us-east-1",
      "us.openai.gpt-5.6-sol",
      "openai",
      "bedrock-runtime.us-east-1.amazonaws.com/openai/v1",
    ],
    ["us-east-2", "openai.gpt-5.5", "openai", "bedrock-mantle.us-east-2.api.aws/openai/v1"],
    ["us-east-2", "google.gemma-4-31b", undefined, "bedrock-mantle.us-east-2.api.aws/openai/v1"],
    [
      "us-gov-west-1",
      "anthropic.claude",
      "anthropic",
      "bedrock-runtime.us-gov-west-1.amazonaws.com",
    ],
    ["cn-north-1", "anthropic.claude", "anthropic", "bedrock-runtime.cn-north-1.amazonaws.com.cn"],
    [
      "eusc-de-east-1",
      "anthropic.claude",
      "anthropic",
      "bedrock-runtime.eusc-de-east-1.amazonaws.eu",
    ],
  ])("in %s serve %s by %s at %s", (region, id, api, url) => {
    expect(urlOf(region, id, api)).toBe(`https://${url}`);
  });

  it("give sessions of roles in their own partition", () => {
    expect(stsUrl("eu-central-1")).toBe("https://sts.eu-central-1.amazonaws.com/");
    expect(stsUrl("cn-north-1")).toBe("https://sts.cn-north-1.amazonaws.com.cn/");
    expect(partitionOf("us-gov-east-1").name).toBe("aws-us-gov");
  });
});

it("every model that Bedrock serves without a list has the figures of the catalogue and stays in its geography", () => {
  for (const geography of [null, ...geographies]) {
    const place = bedrockAt(geography);
    const its = ofCloud(servedBy(credential("bedrock", { place })));
    expect(its.length).toBeGreaterThan(7);
    for (const { id, like, inputUsdPerMTok, status } of its) {
      expect(problemWithBedrockId(place, id), id).toBeNull();
      const liked = seedCatalogue.models.find((each) => nameOf(each) === like);
      expect(status, id).toBe("active");
      expect(inputUsdPerMTok === null, id).toBe(liked?.inputUsdPerMTok === null);
    }
  }
});
