/** How a sync classifies models of unknown lines. */
import { describe, expect, it } from "vitest";
import { syncCatalogue, type CatalogueEntry } from "../../../src/domain/models/catalogue-sync.ts";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { parseModel } from "../../../src/domain/models/lines.ts";
import { nameOf, type Catalogue, type Model } from "../../../src/domain/models/model.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { codecFor } from "../../../src/mcp/era.ts";
import { credentialSets, expertPicks, type ExpertPick } from "./expert-picks.fixture.ts";
import { call, credential, field, model } from "./models.fixture.ts";

const line = (name: string, fields: Partial<Model>) => model(name, { family: "gpt", ...fields });
const seed: Catalogue = {
  version: "seed",
  models: [
    line("openai/gpt-8", { outputUsdPerMTok: 30, intelligence: 5, speed: 3 }),
    line("openai/gpt-8-mini", { outputUsdPerMTok: 4, intelligence: 3, speed: 4 }),
    line("openai/gpt-8-nano", { outputUsdPerMTok: 1, intelligence: 2, speed: 5 }),
    line("openai/gpt-8-codex", { outputUsdPerMTok: 12, intelligence: 5, speed: 3 }),
    line("openai/gpt-7", { outputUsdPerMTok: 2, intelligence: 4, speed: 3 }),
    model("anthropic/claude-haiku-7", { outputUsdPerMTok: 5, intelligence: 3, speed: 4 }),
  ],
};

const entryOf = (its: Model): CatalogueEntry => {
  const { aliases: _, intelligence: __, speed: ___, source: ____, ...figures } = its;
  const { synced: _____, estimated: ______, unverified: _______, ...entry } = figures;
  return entry;
};

/** The catalogue after a sync that brings more models. */
function withNew(names: Readonly<Record<string, Partial<Model>>>, known = seed): readonly Model[] {
  const fresh = Object.entries(names).map(([name, fields]) => model(name, fields));
  const entries = [...known.models, ...fresh].map(entryOf);
  const done = syncCatalogue({ seed: known, current: known, entries });
  if (!done.ok) throw new Error(JSON.stringify(done.error));
  return done.value.models;
}

function brought(name: string, fields: Partial<Model> = {}): Model | undefined {
  return withNew({ [name]: fields }).find((each) => nameOf(each) === name);
}

describe("a new model", () => {
  it.each([
    ["openai/gpt-8-vega", "gpt-vega"],
    ["openai/gpt-9-vega-preview", "gpt-vega"],
    ["openai/gpt-9-mini", "gpt-mini"],
    ["openai/gpt-9-2027-01-31", "gpt"],
    ["openai/gpt-9-mini-latest", "gpt-mini"],
  ])("with a word that is unknown here is of a line of its own: %s is %s", (name, expected) => {
    const its = brought(name);
    expect(its && parseModel(its)?.line).toBe(expected);
  });

  it("of a tenant's own, or in a hint, keeps its known line: a name there has any words", () => {
    expect(parseModel(model("openai/gpt-8-mini-ours"))?.line).toBe("gpt-mini");
  });

  it("of a known line is what its newest member is, and nothing is estimated", () => {
    const its = brought("openai/gpt-9-mini", { outputUsdPerMTok: 0.1 });
    expect(its).toMatchObject({ intelligence: 3, speed: 4 });
    expect(its).not.toHaveProperty("estimated");
  });

  it.each([
    // A price as a multiple of another: 8 is twice 4, and 30 is almost four times 8.
    [8, 3],
    [1.9, 2],
    [2.1, 3],
    [30, 5],
    [600, 5],
    // As far from 1 as from 4: the less able.
    [2, 2],
  ])("of a new line at %d USD is of tier %d, by the nearest price", (outputUsdPerMTok, tier) => {
    expect(brought("openai/gpt-8-vega", { outputUsdPerMTok })).toMatchObject({
      intelligence: tier,
      estimated: ["intelligence", "speed"],
    });
  });

  it("is compared with its own generation, else with the newest before it", () => {
    expect(brought("openai/gpt-7.5-vega", { outputUsdPerMTok: 30 })?.intelligence).toBe(4);
    expect(brought("openai/gpt-9-vega", { outputUsdPerMTok: 2.2 })?.intelligence).toBe(3);
  });

  it("is no abler than the dearest line", () => {
    const odd = seed.models.map((its) => ({
      ...its,
      intelligence: its.id === "gpt-8-nano" ? (5 as const) : (3 as const),
    }));
    const models = withNew({ "openai/gpt-8-vega": {} }, { version: "odd", models: odd });
    expect(models.find(({ id }) => id === "gpt-8-vega")?.intelligence).toBe(3);
  });

  it("of a provider without a line is compared with all, and its speed stays unknown", () => {
    const its = brought("openrouter/maker/vega-1", { outputUsdPerMTok: 29 });
    expect(its).toMatchObject({ intelligence: 5, speed: null, estimated: ["intelligence"] });
  });

  it("of a new line without a price has no tier", () => {
    const its = brought("openai/gpt-8-vega", { outputUsdPerMTok: null });
    expect(its).toMatchObject({ intelligence: null, speed: null });
    expect(its).not.toHaveProperty("estimated");
  });
});

