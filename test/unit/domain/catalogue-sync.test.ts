/** A sync takes published figures, keeps curated ones, and is idempotent. */
import { describe, expect, it } from "vitest";
import { syncCatalogue, type CatalogueEntry } from "../../../src/domain/models/catalogue-sync.ts";
import { nameOf, type Catalogue, type Model } from "../../../src/domain/models/model.ts";
import { model } from "./models.fixture.ts";

const names = ["a", "b", "c", "d", "e", "f"].map((letter) => `openai/gpt-${letter}`);
const seed: Catalogue = {
  version: "seed",
  models: [
    ...names.map((name) => model(name, { family: "gpt", aliases: [`${name.slice(7)}-latest`] })),
    model("groq/one", { family: "llama" }),
    model("ollama/llama", { inputUsdPerMTok: 0, outputUsdPerMTok: 0 }),
  ],
};

const entry = (its: Model, fields: Partial<CatalogueEntry> = {}): CatalogueEntry => {
  const { aliases: _, intelligence: __, speed: ___, source: ____, synced: _____, ...rest } = its;
  return { ...rest, ...fields };
};
const all = (fields: Partial<CatalogueEntry> = {}): CatalogueEntry[] =>
  seed.models.filter(({ provider }) => provider !== "ollama").map((its) => entry(its, fields));
const without = (...gone: string[]): CatalogueEntry[] =>
  all().filter((its) => !gone.includes(nameOf(its)));
const fresh = (name: string, fields: Partial<CatalogueEntry> = {}): CatalogueEntry =>
  entry(model(name), fields);

const sync = (entries: CatalogueEntry[], current: Catalogue = seed) =>
  syncCatalogue({ seed, current, entries });
function synced(entries: CatalogueEntry[], current: Catalogue = seed) {
  const done = sync(entries, current);
  if (!done.ok) throw new Error(JSON.stringify(done.error));
  const { models, changes } = done.value;
  const byName = new Map(models.map((its) => [nameOf(its), its]));
  return { models, changes, named: (name: string) => byName.get(name) };
}
const then = (models: Model[]): Catalogue => ({ version: "synced", models });
const nothing = { added: [], estimated: [], retired: [], repriced: [], implausible: [] };

describe("a sync of the same models", () => {
  it("changes nothing, and says which figures it vouches for", () => {
    const { models, changes, named } = synced(all());
    expect(changes).toEqual(nothing);
    expect(models.map(({ synced: _, ...its }) => its)).toEqual(
      seed.models.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    );
    expect(named("openai/gpt-a")?.synced).toEqual([
      "contextTokens",
      "inputUsdPerMTok",
      "outputTokens",
      "outputUsdPerMTok",
      "priceTiers",
    ]);
    expect(named("ollama/llama")?.synced).toBeUndefined();
  });

  it("done again on its own result gives that result", () => {
    const once = synced([...all(), fresh("groq/new")]);
    const twice = synced([...all(), fresh("groq/new")], then(once.models));
    expect(twice.models).toEqual(once.models);
    expect(twice.changes).toEqual(nothing);
  });
});

