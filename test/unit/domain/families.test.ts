/** Every candidate is judged by its own tokenizer: room, cost, estimate, and what is reserved for it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { inputTokensFor, maxInputTokens } from "../../../src/domain/sampling/estimate.ts";
import { nameOf } from "../../../src/domain/models/model.ts";
import { replay } from "../../../src/domain/audit/replay.ts";
import { askedOf } from "../../../src/domain/audit/record.ts";
import { compactDecision } from "../../../src/domain/choice/decision.ts";
import { requirementsOf } from "../../../src/domain/choice/asking.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { reservationOf } from "../../../src/pipeline/sampling/admission/admit.ts";
import type { Caller } from "../../../src/pipeline/callers/authenticate.ts";
import { call, credential, field, model } from "./models.fixture.ts";

const hindi = readFileSync(
  new URL("../../fixtures/tokens/held-out/hindi-story.txt", import.meta.url),
  "utf8",
);
// Mistral's stand-in counts Hindi more than twice as high as OpenAI's, and costs less a token here.
const gpt = model("openai/gpt-x", { inputUsdPerMTok: 2, outputUsdPerMTok: 2 });
const mistral = model("mistral/mistral-x", { inputUsdPerMTok: 1.5, outputUsdPerMTok: 1.5 });
const credentials = [credential("openai"), credential("mistral")];
const within = (...models: (typeof gpt)[]) => field({ models, credentials });
const frugal = { cost: 1, speed: 0, intelligence: 0 };
const asked = call({ systemPrompt: hindi, maxTokens: 10, priorities: frugal });

const planned = (of: typeof asked, its: ReturnType<typeof within>) => {
  const plan = choose(of, its);
  if (!plan.ok) throw new Error(plan.error.reason);
  return plan.value;
};

describe("an estimate by the candidate's own tokenizer", () => {
  it("makes the cheaper token the dearer call where it takes more of them", () => {
    expect(planned(asked, within(gpt, mistral)).decision.model).toBe("gpt-x");
    const english = call({ systemPrompt: "word ".repeat(200), maxTokens: 10, priorities: frugal });
    expect(planned(english, within(gpt, mistral)).decision.model).toBe("mistral-x");
  });

  it("tells two models of the same prices apart", () => {
    const same = { ...mistral, inputUsdPerMTok: 2, outputUsdPerMTok: 2 };
    const [first, second] = planned(asked, within(same, gpt)).decision.candidates;
    expect([first?.model, second?.model]).toEqual(["gpt-x", "mistral-x"]);
    expect([first?.axes?.cost, second?.axes?.cost]).toEqual([1, 0]);
  });

  it("is what the decision says of the chosen one", () => {
    const { decision, requirements } = planned(asked, within(gpt, mistral));
    const { openai = 0, mistral: its = 0 } = requirements.inputTokensByFamily ?? {};
    expect(its).toBeGreaterThan(2 * openai);
    expect(requirements.inputTokens).toBe(its);
    expect(decision.estimate.inputTokens).toBe(openai);
    expect(decision.estimate.costUsd).toBeCloseTo(((openai + 10) * 2) / 1e6, 9);
  });

  it("is made for the tokenizers of the tenant's candidates, and no others", () => {
    const denied = field({
      models: [gpt, mistral],
      credentials,
      policy: { deniedModels: ["mistral/*"] },
    });
    expect(Object.keys(requirementsOf(asked, denied).inputTokensByFamily ?? {})).toEqual([
      "openai",
    ]);
    expect(requirementsOf(asked, within()).inputTokensByFamily).toEqual({});
    expect(requirementsOf(asked, within()).inputTokens).toBeGreaterThan(0);
  });

  it("excludes for lack of room only models without room, the margin included", () => {
    const { inputTokensByFamily = {} } = requirementsOf(asked, within(gpt, mistral));
    const room = maxInputTokens(inputTokensByFamily.openai ?? 0) + 10;
    const small = (contextTokens: number) =>
      choose(asked, within({ ...gpt, contextTokens }, { ...mistral, contextTokens }));
    const fits = small(room);
    expect(fits.ok && fits.value.decision.candidates).toMatchObject([
      { model: "gpt-x" },
      { model: "mistral-x", excludedBy: "context_window" },
    ]);
    expect(small(room - 1).ok).toBe(false);
  });

  it("is reserved with a margin: tokens of the largest attempt, money of all that may be made", () => {
    const plan = planned(asked, within(gpt, mistral));
    const caller = {
      snapshot: {
        key: { id: "key", limits: {} },
        tenant: { id: "tenant", policy: {}, ceiling: { limits: {} } },
        credentials: [],
      },
    } as unknown as Caller;
    const { tokens, microUsd } = reservationOf({
      plan: plan,
      caller: caller,
      server: null,
      now: 0,
    });
    const maxOf = (family: "openai" | "mistral"): number =>
      maxInputTokens(inputTokensFor(plan.requirements, family)) + 10;
    expect(tokens).toBe(maxOf("mistral"));
    expect(microUsd).toBe(Math.ceil(maxOf("openai") * 2) + Math.ceil(maxOf("mistral") * 1.5));
  });

  it("is replayed with the decision", () => {
    const { decision } = planned(asked, within(gpt, mistral));
    const record = {
      decision: JSON.parse(JSON.stringify(compactDecision(decision))) as typeof decision,
      asked: askedOf(asked, 1, ["text"]),
    };
    const today = { models: [mistral, gpt], catalogueVersion: "test" };
    expect(replay(record, today)).toMatchObject({ same: true });
    // A model with another tokenizer today, which was not estimated then, counts as the largest
    // estimate.
    const renamed = { ...gpt, family: "qwen" };
    expect(replay(record, { ...today, models: [mistral, renamed] })).toMatchObject({ same: false });
    expect(decision.candidates.map(({ provider, model: id }) => nameOf({ provider, id }))).toEqual([
      "openai/gpt-x",
      "mistral/mistral-x",
    ]);
  });
});
