/** A replay reproduces the recorded decision or names the figure that changed it. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askedOf } from "../../../src/domain/audit/record.ts";
import { poolFrom } from "../../../src/domain/choice/model-pool.ts";
import { replay } from "../../../src/domain/audit/replay.ts";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { compactDecision } from "../../../src/domain/choice/decision.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { call, credential, models } from "./models.fixture.ts";

const all = Object.values(models);
const now = 1_000_000;
const field = (healthy = true) =>
  poolFrom({
    models: all,
    credentials: ["openai", "anthropic", "google"].map((provider) => credential(provider)),
    catalogueVersion: "one",
    policy: {},
    now,
    health: healthy
      ? []
      : all.slice(0, 3).map((model, at) => ({
          credentialId: `cred_${model.provider}`,
          model: `${model.provider}/${model.id}`,
          samples: [1, 2, 3].map((count) => ({
            at: now,
            ms: 900 * (at + count),
            outputTokens: 80,
          })),
          failures: 0,
          failedAt: null,
          retryAfterMs: null,
        })),
  });

describe("a replayed decision", () => {
  it("is the recorded one, whatever was asked and measured", () => {
    const axis = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined });
    const hints = fc.subarray(["gpt", "claude", "gemini", "nobody's", "old"]);
    fc.assert(
      fc.property(
        axis,
        axis,
        axis,
        hints,
        fc.boolean(),
        (cost, speed, intelligence, named, healthy) => {
          const of = call({
            hints: named,
            priorities: {
              ...(cost === undefined ? {} : { cost }),
              ...(speed === undefined ? {} : { speed }),
              ...(intelligence === undefined ? {} : { intelligence }),
            },
          });
          const plan = choose(of, field(healthy));
          if (!plan.ok) throw new Error(plan.error.reason);
          // As the decision comes back from the database.
          const recorded = JSON.parse(JSON.stringify(compactDecision(plan.value.decision)));
          const again = replay(
            { decision: recorded, asked: askedOf(of, 1, ["text"]) },
            { models: all.toReversed(), catalogueVersion: "one" },
          );
          expect(again).toMatchObject({ same: true, differences: [] });
        },
      ),
      { numRuns: 300 },
    );
  });

  it("is the recorded one with more candidates than keep their scores", () => {
    const { models: known } = seedCatalogue;
    const pool = poolFrom({
      models: known,
      credentials: ["openai", "anthropic", "google"].map((provider) => credential(provider)),
      catalogueVersion: "one",
      policy: {},
      now,
      health: [],
    });
    const of = call({ hints: ["claude"], priorities: { cost: 0.7 } });
    const plan = choose(of, pool);
    if (!plan.ok) throw new Error(plan.error.reason);
    const decision = compactDecision(plan.value.decision);
    expect(decision.candidates.filter(({ score }) => score === undefined).length).toBeGreaterThan(
      9,
    );
    const asked = askedOf(of, 1, ["text"]);
    const today = { models: known, catalogueVersion: "one" };
    expect(replay({ decision, asked }, today)).toMatchObject({ same: true, differences: [] });
    const [first, ...rest] = decision.candidates;
    const swapped = { ...decision, candidates: [...rest, ...(first === undefined ? [] : [first])] };
    expect(replay({ decision: swapped, asked }, today)?.same).toBe(false);
  });

  it("says which figure's change made it another", () => {
    const of = call({ priorities: { cost: 1, speed: 0, intelligence: 0 } });
    const plan = choose(of, field());
    if (!plan.ok) throw new Error(plan.error.reason);
    const record = {
      decision: compactDecision(plan.value.decision),
      asked: askedOf(of, 1, ["text"]),
    };
    const [cheapest] = plan.value.choices;
    const dearer = all.map((model) =>
      model === cheapest?.model ? { ...model, inputUsdPerMTok: 900, outputUsdPerMTok: 900 } : model,
    );
    const changed = replay(record, { models: dearer, catalogueVersion: "two" });
    expect(changed?.same).toBe(false);
    expect(changed?.differences[0]).toBe("The catalogue version changed from one to two.");
    expect(changed?.differences[1]).toContain("Rank 1 was");
    // Candidates whose scores the record does not keep are compared by name.
    expect(changed?.differences.join()).not.toContain("undefined");
    const gone = replay(record, { models: [], catalogueVersion: "one" });
    expect(gone).toMatchObject({ same: false, replayed: null });
    expect(
      replay({ decision: null, asked: null }, { models: all, catalogueVersion: "one" }),
    ).toBeNull();
  });
});