describe("the choice of a new line", () => {
  const unpriced = { inputUsdPerMTok: null, outputUsdPerMTok: null };
  const chosen = (
    names: Readonly<Record<string, Partial<Model>>>,
    asked: Parameters<typeof call>[0],
  ) => {
    const pool = field({ models: withNew(names), credentials: [credential("openai")] });
    const plan = choose(call(asked), pool);
    if (!plan.ok) throw new Error(JSON.stringify(plan.error));
    return plan.value.decision;
  };

  it("without a price needs the exact name, by id or with the provider", () => {
    const vega = { "openai/gpt-9-vega": unpriced };
    for (const hint of ["gpt-9-vega", "openai/gpt-9-vega", "GPT 9 Vega"])
      expect(chosen(vega, { hints: [hint] }).model).toBe("gpt-9-vega");
    for (const hint of ["vega", "gpt-vega", "gpt-9", "gpt-9-vega-2027-01-01"])
      expect(chosen(vega, { hints: [hint] }).model).not.toBe("gpt-9-vega");
    expect(chosen(vega, {}).candidates).toContainEqual({
      provider: "openai",
      model: "gpt-9-vega",
      excludedBy: "unknown_class",
    });
  });

  it("without a price is refused where nothing else is there", () => {
    const models = withNew({ "openai/gpt-9-vega": unpriced });
    const policy = { allowedModels: ["*vega"] };
    const plan = choose(call(), field({ models, credentials: [credential("openai")], policy }));
    expect(plan).toMatchObject({ ok: false, error: { reason: "no_eligible_model" } });
  });

  it("a known line without a price needs a hint, as any model without a price", () => {
    const mini = { "openai/gpt-9-mini": unpriced };
    expect(chosen(mini, {}).model).not.toBe("gpt-9-mini");
    expect(chosen(mini, { hints: ["gpt-9-mini-2027-01-01"] }).model).toBe("gpt-9-mini");
  });

  it("is marked among the candidates, and its line answers to a hint", () => {
    const vega = { "openai/gpt-8-vega": { outputUsdPerMTok: 30 } };
    const { model: named, candidates } = chosen(vega, { hints: ["gpt-vega"] });
    expect(named).toBe("gpt-8-vega");
    expect(candidates[0]).toMatchObject({ estimated: true, matchedHint: "gpt-vega" });
    expect(candidates.filter(({ estimated }) => estimated)).toHaveLength(1);
  });

  it("is the last of its tier, though it is newer and cheaper", () => {
    const models = withNew({ "openai/gpt-8-vega": { outputUsdPerMTok: 29 } }).filter(
      ({ id }) => id !== "gpt-8-codex",
    );
    const pool = field({ models: [...models], credentials: [credential("openai")] });
    for (const intelligence of [1, 0.9, 0.8]) {
      const plan = choose(call({ priorities: { intelligence } }), pool);
      expect(plan.ok && plan.value.decision.model).toBe("gpt-8");
    }
  });

  it("changes nothing between two models that somebody judged", () => {
    const vega = { "openai/gpt-8-vega": { outputUsdPerMTok: 29, releasedAt: "2027-01-01" } };
    const axesOf = (names: Readonly<Record<string, Partial<Model>>>) =>
      chosen(names, { priorities: { cost: 0.7 } })
        .candidates.filter(({ model: id }) => id !== "gpt-8-vega")
        .map(({ model: id, axes }) => [id, axes]);
    expect(axesOf(vega)).toEqual(axesOf({}));
  });

  it("stands in for nothing, and is nobody's everyday model", () => {
    const vega = { "openai/gpt-8-vega": { outputUsdPerMTok: 4, releasedAt: "2027-01-01" } };
    expect(chosen(vega, { hints: ["claude-haiku"] }).model).toBe("gpt-8-mini");
    expect(chosen(vega, {}).model).toBe("gpt-8-mini");
  });
});

/** Models that came after July, under names with words that July's parser did not know. */
const newWords = (
  "luna:lyra terra:vela sol:deneb astra:orion flare:corona sunburst:zenith argon:xenon " +
  "carbon:boron hydrogen:helium"
)
  .split(" ")
  .map((pair) => pair.split(":"));
