/** The sentence about a selection agrees with the candidates' order and the weights, on every path of the choice. */
import { describe, expect, it } from "vitest";
import { sentenceOf, wishesOf } from "../../../src/console/requests/notes.ts";
import type { Decision } from "../../../src/domain/choice/decision.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { weightsOf } from "../../../src/domain/choice/score.ts";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import { call, credential, field } from "../domain/models.fixture.ts";

const providers = ["openai", "anthropic", "google", "mistral"];
const pool = field({
  models: seedCatalogue.models,
  credentials: providers.map((provider) => credential(provider)),
});

const decide = (fields: Partial<SamplingCall>): Decision => {
  const plan = choose(call(fields), pool);
  if (!plan.ok) throw new Error(plan.error.reason);
  return plan.value.decision;
};

const feasibleIn = ({ candidates }: Decision) =>
  candidates.filter(({ excludedBy }) => excludedBy === undefined);

const only = { cost: 0, speed: 0, intelligence: 0 };
const asked: [string, Partial<SamplingCall>, RegExp][] = [
  [
    "nothing",
    {},
    /^No priority is higher than the others, so (\S+) is selected as the default model, which/,
  ],
  ["thirds", { priorities: { cost: 0.33, speed: 0.33, intelligence: 0.34 } }, /^No priority/],
  ["two halves", { priorities: { cost: 0.5, intelligence: 0.5 } }, /default model/],
  ["cost alone", { priorities: { ...only, cost: 1 } }, /best score of \d+ feasible models\.$/],
  [
    "mostly cost",
    { priorities: { cost: 0.8, speed: 0.1 } },
    /best score of \d+ feasible models\.$/,
  ],
  ["two alike", { priorities: { cost: 1, intelligence: 1, speed: 0 } }, /feasible models\.$/],
  ["a maker", { hints: ["claude"] }, /is the default among matches of the hint “claude”/],
  ["a maker, cheap", { hints: ["claude"], priorities: { cost: 1 } }, /best score among matches/],
  ["no model's name", { hints: ["llama-nine-thousand"] }, /default model/],
  ["a model", { model: "claude-sonnet-5-5" }, /is the model that the request names\.$/],
  [
    "a model that is not there",
    { model: "gpt-none", fallbacks: ["claude-sonnet-5-5"] },
    /isn’t feasible. \S+ is its first feasible fallback\.$/,
  ],
];

describe("the sentence about a selection", () => {
  it.each(asked)("states how the model was selected: %s", (_, fields, expected) => {
    const decision = decide(fields);
    const sentence = sentenceOf(decision);
    expect(sentence).toMatch(expected);
    expect(sentence).toContain(`${decision.provider}/${decision.model}`);
  });

  it.each(asked)("says “best score” of no model that another one exceeds: %s", (_, fields) => {
    const decision = decide(fields);
    const [first, ...others] = feasibleIn(decision);
    if (!sentenceOf(decision).includes("best score")) return;
    const rivals = others.filter(({ matchedHint }) => matchedHint === first?.matchedHint);
    expect(Math.max(0, ...rivals.map(({ score = 0 }) => score))).toBeLessThanOrEqual(
      first?.score ?? 0,
    );
  });

  it.each(asked.filter(([, { hints, model }]) => (hints ?? model) === undefined))(
    "is followed by rows in the order of their scores, but for marked ones: %s",
    (_, fields) => {
      const scored = feasibleIn(decide(fields)).filter(
        ({ isDefault, isCopy, isLate }) => (isDefault ?? isCopy ?? isLate) === undefined,
      );
      const scores = scored.map(({ score = 0 }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    },
  );

  it("says what counts beside the given priorities, if it counts", () => {
    const priorities = { cost: 0.5, intelligence: 0.5 };
    expect(wishesOf({ hints: [], priorities }, weightsOf(priorities))).toBe(
      "The request has no hint and the priorities cost 0.5, intelligence 0.5. Of what it leaves open, speed counts 33.3%.",
    );
    expect(wishesOf({ priorities: { cost: 1 } }, weightsOf({ cost: 1 }))).toMatch(/cost 1\.$/);
    expect(wishesOf({ hints: ["opus"] }, weightsOf({}))).toMatch(/ and no priority\.$/);
  });
});
