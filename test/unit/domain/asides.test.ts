/** Previews, image models, late models and models that always reason: when they are chosen, and when not. */
import { describe, expect, it } from "vitest";
import type { PoolParts } from "../../../src/domain/choice/model-pool.ts";
import { defaultDeadlineMs } from "../../../src/domain/choice/policy.ts";
import { replay } from "../../../src/domain/audit/replay.ts";
import { askedOf } from "../../../src/domain/audit/record.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import { compactDecision, type Decision } from "../../../src/domain/choice/decision.ts";
import { nameOf } from "../../../src/domain/models/model.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { call, credential, field, model } from "./models.fixture.ts";

const plain = model("google/gemini-2.5-pro", { intelligence: 3 });
const preview = model("google/gemini-3-pro-preview", {
  status: "preview",
  intelligence: 5,
  speed: 5,
});
const beta = model("openai/gpt-9-beta", { status: "preview", intelligence: 4 });
const painter = model("google/gemini-2.5-flash-image", {
  intelligence: 5,
  speed: 5,
  inputUsdPerMTok: 0.01,
  outputModalities: ["text", "image"],
});
const models = [plain, preview, beta, painter];

const decided = (of: Partial<SamplingCall> = {}, fields: Partial<PoolParts> = {}): Decision => {
  const plan = choose(call(of), field({ models, ...fields }));
  if (!plan.ok) throw new Error(JSON.stringify(plan.error));
  return plan.value.decision;
};
const excludedIn = (decision: Decision): Record<string, string> =>
  Object.fromEntries(
    decision.candidates.flatMap((its) =>
      its.excludedBy === undefined ? [] : [[its.model, its.excludedBy]],
    ),
  );

describe("a preview", () => {
  it("is no candidate unless a hint names it, and the decision says why", () => {
    const decision = decided({ priorities: { intelligence: 1 } });
    expect(decision.model).toBe(plain.id);
    expect(excludedIn(decision)).toMatchObject({
      [preview.id]: "preview",
      [beta.id]: "preview",
    });
  });

  it.each(["gemini-3-pro-preview", "gemini-3-pro", "google/gemini-3-pro-preview", "gpt-9"])(
    "is chosen by a hint that names it: %s",
    (hint) => {
      expect(decided({ hints: [hint] }).model).toMatch(/preview|beta/);
    },
  );

  it("is not what a hint for its series means while another model of the series can serve", () => {
    expect(decided({ hints: ["gemini"] }).model).toBe(plain.id);
    expect(decided({ hints: ["gpt"] }).model).toBe(beta.id);
  });

  it("is chosen where nothing else can serve", () => {
    const decision = decided({}, { models: [preview, painter] });
    expect(decision.model).toBe(preview.id);
    expect(excludedIn(decision)).toEqual({ [painter.id]: "image_model" });
  });

  it("is chosen as other models are if the policy allows previews", () => {
    const policy = { previews: "allowed" as const };
    expect(decided({ priorities: { intelligence: 1 } }, { policy }).model).toBe(preview.id);
  });

  it("is never chosen if the policy says never, even by name or as the last feasible model", () => {
    const policy = { previews: "never" as const };
    expect(decided({ hints: [preview.id] }, { policy }).model).toBe(plain.id);
    expect(choose(call(), field({ models: [preview], policy }))).toMatchObject({
      ok: false,
      error: { candidates: [{ model: "google/gemini-3-pro-preview", excludedBy: "preview" }] },
    });
  });
});

describe("a model that draws", () => {
  it("is no candidate for a text answer", () => {
    expect(decided().model).toBe(plain.id);
    expect(excludedIn(decided())).toMatchObject({ [painter.id]: "image_model" });
    expect(choose(call(), field({ models: [painter] }))).toMatchObject({
      error: { candidates: [{ excludedBy: "image_model" }] },
    });
  });

  it("is one if a hint names it, or an image is asked for", () => {
    expect(decided({ hints: ["gemini-2.5-flash-image"] }).model).toBe(painter.id);
    expect(decided({ hints: ["flash"] }).model).toBe(painter.id);
    expect(decided({ outputModalities: ["image"] }).model).toBe(painter.id);
  });
});

