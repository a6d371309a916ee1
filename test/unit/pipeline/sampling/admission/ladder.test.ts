/** The claims of a call, for limits that have too little left for the first one. */
import { describe, expect, it } from "vitest";
import type { Limits } from "../../../../../src/domain/choice/policy.ts";
import { maxInputTokens } from "../../../../../src/domain/sampling/estimate.ts";
import { maxClaims } from "../../../../../src/domain/ports/ledger.ts";
import { reservationOf } from "../../../../../src/pipeline/sampling/admission/admit.ts";
import type { Planned } from "../../../../../src/pipeline/sampling/choice/choose.ts";
import {
  heldReservationOf,
  ladderOf,
} from "../../../../../src/pipeline/sampling/admission/ladder.ts";
import { callerWith, planOf, priced } from "../../callers/callers.fixture.ts";

const one = priced("mistral/one", 1);
const two = priced("anthropic/two", 2);
const three = priced("google/three", 3);
const four = priced("cohere/four", 4);
const money: Limits = { usdPerDay: 1 };

const given = (plan: Planned, limits: Limits) => {
  const caller = callerWith({ policy: { limits } });
  return { plan, caller, server: null, now: 1_800_000_000_000 };
};
function claimsOf(plan: Planned, limits: Limits) {
  const input = given(plan, limits);
  const first = reservationOf(input);
  const lesser = ladderOf(input, first);
  return { first, lesser, all: [first, ...lesser.map(({ reserved }) => reserved)] };
}
const notesOf = ({ lesser }: ReturnType<typeof claimsOf>) =>
  lesser.map(({ plan }) => plan.decision.notes.at(-1));

describe("the claims of a call", () => {
  const plan = planOf([one, two, three]);
  const input = maxInputTokens(plan.requirements.inputTokens);
  const tokens = input + 1_000;

  it("reserve for fewer and fewer attempts, then for the first model, then for a short answer", () => {
    const claims = claimsOf(plan, money);
    expect(claims.all.map(({ microUsd }) => microUsd)).toEqual([
      6 * tokens,
      5 * tokens,
      3 * tokens,
      tokens,
      input + 256,
    ]);
    expect(claims.all.map(({ limitChecks }) => limitChecks[0]?.amount)).toEqual(
      claims.all.map(({ microUsd }) => microUsd),
    );
    expect(notesOf(claims)).toEqual([
      "limits: reserved for 2 of 3 attempts, because the remaining limit was too low",
      "limits: reserved for 1 of 3 attempts, because the remaining limit was too low",
      "limits: reserved only for the first model, because the remaining limit was too low",
      "limits: maxTokens lowered from 1000 to 256, because the remaining limit was too low",
    ]);
    expect(claims.lesser.map(({ shortens }) => shortens)).toEqual([
      undefined,
      undefined,
      undefined,
      true,
    ]);
    expect(claims.lesser.at(-1)?.plan.requirements.maxTokens).toBe(256);
  });

  it("keep the candidates of failover, whatever is reserved for them", () => {
    for (const { steps } of claimsOf(plan, money).all) expect(steps).toHaveLength(3);
  });

  it("are five at most, of which the largest lesser ones go first", () => {
    const claims = claimsOf(planOf([one, two, three, four]), money);
    expect(claims.all).toHaveLength(maxClaims);
    expect(notesOf(claims)[0]).toContain("2 of 4 attempts");
  });

  it("are one where nothing is counted that could be too little", () => {
    for (const limits of [{}, { requestsPerMinute: 5 }, { concurrent: 1 }])
      expect(claimsOf(plan, limits).lesser).toEqual([]);
  });

  it("lower nothing for the tokens of a minute alone", () => {
    expect(claimsOf(plan, { tokensPerMinute: 9_000 }).lesser).toEqual([]);
    const limits = { tokensPerMinute: 9_000, tokensPerDay: 90_000 };
    expect(claimsOf(plan, limits).lesser.map(({ shortens }) => shortens)).toEqual([true]);
  });

  it("leave what was asked where that is short, and what has to call a tool or to reason", () => {
    const isShort = (its: Planned): boolean =>
      claimsOf(its, money).lesser.some(({ shortens }) => shortens === true);
    expect(isShort(plan)).toBe(true);
    const requirements = { ...plan.requirements, maxTokens: 256 };
    const shorter = { ...plan, requirements };
    const shortened = (_: unknown, to: number) => plan.shortened(shorter, to);
    expect(isShort({ ...shorter, shortened })).toBe(false);
    expect(isShort({ ...plan, shortened: () => null })).toBe(false);
    expect(isShort(planOf([{ ...one, reasoning: true, reasoningControl: always }]))).toBe(false);
  });

  describe("at a model endpoint", () => {
    const asked = { endpoint: "messages", maxTokens: 64_000 } as const;
    const writer = { ...one, outputTokens: 64_000 };
    const long = planOf(
      [one, two, three].map((each) => ({ ...each, outputTokens: 64_000 })),
      1,
      asked,
    );
    const alone = maxInputTokens(long.requirements.inputTokens) + 64_000;

    it("reserve for one attempt, then for the first model, then for 16,384 and 4,096 tokens", () => {
      const claims = claimsOf(long, money);
      expect(claims.all.map(({ microUsd }) => microUsd)).toEqual([
        3 * alone,
        alone,
        alone - 64_000 + 16_384,
        alone - 64_000 + 4_096,
      ]);
      expect(claims.first).toMatchObject({ maxAttempts: 4, steps: { length: 3 } });
      expect(claims.lesser.map(({ shortens }) => shortens)).toEqual([undefined, true, true]);
    });

    it("reserve for all attempts where these are a hundredth of the smallest budget at most", () => {
      const reservedFor = (usdPerDay: number) => claimsOf(long, { usdPerDay }).first.microUsd;
      expect(reservedFor((6 * alone) / 1e4)).toBe(6 * alone);
      expect(reservedFor((6 * alone - 100) / 1e4)).toBe(3 * alone);
    });

    it("lower no limit below the budget of tokens for thinking, which has to be smaller", () => {
      const budgets = [null, 4_096, 20_000].map((budget) => {
        const thinking = budget === null ? {} : { minTokens: budget + 1 };
        const passing = { losses: [], ...thinking };
        const its = planOf([writer], 1, { ...asked, passing });
        return claimsOf(its, money).lesser.filter(({ shortens }) => shortens === true).length;
      });
      expect(budgets).toEqual([2, 1, 0]);
    });

    it("lower the limit of models that always reason, and of calls that have to use a tool", () => {
      const reasoner = { ...writer, reasoning: true, reasoningControl: always };
      const toolChoice = "required" as const;
      for (const its of [
        planOf([reasoner], 1, asked),
        planOf([writer], 1, { ...asked, toolChoice }),
      ])
        expect(claimsOf(its, money).lesser.at(-1)).toMatchObject({ shortens: true });
    });
  });

  it("of a call that waits for a person are one: as many attempts as its budget could ever pay", () => {
    for (const [share, amount] of [
      [6, 6],
      [5.9, 5],
      [4, 3],
      [2, 1],
      [0.1, 1],
    ] as const) {
      const limits = { usdPerDay: Math.floor(share * tokens) / 1e6 };
      expect(heldReservationOf(given(plan, limits)).microUsd).toBe(amount * tokens);
    }
  });
});

const always = {
  efforts: ["low" as const, "high" as const],
  byDefault: "low" as const,
  sentAs: "reasoning_effort" as const,
  source: "https://example.test",
};
