/** What a provider's list for a key says of the models of the catalogue. */
import { describe, expect, it } from "vitest";
import { choose } from "../../../src/domain/choice/selection.ts";
import { acceptedListing, isListed } from "../../../src/domain/models/listings.ts";
import type { Catalogue, CredentialSummary, Model } from "../../../src/domain/models/model.ts";
import { modelsOf } from "../../../src/domain/models/tenant-models.ts";
import type { PoolPolicy } from "../../../src/domain/choice/model-pool.ts";
import { call, credential, field, model } from "./models.fixture.ts";

const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `m-${at}`);
const before = { at: 1, ids: ids(10) };
const whole = (read: string[]) => ({ ids: read, isComplete: true });

describe("a list that was read", () => {
  it("counts if it is whole, and did not lose three of ten models", () => {
    expect(acceptedListing(null, whole(["a"]), 5)).toEqual({ at: 5, ids: ["a"] });
    expect(acceptedListing(before, whole(ids(8)), 5)).toEqual({ at: 5, ids: ids(8) });
    expect(acceptedListing(before, whole(ids(40)), 5)?.at).toBe(5);
  });

  it.each([
    ["missing", null],
    ["empty", whole([])],
    ["incomplete", { ids: ids(12), isComplete: false }],
    ["shrunken by three of ten", whole(ids(7))],
  ])("proves nothing if it is %s: the one before stays", (_, read) => {
    expect(acceptedListing(before, read, 5)).toBe(before);
  });
});

it.each([
  ["claude-haiku-4-5", [], ["claude-haiku-4-5-20251001"], true],
  ["gpt-5", [], ["gpt-5-2025-08-07"], true],
  ["codestral-latest", [], ["codestral-2508"], true],
  ["mistral-large-2512", ["mistral-large-latest"], ["mistral-large-latest"], true],
  ["GPT-5", [], ["gpt-5"], true],
  ["gpt-5", [], ["gpt-5-mini", "gpt-5-pro-2025-10-06"], false],
  ["gpt-4o-2024-11-20", [], ["gpt-4o"], false],
  ["llama3.3", [], ["llama3.3:latest"], true],
  ["llama3.3:latest", [], ["llama3.3:latest"], true],
  ["llama3.3:70b", [], ["llama3.3:latest"], false],
  ["eu.anthropic.claude-sonnet-4-6", [], ["anthropic.claude-sonnet-4-6"], false],
])("the model %s with aliases %j is in the list %j: %s", (id, aliases, listed, expected) => {
  expect(isListed({ id, aliases }, { at: 0, ids: listed })).toBe(expected);
});

const catalogue: Catalogue = {
  version: "test",
  models: [
    model("openai/gpt-8", { outputUsdPerMTok: 30, intelligence: 5, reasoning: true }),
    model("openai/gpt-8-mini", {
      outputUsdPerMTok: 3,
      inputModalities: ["text", "image"],
      contextTokens: 99_000,
    }),
    model("anthropic/claude-haiku-8", { outputUsdPerMTok: 5 }),
  ],
};

function decided(
  credentials: readonly CredentialSummary[],
  { hints = [], policy = {} }: { hints?: string[]; policy?: PoolPolicy } = {},
) {
  const pool = field({
    models: [...modelsOf(catalogue, credentials, [])],
    credentials,
    policy,
  });
  const plan = choose(call({ hints }), pool);
  if (!plan.ok) return { refused: plan.error.reason, excluded: [], model: "", ids: [] };
  const { candidates, model: id } = plan.value.decision;
  return {
    model: id,
    excluded: candidates.flatMap(({ model: name, excludedBy }) =>
      excludedBy === undefined ? [] : [`${name} ${excludedBy}`],
    ),
    ids: plan.value.choices[0]?.credentialIds,
  };
}
const lists = (...listed: string[]): CredentialSummary =>
  credential("openai", { listing: { at: 0, ids: listed } });

