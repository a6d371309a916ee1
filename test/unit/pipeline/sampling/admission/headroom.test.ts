/** Room for reasoning in what is reserved. */
import { describe, expect, it } from "vitest";
import type { Policy } from "../../../../../src/domain/choice/policy.ts";
import {
  createReasoningRefusals,
  withoutRefused,
} from "../../../../../src/pipeline/sampling/choice/reasoning-refusals.ts";
import { reservationOf } from "../../../../../src/pipeline/sampling/admission/admit.ts";
import { ladderOf } from "../../../../../src/pipeline/sampling/admission/ladder.ts";
import { callerWith, planOf, priced, reservedBy } from "../../callers/callers.fixture.ts";

const thinker = { ...priced("mistral/thinker", 1), reasoning: true };
const plain = priced("mistral/thinker", 1);
const visible = reservedBy(planOf([plain])).tokens;
const room = 8_192;

describe("a reservation", () => {
  it("covers the reasoning beside the text, and each step says how much room it has", () => {
    const reserved = reservedBy(planOf([thinker]));
    expect(reserved).toMatchObject({
      tokens: visible + room,
      microUsd: visible + room,
      steps: [{ reasoning: { sent: null, metadata: "absent", headroom: room } }],
    });
    expect(reservedBy(planOf([plain])).steps[0]?.reasoning.headroom).toBe(0);
  });

  it.each<[string, Policy["limits"], number]>([
    ["tokens", { tokensPerMinute: visible + 500 }, 500],
    ["money", { usdPerDay: (visible + 500) / 1e6 }, 500],
    ["tokens that only the text needs", { tokensPerMinute: visible }, 0],
    ["tokens that are too few for the text", { tokensPerMinute: 10 }, 0],
    ["either that is large enough", { tokensPerMinute: 100_000, usdPerDay: 1 }, room],
  ])("takes as much room as a limit leaves: %s", (_, limits, headroom) => {
    const reserved = reservedBy(planOf([thinker]), { policy: { limits: limits ?? {} } });
    expect(reserved.steps[0]?.reasoning.headroom).toBe(headroom);
    expect(reserved.tokens).toBe(visible + headroom);
  });

  it("has no room for a budget that is too small to be asked for, and nothing is sent of it", () => {
    const reasoningControl = {
      efforts: ["none" as const, "low" as const],
      byDefault: "none" as const,
      sentAs: "anthropic_budget" as const,
      source: "https://example.test",
    };
    const plan = planOf([{ ...thinker, reasoningControl }]);
    const reasoning = { wish: { effort: "low" as const }, shrinks: true as const };
    const wishing = { ...plan, requirements: { ...plan.requirements, reasoning } };
    const limits = { tokensPerMinute: visible + 500 };
    const reserved = reservedBy(wishing, { policy: { limits } });
    expect(reserved).toMatchObject({ tokens: visible, steps: [{ reasoning: { headroom: 0 } }] });
  });

  it("has a lesser claim without the room, of a model that needs none or of the same one", () => {
    const writer = { ...priced("mistral/writer", 2) };
    const plan = planOf([thinker, writer]);
    const lesserBy = (chosen: typeof plan, limits: Policy["limits"]) => {
      const input = { plan: chosen, caller: callerWith({ policy: { limits: limits ?? {} } }) };
      const wanted = { ...input, server: null, now: 1_800_000_000_000 };
      return ladderOf(wanted, reservationOf(wanted));
    };
    const [lesser] = lesserBy(plan, { tokensPerMinute: 100_000 });
    expect(lesser?.reserved.steps[0]?.model.id).toBe("writer");
    expect(lesser?.reserved.tokens).toBe(visible);
    const [alone] = lesserBy(planOf([thinker]), { usdPerDay: 1 });
    expect(alone?.reserved).toMatchObject({ tokens: visible, microUsd: visible });
    expect(alone?.plan.requirements.reasoning?.roomless).toBe(true);
    expect(lesserBy(plan, { requestsPerMinute: 5, concurrent: 5 })).toEqual([]);
    expect(lesserBy(planOf([writer]), { tokensPerMinute: 100_000 })).toEqual([]);
  });

  it("keeps room of its own where the policy names one", () => {
    const plan = planOf([thinker]);
    const tight = { ...plan, requirements: { ...plan.requirements, reasoning: { tokens: 300 } } };
    expect(reservedBy(tight).steps[0]?.reasoning.headroom).toBe(300);
  });
});

describe("the memory of models that refuse to be asked about reasoning", () => {
  const control = {
    efforts: ["none" as const, "low" as const],
    byDefault: "low" as const,
    sentAs: "reasoning_effort" as const,
    source: "https://example.test",
  };
  const controlled = { ...thinker, reasoningControl: control };
  const other = { ...controlled, id: "other" };
  const credentials = [
    { id: "cred_1", provider: "mistral", status: "active" as const, models: null },
  ];

  it("takes the control of reasoning away, so that models get the room of an unknown effort", () => {
    const refusals = createReasoningRefusals(10);
    const models = [controlled, other];
    expect(withoutRefused(models, credentials, refusals)).toBe(models);
    refusals.add("cred_1", controlled);
    expect(refusals.version()).toBe(1);
    const [first, second] = withoutRefused(models, credentials, refusals);
    expect(first).toEqual({ ...thinker });
    expect(second).toBe(other);
  });

  it("is learned for one credential: another tenant's credential is not asked for less", () => {
    const refusals = createReasoningRefusals(10);
    refusals.add("cred_of_another", controlled);
    expect(withoutRefused([controlled], credentials, refusals)[0]).toBe(controlled);
  });

  it("is bounded: the oldest is forgotten", () => {
    const refusals = createReasoningRefusals(2);
    for (const id of ["a", "b", "c"]) refusals.add(id, controlled);
    expect(["a", "b", "c"].map((id) => refusals.has(id, controlled))).toEqual([false, true, true]);
  });
});