describe("of a known model", () => {
  it("prices, tiers and limits come from models.dev", () => {
    const tier = { aboveInputTokens: 9, inputUsdPerMTok: 4, outputUsdPerMTok: 4 };
    const figures = {
      inputUsdPerMTok: 2,
      outputUsdPerMTok: 3,
      cachedInputUsdPerMTok: 0.2,
      priceTiers: [tier],
      contextTokens: 256_000,
      outputTokens: 32_000,
    };
    const { named, changes } = synced([...without("groq/one"), fresh("groq/one", figures)]);
    expect(named("groq/one")).toMatchObject(figures);
    expect(changes).toEqual({
      ...nothing,
      repriced: [{ model: "groq/one", from: { input: 1, output: 1 }, to: { input: 2, output: 3 } }],
    });
  });

  it("prices of classes come from models.dev, and those that it doesn't know stay, in tiers too", () => {
    const tier = { aboveInputTokens: 100, inputUsdPerMTok: 2, outputUsdPerMTok: 2 };
    const curated: Catalogue = {
      version: "seed",
      models: [
        model("groq/one", {
          cacheWriteUsdPerMTok: 1.25,
          audioInputUsdPerMTok: 7,
          priceTiers: [{ ...tier, cacheWriteUsdPerMTok: 2.5 }],
        }),
      ],
    };
    const [its] = curated.models;
    const entries = its === undefined ? [] : [entry(its)];
    const news = entries.map((each) => ({
      ...each,
      cacheWriteUsdPerMTok: 1.5,
      audioInputUsdPerMTok: null,
      priceTiers: [{ ...tier, cachedInputUsdPerMTok: 0.2 }],
    }));
    const done = syncCatalogue({ seed: curated, current: curated, entries: news });
    expect(done.ok && done.value.models[0]).toMatchObject({
      cacheWriteUsdPerMTok: 1.5,
      audioInputUsdPerMTok: 7,
      priceTiers: [{ ...tier, cachedInputUsdPerMTok: 0.2, cacheWriteUsdPerMTok: 2.5 }],
    });
    const dear = news.map((each) => ({ ...each, cacheWriteUsdPerMTok: 5_000 }));
    const implausible = syncCatalogue({ seed: curated, current: curated, entries: dear });
    expect(implausible.ok && implausible.value.changes.implausible).toEqual(["groq/one"]);
  });

  it("the price of what an image model writes is the seed's: models.dev has the image's", () => {
    const curated: Catalogue = {
      version: "seed",
      models: [
        model("google/painter", {
          inputUsdPerMTok: 0.3,
          outputUsdPerMTok: 1,
          outputModalities: ["text", "image"],
          mediaPrices: { imageOutputUsdPerMTok: 60 },
        }),
      ],
    };
    const entries = curated.models.map((its) =>
      entry(its, { inputUsdPerMTok: 0.4, outputUsdPerMTok: 60 }),
    );
    const done = syncCatalogue({ seed: curated, current: curated, entries });
    expect(done.ok && done.value).toMatchObject({
      models: [{ inputUsdPerMTok: 0.4, outputUsdPerMTok: 1 }],
      changes: { implausible: [] },
    });
  });

  it("names, families, aliases, modalities and tiers stay as curated", () => {
    const { named } = synced(
      all({ name: "X", family: "x", inputModalities: ["text", "audio"], tools: false }),
    );
    const { synced: _, ...its } = named("openai/gpt-a") as Model;
    expect(its).toEqual(seed.models[0]);
  });

  it("published scores come from models.dev, and the day of release only where the seed has none", () => {
    const figures = { scores: { "Bench, resolve rate": 44 }, releasedAt: "2026-01-01" };
    const { named } = synced([...without("groq/one"), fresh("groq/one", figures)]);
    expect(named("groq/one")).toMatchObject(figures);
    expect(named("groq/one")?.synced).toEqual(expect.arrayContaining(["releasedAt", "scores"]));
    const dated = {
      ...seed,
      models: seed.models.map((its) => ({ ...its, releasedAt: "2025-12-02" })),
    };
    const again = syncCatalogue({ seed: dated, current: dated, entries: all(figures) });
    const [first] = again.ok ? again.value.models : [];
    expect(first?.releasedAt).toBe("2025-12-02");
    expect(first?.synced).not.toContain("releasedAt");
  });

  it("nothing becomes unknown because models.dev is silent", () => {
    const silent = { inputUsdPerMTok: null, outputUsdPerMTok: null, contextTokens: null };
    expect(synced(all(silent)).named("groq/one")).toMatchObject({
      inputUsdPerMTok: 1,
      contextTokens: 128_000,
      synced: ["outputTokens"],
    });
  });

  it("limits that contradict each other are not taken", () => {
    const { named } = synced(all({ contextTokens: 8_000, outputTokens: 16_000 }));
    expect(named("groq/one")).toMatchObject({ contextTokens: 128_000, outputTokens: 16_000 });
  });

  it("an end comes from models.dev, and the seed's own end stays an end", () => {
    const retired = {
      ...seed,
      models: seed.models.map((its) => ({ ...its, status: "retired" as const })),
    };
    expect(synced(all({ status: "retired" })).changes.retired).toHaveLength(7);
    const still = syncCatalogue({ seed: retired, current: retired, entries: all() });
    expect(still.ok && still.value.models.every(({ status }) => status === "retired")).toBe(true);
  });
});

describe("a model that the seed doesn't know", () => {
  it("comes as models.dev has it, and only its tiers are estimated", () => {
    const { changes, named } = synced([...all(), fresh("openai/gpt-new", { family: "gpt" })]);
    const its = named("openai/gpt-new");
    expect(its).toMatchObject({ intelligence: 3, speed: 3, source: "catalogue", aliases: [] });
    expect(its?.estimated).toEqual(["intelligence", "speed"]);
    expect(its?.synced).toContain("inputUsdPerMTok");
    expect(its?.synced).not.toContain("intelligence");
    expect(changes).toMatchObject({ added: ["openai/gpt-new"], estimated: ["openai/gpt-new"] });
  });

  it("has the tiers of the newest of its line, whose size it shares", () => {
    const small = { family: "gpt-mini", intelligence: 2 as const, speed: 4 as const };
    const given = {
      ...seed,
      models: [
        ...seed.models,
        model("openai/gpt-4-mini", small),
        model("openai/gpt-5-mini", { ...small, intelligence: 3 }),
      ],
    };
    const known = given.models.filter(({ provider }) => provider !== "ollama");
    const entries = [
      ...known.map((its) => entry(its)),
      fresh("openai/gpt-6-mini", { family: "gpt-mini" }),
    ];
    const done = syncCatalogue({ seed: given, current: given, entries });
    const its = done.ok ? done.value.models.find(({ id }) => id === "gpt-6-mini") : undefined;
    expect(its).toMatchObject({ intelligence: 3, speed: 4 });
  });

  it("is as clever as its family elsewhere, and not as fast", () => {
    const { named } = synced([...all(), fresh("mistral/llama", { family: "llama" })]);
    expect(named("mistral/llama")).toMatchObject({ intelligence: 3, speed: null });
  });

  it.each([
    ["openai/text-embedding-3-large", {}],
    ["groq/whisper-large-v3", {}],
    ["groq/llama-guard-4", {}],
    ["google/gemini-3-live", {}],
    ["cohere/x", { family: "rerank" }],
    ["xai/grok-video", { outputModalities: [] }],
    ["mistral/old", { status: "retired" as const }],
    // An alias of a known model.
    ["openai/gpt-a-latest", {}],
  ])("stays out when it is no model to sample from: %s", (name, fields) => {
    expect(synced([...all(), fresh(name, fields)]).changes).toEqual(nothing);
  });

  it.each(["xai/grok-olive", "groq/oliver-1", "openai/gpt-audio"])(
    "comes in though its name looks a little like another trade: %s",
    (name) => {
      expect(synced([...all(), fresh(name)]).changes.added).toEqual([name]);
    },
  );
});