describe("a model that the provider does not list", () => {
  it("is never chosen with that credential, also if a hint names it", () => {
    const found = decided([lists("gpt-8-mini")], { hints: ["gpt-8"] });
    expect(found).toMatchObject({ model: "gpt-8-mini", excluded: ["gpt-8 not_offered"] });
  });

  it("is chosen with another credential that may use it, or of which no list is known", () => {
    const other = credential("openai", { id: "cred_other" });
    const found = decided([lists("gpt-8-mini"), other], { hints: ["gpt-8"] });
    expect(found).toMatchObject({ model: "gpt-8", ids: ["cred_other"] });
  });

  it.each([
    ["at an address of the tenant's own", { baseUrl: "https://models.test/v1" }],
    ["beside models that the tenant declares", { models: [{ id: "gpt-8" }] }],
  ])("%s may be chosen", (_, fields) => {
    const its = { ...lists("gpt-8-mini"), ...fields };
    expect(decided([its], { hints: ["gpt-8"] })).toMatchObject({ model: "gpt-8" });
  });
});

describe("a declared model that the list lacks", () => {
  const place = {
    cloud: "bedrock",
    region: "eu-west-1",
    geography: "eu",
    auth: "apiKey",
  } as const;
  const arn = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc";
  const declared = (provider: string, fields: Partial<CredentialSummary> = {}, more = "there") =>
    credential(provider, {
      models: ["gone", "there", more].map((id) => ({ id, outputUsdPerMTok: 1, intelligence: 3 })),
      listing: { at: 0, ids: ["there", "other"] },
      ...fields,
    });
  const own = { baseUrl: "http://127.0.0.1:8000/v1" };

  it.each([
    ["a server that lists all that it serves", declared("vllm", own)],
    ["Moonshot", declared("moonshot")],
    ["Bedrock, a profile of the account's own aside", declared("bedrock", { place }, arn)],
  ])("isn't offered at %s", (_, its) => {
    const found = decided([its], { hints: ["gone"] });
    expect(found.excluded.filter((each) => each.endsWith("not_offered"))).toEqual([
      "gone not_offered",
    ]);
    expect(found.model).not.toBe("gone");
  });

  it.each([
    ["a server that answers for any name", declared("llamacpp", own)],
    ["LiteLLM", declared("litellm", own)],
    ["another address of Moonshot's", declared("moonshot", own)],
    ["another address of Bedrock's", declared("bedrock", { place, ...own })],
    ["Vertex", declared("vertex", { place: { ...place, cloud: "vertex" } as never })],
  ])("may be chosen at %s", (_, its) => {
    expect(decided([its], { hints: ["gone"] }).model).toBe("gone");
  });
});

describe("a model that the provider lists and the catalogue lacks", () => {
  const listed = lists(
    "gpt-8",
    "gpt-8-mini",
    "gpt-9-mini",
    "whisper-1",
    "gpt-4-32k",
    "gpt-8-2027-01-01",
  );

  it("has the traits of its nearest line, and no price", () => {
    const models = modelsOf(catalogue, [listed], []);
    const added = models.filter((its) => !catalogue.models.includes(its));
    expect(added).toMatchObject([
      {
        id: "gpt-9-mini",
        source: "provider",
        inputModalities: ["text", "image"],
        contextTokens: 99_000,
        outputUsdPerMTok: null,
        intelligence: null,
      },
    ]);
  });

  it("is chosen by its exact name alone", () => {
    expect(decided([listed], { hints: ["gpt-9-mini"] }).model).toBe("gpt-9-mini");
    for (const hint of ["gpt-mini", "gpt-9", "mini", "gpt-9-mini-2027-02-02"])
      expect(decided([listed], { hints: [hint] }).model).not.toBe("gpt-9-mini");
    expect(decided([listed]).excluded).toEqual(["gpt-9-mini unknown_class"]);
  });

  it("is not chosen under a budget, nor with a credential whose list lacks it", () => {
    const budgeted = decided([listed], { hints: ["gpt-9-mini"], policy: { budgeted: true } });
    expect(budgeted.excluded).toContain("gpt-9-mini unknown_price");
    const other = credential("openai", { id: "cred_other" });
    expect(decided([other, listed], { hints: ["gpt-9-mini"] }).ids).toEqual(["cred_openai"]);
  });

  it("is one list of models for all tenants with the same lists", () => {
    const same = lists(...(listed.listing?.ids ?? []));
    expect(modelsOf(catalogue, [listed], [])).toBe(modelsOf(catalogue, [same], []));
    const nothingNew: readonly Model[] = modelsOf(catalogue, [lists("gpt-8")], []);
    expect(nothingNew).toBe(catalogue.models);
  });
});
