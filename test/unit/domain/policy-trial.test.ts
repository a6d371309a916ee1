/** What another policy would have chosen of a recorded decision. */
import { describe, expect, it } from "vitest";
import type { Asked } from "../../../src/domain/audit/record.ts";
import { notReplayed, tryPolicy } from "../../../src/domain/audit/policy-trial.ts";
import type { PoolPolicy } from "../../../src/domain/choice/model-pool.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { askedOf } from "../../../src/domain/audit/record.ts";
import { call, field, models } from "./models.fixture.ts";

const all = Object.values(models);
const poolUnder = (policy: PoolPolicy) => field({ models: all, policy });
const hinted = call({ hints: ["claude-sonnet"] });

function recorded(asked = hinted) {
  const made = choose(asked, poolUnder({}));
  if (!made.ok) throw new Error("nothing was chosen");
  return { decision: made.value.decision, asked: askedOf(asked, 10, ["text"]) };
}
const tried = (after: PoolPolicy, asked = hinted) =>
  tryPolicy(recorded(asked), { before: poolUnder({}), after: poolUnder(after) });
const sonnet = "anthropic/claude-sonnet-9";

describe("a policy that is tried", () => {
  it("changes nothing where it chooses the same model", () => {
    expect(tried({ deniedModels: ["openai/*"] })).toEqual({
      recorded: sonnet,
      before: { model: sonnet, refused: null },
      after: { model: sonnet, refused: null },
      isChanged: false,
      excludedBy: null,
    });
  });

  it("names the other choice, and why the recorded model is excluded", () => {
    expect(tried({ deniedModels: ["*/claude-sonnet-*"] })).toMatchObject({
      before: { model: sonnet },
      after: { model: expect.not.stringContaining("sonnet") as string, refused: null },
      isChanged: true,
      excludedBy: "not_allowed",
    });
    expect(tried({ stopped: { models: { "*/claude-sonnet-*": "too dear" } } })).toMatchObject({
      isChanged: true,
      excludedBy: "stopped",
    });
  });

  it("says why the tried policy would refuse, and how many models each reason excludes", () => {
    expect(tried({ allowedModels: [] })).toMatchObject({
      after: { model: null, refused: { reason: "no_eligible_model" } },
      isChanged: true,
      excludedBy: "not_allowed",
    });
    const excluded = tried({ allowedModels: [] })?.after.refused?.excluded ?? {};
    expect(Object.values(excluded).reduce((sum, count) => sum + count, 0)).toBe(all.length);
  });

  it("lowers maxTokens by itself, and not by the policy of the recorded call", () => {
    const thinker = { ...models.sonnet, id: "claude-thinker", reasoning: true };
    const under = (policy: PoolPolicy) =>
      field({ models: [...all, { ...thinker, outputTokens: 10_000 }], policy });
    const long = call({ maxTokens: 9_000, hints: ["claude-thinker"] });
    const made = choose(long, under({}));
    if (!made.ok) throw new Error("nothing was chosen");
    const record = { decision: made.value.decision, asked: askedOf(long, 10, ["text"]) };
    const trial = tryPolicy(record, { before: under({}), after: under({ maxTokens: 100 }) });
    expect(trial?.before.model).not.toBe("anthropic/claude-thinker");
    expect(trial?.after.model).toBe("anthropic/claude-thinker");
  });

  it("is nothing for a record without a decision", () => {
    const pools = { before: poolUnder({}), after: poolUnder({}) };
    const asked: Asked = recorded().asked;
    expect(tryPolicy({ decision: null, asked }, pools)).toBeNull();
  });

  it("names the members whose effect no record shows", () => {
    const before = { limits: { usdPerDay: 1 }, maxTokens: 5, stopped: { models: { a: "b" } } };
    expect(notReplayed(before, { limits: { usdPerDay: 1 }, maxTokens: 9 })).toEqual([]);
    expect(notReplayed(before, { toolRounds: 1, stopped: { tenant: "closed" } })).toEqual([
      "limits",
      "toolRounds",
      "stopped",
    ]);
  });
});
