/** The shipped catalogue covers every model id that the pinned AI SDK packages declare. */
import { describe, expect, it } from "vitest";
import { buildCatalogue, type Curated } from "../../../src/cli/refresh/build.ts";
import { lackingIn, readCurated, excludedIn } from "../../../src/cli/refresh/refresh.ts";
import {
  declaredIds,
  readDeclarations,
  sdkProviders,
  typedModels,
} from "../../../src/cli/refresh/typed-ids.ts";
import type { Source } from "../../../src/cli/refresh/figures.ts";
import taken from "../../../src/domain/models/catalogue-sources.json" with { type: "json" };
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { nameOf } from "../../../src/domain/models/model.ts";

const root = new URL("../../../", import.meta.url);

describe("the pinned AI SDK packages", () => {
  it.each(sdkProviders)("of %s still declare their ids as this reads them", (provider) => {
    for (const [name, ids] of declaredIds(provider, readDeclarations(provider, root)))
      expect([name, ids.length > 0]).toEqual([name, true]);
  });

  it("type no model that the catalogue neither has nor excludes", () => {
    expect(lackingIn(readCurated())).toEqual([]);
    expect(lackingIn({ ...readCurated(), models: [] }).length).toBeGreaterThan(50);
  });

  it("type every id that is excluded", () => {
    const typed = new Set(typedModels(root));
    expect([...excludedIn(readCurated())].filter((name) => !typed.has(name))).toEqual([]);
  });
});

describe("the catalogue that ships", () => {
  it("holds the models of the curated file, each figure with its source", () => {
    const curated = readCurated().models.map(nameOf).toSorted();
    expect(seedCatalogue.models.map(nameOf).toSorted()).toEqual(curated);
    expect(Object.keys(taken).toSorted()).toEqual(curated);
  });

  it("has price, context and output limit of every model, or calls them unverified", () => {
    const silent = seedCatalogue.models.flatMap((model) => {
      const { status, provider, unverified = [] } = model;
      if (status === "retired" || provider === "ollama") return [];
      const figures = ["outputUsdPerMTok", "contextTokens", "outputTokens"] as const;
      return figures
        .filter((figure) => model[figure] === null && !unverified.includes(figure))
        .filter((figure) => figure !== "outputUsdPerMTok" || model.mediaPrices === undefined)
        .map((figure) => `${nameOf(model)} ${figure}`);
    });
    // Google and Cohere publish no price of these.
    expect(silent).toEqual([
      "cohere/c4ai-aya-vision-32b outputUsdPerMTok",
      "google/gemma-4-26b-a4b-it outputUsdPerMTok",
      "google/gemma-4-31b-it outputUsdPerMTok",
    ]);
  });
});

describe("building a catalogue", () => {
  const curated: Curated = {
    day: "2026-11-26",
    packages: {},
    excluded: {},
    models: [
      { provider: "b", id: "new", intelligence: 3 },
      { provider: "a", id: "old", retiresAt: "2026-11-26", inputUsdPerMTok: 1 },
    ],
  };
  const says = (day: string, inputUsdPerMTok: number): Source => ({
    name: "list",
    day,
    figures: new Map([
      ["a/old", { inputUsdPerMTok }],
      ["b/new", { inputUsdPerMTok }],
    ]),
  });

  it("takes the first source of a figure, notes it, and prints what others say", () => {
    const built = buildCatalogue(curated, [says("2026-09-01", 2), says("2026-07-01", 3)]);
    expect(built.version).toBe("2026-11-26");
    expect(built.rows.map((row) => [nameOf(row), row.inputUsdPerMTok, row.status])).toEqual([
      ["a/old", 1, "retired"],
      ["b/new", 2, "active"],
    ]);
    expect(built.taken["b/new"]).toEqual({
      "curated 2026-11-26": ["intelligence"],
      "list 2026-09-01": ["inputUsdPerMTok"],
    });
    expect(built.contradictions).toEqual([
      "a/old inputUsdPerMTok: 1 (curated 2026-11-26), 2 (list 2026-09-01)",
      "a/old inputUsdPerMTok: 1 (curated 2026-11-26), 3 (list 2026-07-01)",
      "b/new inputUsdPerMTok: 2 (list 2026-09-01), 3 (list 2026-07-01)",
    ]);
  });

  it("has the day of its newest source as its version", () => {
    expect(buildCatalogue(curated, [says("2026-12-01", 2)]).version).toBe("2026-12-01");
  });

  it("calls a figure unverified that no source has", () => {
    const [, row] = buildCatalogue(curated, [says("2026-09-01", 2)]).rows;
    expect(row?.unverified).toEqual(["outputUsdPerMTok", "contextTokens", "outputTokens"]);
  });
});
