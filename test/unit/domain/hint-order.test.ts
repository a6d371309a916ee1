/** What one hint means: which models it names, in which order, and what stands in for those that are gone. */
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { goneModels } from "../../../src/domain/models/gone-models.ts";
import type { PoolParts } from "../../../src/domain/choice/model-pool.ts";
import { nameOf, type Model } from "../../../src/domain/models/model.ts";
import { isKnownHint } from "../../../src/domain/choice/hints.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { call, credential, field, model } from "./models.fixture.ts";

const named = (name: string, fields: Partial<Model> = {}) => model(name, fields);
const gpt = {
  four: named("openai/gpt-4", { intelligence: 3, speed: 2 }),
  turbo: named("openai/gpt-4-turbo", { intelligence: 3, speed: 2 }),
  fourO: named("openai/gpt-4o"),
  november: named("openai/gpt-4o-2024-11-20"),
  fourOMini: named("openai/gpt-4o-mini", { inputUsdPerMTok: 0.1, speed: 5 }),
  five: named("openai/gpt-5", { intelligence: 5 }),
  nano: named("openai/gpt-5-nano", { inputUsdPerMTok: 0.01, speed: 5, intelligence: 2 }),
};
const claude = {
  sonnet3: named("anthropic/claude-3-sonnet-20240229", { status: "retired", intelligence: 2 }),
  haiku3: named("anthropic/claude-3-haiku-20240307", { status: "retired", intelligence: 2 }),
  sonnet45: named("anthropic/claude-sonnet-4-5", { intelligence: 4 }),
  sonnet5: named("anthropic/claude-sonnet-5", { intelligence: 5 }),
  sonnet6: named("anthropic/claude-sonnet-6-preview", { status: "preview", intelligence: 5 }),
  haiku45: named("anthropic/claude-haiku-4-5", { speed: 5, inputUsdPerMTok: 0.1 }),
};
const all = [...Object.values(gpt), ...Object.values(claude)];

const ranked = (hint: string | string[], fields: Partial<PoolParts> = {}): string[] => {
  const plan = choose(call({ hints: [hint].flat() }), field({ models: all, ...fields }));
  if (!plan.ok) throw new Error(plan.error.reason);
  return plan.value.decision.candidates
    .filter(({ matchedHint }) => matchedHint !== undefined)
    .map((candidate) => candidate.model);
};

describe("the order within one hint", () => {
  it("is the model itself, its versions, the rest of its line by generation, then other names", () => {
    expect(ranked("gpt-4o")).toEqual([
      "gpt-4o",
      "gpt-4o-2024-11-20",
      "gpt-4-turbo",
      "gpt-4",
      "gpt-5",
      "gpt-4o-mini",
    ]);
  });

  it("does not let a cheaper, faster size take the place of the model that is named", () => {
    expect(ranked("gpt-5")[0]).toBe("gpt-5");
    expect(ranked("gpt-4")[0]).toBe("gpt-4");
  });

  it("goes on with the nearest generation when the named one cannot serve", () => {
    const without = all.filter((each) => each !== gpt.four);
    const small = { ...gpt.four, contextTokens: 5 };
    expect(ranked("gpt-4", { models: [...without, small] })[0]).toBe("gpt-4-turbo");
  });

  it("takes a whole word before a part of one", () => {
    const gemini = named("google/gemini-9-pro", { inputUsdPerMTok: 0.001, speed: 5 });
    expect(ranked("mini", { models: [gemini, gpt.fourOMini] })).toEqual([
      "gpt-4o-mini",
      "gemini-9-pro",
    ]);
  });

  it("treats a series without a size or generation as all of it", () => {
    expect(new Set(ranked("claude"))).toEqual(
      new Set(["claude-sonnet-4-5", "claude-sonnet-5", "claude-haiku-4-5"]),
    );
  });
});

