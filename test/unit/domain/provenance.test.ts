/** Every figure of a model names its source. */
import { describe, expect, it } from "vitest";
import {
  nameOf,
  type CredentialSummary,
  type ModelOverride,
} from "../../../src/domain/models/model.ts";
import { modelsOf } from "../../../src/domain/models/tenant-models.ts";
import { sourcesFrom } from "../../../src/domain/models/provenance.ts";
import { credential, model } from "./models.fixture.ts";

const catalogue = {
  version: "1",
  models: [
    model("openai/seeded"),
    model("openai/recalled", {
      unverified: ["inputUsdPerMTok", "outputUsdPerMTok"],
      synced: ["outputUsdPerMTok"],
    }),
    model("openai/synced", { synced: ["inputUsdPerMTok", "status"] }),
  ],
};

function sourcesOf(
  name: string,
  credentials: readonly CredentialSummary[] = [],
  overrides: readonly ModelOverride[] = [],
) {
  const its = modelsOf(catalogue, credentials, overrides).find((each) => nameOf(each) === name);
  return (
    its && { source: its.source, sources: sourcesFrom(catalogue, credentials, overrides)(its) }
  );
}
const declares = (...models: { id: string; tools?: boolean; speed?: 1 }[]) => [
  credential("openai", { models }),
];
const overriding = (id: string, change: ModelOverride["change"]) => [
  { provider: "openai", id, change },
];

describe("where a figure came from", () => {
  it("is left out where the model's own source says it", () => {
    expect(sourcesOf("openai/seeded")).toEqual({ source: "catalogue", sources: {} });
    expect(sourcesOf("openai/local", declares({ id: "local", tools: true }))).toEqual({
      source: "credential",
      sources: {},
    });
    expect(sourcesOf("openai/mine", [], overriding("mine", { speed: 1 }))).toEqual({
      source: "override",
      sources: {},
    });
  });

  it("is unverified where nobody read it at the provider's, until a sync or a tenant sets it", () => {
    expect(sourcesOf("openai/recalled")?.sources).toEqual({
      inputUsdPerMTok: "unverified",
      outputUsdPerMTok: "models.dev",
    });
    const its = sourcesOf("openai/recalled", [], overriding("recalled", { inputUsdPerMTok: 3 }));
    expect(its?.sources).not.toHaveProperty("inputUsdPerMTok");
    expect(its?.sources).not.toHaveProperty("unverified");
  });

  it("is the tenant's for prices that its own plain price puts out of force", () => {
    const its = sourcesOf("openai/seeded", [], overriding("seeded", { inputUsdPerMTok: 3 }));
    expect(its?.sources).toMatchObject({ name: "seed", priceTiers: "seed" });
    expect(its?.sources).not.toHaveProperty("cachedInputUsdPerMTok");
  });

  it("is models.dev for what the last sync gave", () => {
    expect(sourcesOf("openai/synced")?.sources).toEqual({
      inputUsdPerMTok: "models.dev",
      status: "models.dev",
    });
  });

  it("is known for the day of release and for scores too", () => {
    const scored = model("openai/scored", {
      releasedAt: "2026-01-01",
      scores: { "Bench, resolve rate": 1 },
      synced: ["scores"],
      source: "override",
    });
    expect(sourcesFrom({ version: "1", models: [scored] }, [], [])(scored)).toMatchObject({
      releasedAt: "seed",
      scores: "models.dev",
    });
  });

  it("is the source that set the figure last", () => {
    const its = sourcesOf(
      "openai/synced",
      declares({ id: "synced", tools: true, speed: 1 }),
      overriding("synced", { speed: 2, inputUsdPerMTok: 9 }),
    );
    expect(its?.source).toBe("override");
    expect(its?.sources).toMatchObject({
      tools: "credential",
      status: "models.dev",
      name: "seed",
      outputUsdPerMTok: "seed",
    });
    expect(its?.sources).not.toHaveProperty("speed");
    expect(its?.sources).not.toHaveProperty("inputUsdPerMTok");
    // Only figures have a source.
    for (const key of ["provider", "id", "source", "synced"])
      expect(its?.sources).not.toHaveProperty(key);
  });
});