describe("a model that vanished", () => {
  it("stays as retired, keeps its figures, and comes back when it does", () => {
    const first = synced([...all({ inputUsdPerMTok: 2 }), fresh("groq/new")]);
    const gone = synced(without("groq/one"), then(first.models));
    expect(gone.changes.retired).toEqual(["groq/new", "groq/one"]);
    expect(gone.named("groq/one")).toMatchObject({ status: "retired", inputUsdPerMTok: 2 });
    expect(gone.named("groq/one")?.synced).toContain("status");
    const still = synced(without("groq/one"), then(gone.models));
    expect(still.named("groq/new")?.status).toBe("retired");
    const back = synced([...all(), fresh("groq/new")], then(still.models));
    expect(back.named("groq/one")?.status).toBe("active");
    expect(back.named("groq/new")?.status).toBe("active");
  });

  it("is never one of the seed's own that models.dev never had", () => {
    const first = synced(without("groq/one"));
    expect(first.named("groq/one")?.status).toBe("active");
    expect(synced(without("groq/one"), then(first.models)).named("groq/one")?.status).toBe(
      "active",
    );
    expect(first.named("ollama/llama")?.status).toBe("active");
  });
});

describe("a file is refused", () => {
  it("when a provider lost more than three of ten models", () => {
    expect(sync(without("openai/gpt-a")).ok).toBe(true);
    expect(sync(without("openai/gpt-a", "openai/gpt-b"))).toEqual({
      ok: false,
      error: { reason: "shrunken", provider: "openai", known: 6, found: 4 },
    });
    expect(sync([]).ok).toBe(false);
  });

  it("counting an alias as its model", () => {
    const renamed = ["a", "b", "c"].map((letter) => fresh(`openai/gpt-${letter}-latest`));
    const rest = without("openai/gpt-a", "openai/gpt-b", "openai/gpt-c");
    expect(sync([...rest, ...renamed]).ok).toBe(true);
  });

  it("measured by what the last sync left, not by the seed", () => {
    const first = synced([...all(), ...["v", "w", "x", "y", "z"].map((id) => fresh(`xai/${id}`))]);
    const shrunken = sync([...all(), fresh("xai/v"), fresh("xai/w")], then(first.models));
    expect(shrunken).toMatchObject({ ok: false, error: { provider: "xai", known: 5, found: 2 } });
    // Models that retired one by one do not count as missing.
    const fewer = synced(without("openai/gpt-a"), then(synced(all()).models));
    const next = sync(without("openai/gpt-a", "openai/gpt-b"), then(fewer.models));
    expect(next.ok).toBe(true);
  });

  it("when many prices can't be right; a few wrong ones are left out, and the old prices stay", () => {
    const wrong = (count: number) =>
      all().map((its, at) => (at < count ? { ...its, inputUsdPerMTok: 1_000 * at - 1 } : its));
    const few = synced(wrong(3));
    expect(few.changes).toEqual({ ...nothing, implausible: names.slice(0, 3) });
    expect(few.named("openai/gpt-a")?.inputUsdPerMTok).toBe(1);
    expect(sync(wrong(4))).toEqual({
      ok: false,
      error: { reason: "absurd_price", models: names.slice(0, 4) },
    });
  });

  it.each([
    ["negative", { inputUsdPerMTok: -1 }],
    ["too high", { outputUsdPerMTok: 1_001 }],
    ["not a number", { inputUsdPerMTok: Number.NaN }],
    ["in another unit", { inputUsdPerMTok: 0.001 }],
    ["a slipped point", { outputUsdPerMTok: 100 }],
    [
      "in a tier",
      { priceTiers: [{ aboveInputTokens: 1, inputUsdPerMTok: -1, outputUsdPerMTok: 1 }] },
    ],
  ])("price %s", (_, fields) => {
    expect(sync(all(fields))).toMatchObject({ ok: false, error: { reason: "absurd_price" } });
  });
});