const sinceJuly = new Set(
  (
    "claude-fable-5-1 claude-fable-5-2 claude-haiku-5-5 claude-opus-5 claude-opus-5-5 claude-sonnet-5-5 " +
    "gemini-3-pro-image gemini-3.1-flash-image gemini-3.1-flash-tts-preview gemini-3.5-flash-lite " +
    "gemini-3.6-flash gemini-3.7-flash gemini-3.8-flash gemini-3.8-flash-lite-tts gemini-3.8-flash-tts " +
    "gemini-4-argon gemini-4-carbon gemini-4-hydrogen gemini-nano-banana-2.1 " +
    "gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra gpt-6-astra gpt-6-luna gpt-6-sol gpt-6.1-sol gpt-6.1-terra " +
    "gpt-image-2.5-flare gpt-image-2.5-sunburst gpt-image-2.6-flare"
  ).split(" "),
);
const shutSinceJuly = new Set(
  (
    "gpt-3.5-turbo gpt-4 gpt-4-turbo gpt-4.1-nano o1 o3-mini o4-mini gemini-2.5-flash-image " +
    "gemini-3-pro-image-preview gemini-3.1-flash-image-preview"
  ).split(" "),
);
const renamed = (name: string): string =>
  newWords.reduce(
    (text, [word = "", other = ""]) =>
      text.replaceAll(new RegExp(`(^|[- ])${word}(?=$|[- ])`, "gi"), `$1${other}`),
    name,
  );
const isSinceJuly = ({ provider, id }: Pick<Model, "provider" | "id">): boolean =>
  ["openai", "anthropic", "google"].includes(provider) && sinceJuly.has(id);

describe("July's catalogue, given today's models by a sync alone", () => {
  const july: Catalogue = {
    version: "july",
    models: seedCatalogue.models
      .filter((its) => !isSinceJuly(its))
      .map(({ retiresAt: _, ...its }) => {
        const status = its.id.endsWith("preview") ? "preview" : "active";
        return shutSinceJuly.has(its.id) ? { ...its, status } : its;
      }),
  };
  const entries = seedCatalogue.models
    .filter(({ provider }) => provider !== "ollama")
    .map((its) =>
      isSinceJuly(its)
        ? {
            ...its,
            id: renamed(its.id),
            name: renamed(its.name),
            family: renamed(its.family ?? ""),
          }
        : its,
    )
    .map(entryOf);
  const done = syncCatalogue({ seed: july, current: july, entries });
  const synced = done.ok ? done.value.models : [];

  const poolsOf = (models: readonly Model[]) =>
    Object.fromEntries(
      Object.entries(credentialSets).map(([name, providers]) => [
        name,
        field({ models: [...models], credentials: providers.map((each) => credential(each)) }),
      ]),
    );
  const pools = { before: poolsOf(july.models), after: poolsOf(synced) };
  function pickOf(pool: keyof typeof pools, { credentials, params }: ExpertPick): string {
    const decoded = codecFor("2025-11-25")?.decodeCall(params);
    const of = pools[pool][credentials];
    const plan = decoded?.ok === true && of !== undefined ? choose(decoded.value, of) : null;
    return plan?.ok === true
      ? `${plan.value.decision.provider}/${plan.value.decision.model}`
      : "nothing";
  }

  /** Picks that are neither July's nor what is expected with today's catalogue, and right for another reason. */
  const judged: Readonly<Record<string, string>> = {
    'openai {"hints":[{"name":"gpt-4"}]}': "openai/gpt-5.5",
    'openai {"hints":[{"name":"GPT4 Turbo"}]}': "openai/gpt-5.5",
    'three {"hints":[{"name":"azure-container-apps"}],"costPriority":0.3,"speedPriority":0.5,"intelligencePriority":0.85}':
      "anthropic/claude-opus-5-5",
  };

  it("has the new lines, estimated", () => {
    const added = synced.filter((its) => !july.models.some((old) => nameOf(old) === nameOf(its)));
    expect(added.map(nameOf)).toHaveLength(sinceJuly.size);
    const tiers = added
      .filter(({ estimated }) => estimated !== undefined)
      .map(({ id, intelligence }) => `${id} ${intelligence}`);
    expect(tiers).toEqual([
      "gpt-5.6-deneb 5",
      "gpt-5.6-lyra 2",
      "gpt-5.6-vela 5",
      "gpt-6-deneb 3",
      "gpt-6-lyra 2",
      "gpt-6-orion 5",
    ]);
  });

  it("turns no pick wrong", () => {
    const changed = expertPicks.flatMap((pick) => {
      const [before, after] = [pickOf("before", pick), pickOf("after", pick)];
      if (after === before || after === renamed(pick.expected)) return [];
      const key = `${pick.credentials} ${JSON.stringify(pick.params["modelPreferences"] ?? {})}`;
      return judged[key] === after ? [] : [{ key, before, after, expected: pick.expected }];
    });
    expect(changed).toEqual([]);
  });
});
