/** Published scores order models within a tier and never across tiers. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { abilityOf } from "../../../src/domain/models/ability.ts";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { parseModel } from "../../../src/domain/models/lines.ts";
import type { Model, Tier } from "../../../src/domain/models/model.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { call, credential, field, model } from "./models.fixture.ts";

const scored = (name: string, score: number | null, fields: Partial<Model> = {}) =>
  model(name, { ...(score !== null && { scores: { Bench: score } }), ...fields });
const abilities = (models: readonly Model[]): number[] => {
  const of = abilityOf(models);
  return models.map((each) => of(each));
};

describe("published scores", () => {
  it("order models of one tier, and leave models without scores in the middle of the tier", () => {
    const [good = 0, bad = 0, silent = 0] = abilities([
      scored("a/good", 80),
      scored("b/bad", 20),
      scored("c/silent", null),
    ]);
    expect(good).toBeGreaterThan(silent);
    expect(silent).toBe(3);
    expect(bad).toBeLessThan(silent);
  });

  it("are compared under one setting only, and within a tier only", () => {
    expect(
      abilities([
        model("a/a", { scores: { "Bench, harness One": 80 } }),
        model("b/b", { scores: { "Bench, harness Two": 20 } }),
        model("c/c", { scores: { "Bench, harness One": 1 }, intelligence: 5 }),
      ]),
    ).toEqual([3, 3, 5]);
  });

  it("count once where several providers serve the same model", () => {
    const twice = [scored("a/gpt-5", 80), scored("b/gpt-5", 80)];
    expect(abilities(twice)).toEqual([3, 3]);
  });

  it("never turn a provider's own order within a line around", () => {
    const [old = 0, newer = 0, newest = 0] = abilities([
      scored("a/gpt-4", 90),
      scored("a/gpt-5", 10),
      scored("a/gpt-6", null),
      scored("b/other", 50),
    ]);
    expect(newer).toBeGreaterThanOrEqual(old);
    expect(newest).toBeGreaterThanOrEqual(newer);
  });

  it("move no model by half a tier, nor past a newer model of its line", () => {
    const anyModel = fc.record({
      at: fc.integer({ min: 4, max: 9 }),
      tier: fc.constantFrom<Tier>(null, 1, 2, 3, 4, 5),
      one: fc.option(fc.double({ noNaN: true }), { nil: undefined }),
      two: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(anyModel, { maxLength: 12 }), (rows) => {
        const models = rows.map(({ at, tier, one, two }, row) =>
          model(`p${row}/gpt-${at}`, {
            intelligence: tier,
            scores: { ...(one !== undefined && { one }), ...(two !== undefined && { two }) },
          }),
        );
        const of = abilityOf(models);
        for (const each of models) {
          expect(Math.abs(of(each) - (each.intelligence ?? 3))).toBeLessThan(0.5);
          for (const other of models.filter(
            ({ intelligence }) => intelligence === each.intelligence,
          ))
            if ((parseModel(each)?.generation ?? 0) > (parseModel(other)?.generation ?? 0))
              expect(of(each)).toBeGreaterThanOrEqual(of(other));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("of the seed leave every model in its tier", () => {
    const of = abilityOf(seedCatalogue.models);
    for (const each of seedCatalogue.models) expect(Math.round(of(each))).toBe(each.intelligence);
    expect(
      seedCatalogue.models.filter(({ scores }) => scores !== undefined).length,
    ).toBeGreaterThan(30);
  });
});

describe("between equals", () => {
  const openai = { credentials: [credential("openai")] };
  const decided = (models: Model[]) => {
    const plan = choose(call(), field({ models, ...openai }));
    return plan.ok ? plan.value.decision.model : null;
  };

  it("the newer is chosen, a month being its beginning, and an unknown day the oldest", () => {
    const day = (name: string, releasedAt: string | null) =>
      model(`openai/${name}`, { releasedAt });
    expect(decided([day("a", "2025-01-01"), day("b", "2026-01-01")])).toBe("b");
    expect(decided([day("a", null), day("b", "2024-05")])).toBe("b");
    expect(decided([day("a", "2024-05-02"), day("b", "2024-05")])).toBe("a");
  });

  it("the other two axes decide at a weight of 1, and decide nothing more", () => {
    const pick = (models: Model[]) => {
      const plan = choose(call({ priorities: { intelligence: 1 } }), field({ models, ...openai }));
      return plan.ok ? plan.value.decision.model : null;
    };
    const best = model("openai/best", { intelligence: 5, speed: 1, inputUsdPerMTok: 90 });
    const good = model("openai/good", { intelligence: 4, speed: 5, inputUsdPerMTok: 0.1 });
    expect(pick([best, good])).toBe("best");
    expect(pick([best, { ...good, intelligence: 5 }])).toBe("good");
  });
});