describe("a model whose answer is expected after the deadline", () => {
  const late = model("google/slow", { intelligence: 5 });
  const samples = Array.from({ length: 32 }, () => ({
    at: 0,
    ms: 3 * defaultDeadlineMs,
    outputTokens: 300,
  }));
  const health = [
    {
      credentialId: "cred_google",
      model: "google/slow",
      samples,
      failures: 0,
      failedAt: null,
      retryAfterMs: null,
    },
  ];
  const slow = { models: [late, plain], health, now: 0 };
  const clever = { priorities: { intelligence: 1 } };

  it("comes after those within it, and the decision says so", () => {
    const decision = decided(clever, slow);
    expect(decision.model).toBe(plain.id);
    expect(decision.candidates[1]).toMatchObject({ model: "slow", isLate: true });
  });

  it("comes first if a hint names it, or no other can serve", () => {
    expect(decided({ ...clever, hints: ["slow"] }, slow).model).toBe("slow");
    expect(decided(clever, { ...slow, models: [late] }).model).toBe("slow");
  });

  it("is measured by the policy's deadline", () => {
    expect(decided(clever, { ...slow, policy: { deadlineMs: 5_000_000 } }).model).toBe("slow");
    const hasty = {
      models: [late, model("google/quick", { speed: 5 })],
      policy: { deadlineMs: 2_000 },
    };
    expect(decided(clever, hasty).model).toBe("quick");
  });

  it("is late in a replay too, whatever the policy is by then", () => {
    const of = call(clever);
    const recorded = compactDecision(decided(clever, slow));
    const again = replay(
      { decision: recorded, asked: askedOf(of, 1, ["text"]) },
      { models: slow.models, catalogueVersion: "test" },
    );
    expect(again).toMatchObject({ same: true });
  });
});

describe("a replayed decision", () => {
  it.each<[string, Partial<SamplingCall>, Partial<PoolParts>]>([
    ["for a hinted preview", { hints: ["gemini-3-pro"] }, {}],
    ["for a hinted image model", { hints: ["flash-image"] }, {}],
    ["where previews are allowed", {}, { policy: { previews: "allowed" } }],
    ["where only previews are left", {}, { models: [preview, beta] }],
    ["for the successor of a model that is gone", { hints: ["gemini-1.5-pro", "gpt"] }, {}],
    ["for a stand-in", { hints: ["claude-3-sonnet"] }, {}],
  ])("is the recorded one %s", (_, of, fields) => {
    const recorded = JSON.parse(JSON.stringify(compactDecision(decided(of, fields))));
    const again = replay(
      { decision: recorded, asked: askedOf(call(of), 1, ["text"]) },
      { models: fields.models ?? models, catalogueVersion: "test" },
    );
    expect(again).toMatchObject({ same: true, differences: [] });
  });
});

describe("a model that reasons whatever is asked of it", () => {
  const control = (efforts: ("none" | "low")[]) => ({
    // Without a price, so that the cost of reasoning does not set the two apart.
    inputUsdPerMTok: null,
    outputUsdPerMTok: null,
    reasoning: true,
    reasoningControl: {
      efforts,
      byDefault: "low" as const,
      sentAs: "reasoning_effort" as const,
      source: "test",
    },
  });
  const always = model("openai/a-always", control(["low"]));
  const sometimes = model("openai/b-sometimes", control(["none", "low"]));
  const pair = { models: [always, sometimes], credentials: [credential("openai")] };

  it("comes after an equal that need not, where the answer is to be small", () => {
    expect(decided({ maxTokens: 100 }, pair).model).toBe(sometimes.id);
    expect(decided({ maxTokens: 100, priorities: { cost: 1 } }, pair).model).toBe(sometimes.id);
    expect(decided({ maxTokens: 4_000, priorities: { cost: 1 } }, pair).model).toBe(always.id);
  });

  it("comes first where it is clearly better, or a hint names it", () => {
    const better = { ...pair, models: [{ ...always, intelligence: 5 as const }, sometimes] };
    const clever = { priorities: { intelligence: 0.9 } };
    expect(decided({ maxTokens: 100, ...clever }, better).model).toBe(always.id);
    expect(decided({ maxTokens: 100, hints: ["a-always"] }, pair).model).toBe(always.id);
  });
});

describe("canned answers", () => {
  const canned = model("demo/demo-large", { intelligence: 5, inputUsdPerMTok: 0 });

  it("are not given to a tenant with a provider, whatever a hint says, and even where that provider can't serve", () => {
    const credentials = [credential("google", { status: "failing" }), credential("demo")];
    const pool = field({ models: [plain, canned], credentials });
    const plan = choose(call({ hints: ["demo-large"] }), pool);
    expect(plan.ok ? null : plan.error).toMatchObject({
      reason: "no_eligible_model",
      candidates: expect.arrayContaining([{ model: nameOf(canned), excludedBy: "canned" }]),
    });
  });

  it("are given where there is no other provider", () => {
    const decision = decided({}, { models: [plain, canned], credentials: [credential("demo")] });
    expect(decision.model).toBe(canned.id);
  });
});