describe("a hint for a model that is gone", () => {
  it("is served by the newest of its line, before a later hint", () => {
    expect(ranked(["claude-3-sonnet", "claude"])[0]).toBe("claude-sonnet-5");
    expect(ranked(["claude-3-sonnet", "claude"])).not.toContain("claude-haiku-4-5");
  });

  it("is served by no preview, no weaker and no older model", () => {
    expect(ranked("claude-3-sonnet")).not.toContain("claude-sonnet-6-preview");
    const strong = { ...claude.sonnet3, intelligence: 5 as const };
    expect(ranked("claude-3-sonnet", { models: [strong, claude.sonnet45] })).toEqual([
      "claude-sonnet-4-5",
    ]);
    const late = named("anthropic/claude-sonnet-9", { status: "retired" });
    const plan = choose(
      call({ hints: ["claude-sonnet-9"] }),
      field({ models: [late, claude.sonnet5, gpt.five] }),
    );
    // Not as the successor. An older model may still stand in, and then the decision says so.
    expect(plan.ok && plan.value.decision.candidates[0]?.viaEquivalence).toBe(true);
  });

  it("that was a preview is served by the next preview", () => {
    const old = named("google/gemini-3-pro-preview", { status: "retired", intelligence: 5 });
    const next = named("google/gemini-3.1-pro-preview", { status: "preview", intelligence: 5 });
    const older = named("google/gemini-2.5-pro", { intelligence: 4 });
    expect(ranked("gemini-3-pro", { models: [old, next, older] })[0]).toBe(
      "gemini-3.1-pro-preview",
    );
  });

  it("finds the model where a sync brought the model back", () => {
    const back = named("mistral/open-mixtral-8x7b");
    const small = named("mistral/mistral-small-2603", { intelligence: 5 });
    const models = [back, small];
    const mistral = { models, credentials: [credential("mistral")] };
    expect(ranked("open-mixtral-8x7b", mistral)[0]).toBe("open-mixtral-8x7b");
    expect(ranked("open-mixtral-8x7b", { ...mistral, models: [small] })[0]).toBe(small.id);
  });

  it("of all sizes is served by the successors of each", () => {
    expect(new Set(ranked("claude-3").slice(0, 3))).toEqual(
      new Set(["claude-sonnet-5", "claude-sonnet-4-5", "claude-haiku-4-5"]),
    );
  });

  it.each([
    ["claude-instant", "claude-haiku-4-5"],
    ["claude-2.1", "claude-sonnet-5"],
    ["gpt-4-32k", "gpt-5"],
    ["gpt-4-vision-preview", "gpt-5"],
    ["text-davinci-003", "gpt-4o-mini"],
  ])("is known although the catalogue never had it: %s", (hint, expected) => {
    expect(ranked(hint)[0]).toBe(expected);
    expect(isKnownHint(hint, all)).toBe(true);
  });
});

it("every name of a model that is gone has a successor in the seed", () => {
  const orphans = goneModels.filter(({ provider, id, kind }) => {
    const plan = choose(
      call({ hints: [id], outputModalities: [kind] }),
      field({ models: seedCatalogue.models, credentials: [credential(provider)] }),
    );
    const [first] = plan.ok ? plan.value.decision.candidates : [];
    return first?.matchedHint !== id || first.viaEquivalence === true;
  });
  expect(orphans.map(({ id }) => id)).toEqual([]);
});

describe("a stand-in at another provider", () => {
  const pro = named("google/gemini-2.5-pro", { intelligence: 4 });
  const flash = named("google/gemini-3.5-flash", { intelligence: 4, speed: 4 });
  const lite = named("google/gemini-3.1-flash-lite", { speed: 5, inputUsdPerMTok: 0.01 });
  const gemma = named("google/gemma-4-26b", { intelligence: 2, inputUsdPerMTok: 0.001 });
  const painter = named("google/gemini-3.5-flash-image", {
    intelligence: 5,
    outputModalities: ["text", "image"],
  });
  const google = {
    models: [...all, pro, flash, lite, gemma, painter],
    credentials: [credential("google")],
  };

  it("has the class that the line has today, not the old model's", () => {
    expect(new Set(ranked("claude-3-sonnet", google))).toEqual(
      new Set(["gemini-2.5-pro", "gemini-3.5-flash"]),
    );
    expect(ranked("haiku", google)[0]).toBe("gemini-3.1-flash-lite");
  });

  it("is chosen among the neighbours of the class by the priorities", () => {
    const asked = call({ hints: ["claude-3-sonnet"], priorities: { speed: 1 } });
    const plan = choose(asked, field(google));
    expect(plan.ok && plan.value.decision.model).toBe("gemini-3.5-flash");
  });

  it("is found for each class that a hint names, not only for the smallest", () => {
    const asked = call({ hints: ["claude"], priorities: { intelligence: 1 } });
    const plan = choose(asked, field(google));
    expect(plan.ok && plan.value.decision.candidates[0]).toMatchObject({ viaEquivalence: true });
    expect(plan.ok && ["gemini-2.5-pro", "gemini-3.5-flash"]).toContain(
      plan.ok ? plan.value.decision.model : "",
    );
  });

  it("is a model made for programming only if the named model is", () => {
    const codex = named("openai/gpt-6-codex", { intelligence: 5, inputUsdPerMTok: 0.001 });
    const openai = { models: [...all, codex], credentials: [credential("openai")] };
    expect(ranked("claude-sonnet-5", openai)).not.toContain("gpt-6-codex");
    const coder = named("mistral/codestral-9", { intelligence: 5 });
    expect(ranked("codestral-9", { ...openai, models: [...all, codex, coder] })).toContain(
      "gpt-6-codex",
    );
  });
});

it("every model's own name is a hint that finds it first", () => {
  for (const each of all.filter(({ status }) => status !== "retired"))
    expect(ranked(nameOf(each))[0]).toBe(each.id);
});
