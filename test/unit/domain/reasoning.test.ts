/** What is asked of a model's reasoning, and how much room it gets. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ignoredIn } from "../../../src/domain/choice/ignored.ts";
import {
  alwaysReasons,
  defaultReasoningTokens,
  headroomOf,
  reasoningOf,
  wantedHeadroom,
} from "../../../src/domain/models/reasoning.ts";
import type { ReasoningControl } from "../../../src/domain/models/reasoning-control.ts";
import { efforts, type Effort, type ReasoningNeeds } from "../../../src/domain/requirements.ts";
import { reasoningNeedsOf } from "../../../src/domain/sampling/reasoning-needs.ts";
import type { Message } from "../../../src/domain/sampling/call.ts";
import { originKey, providerMetadataKey } from "../../../src/domain/sampling/tool-loop.ts";
import { requirementsOf } from "../../../src/domain/choice/asking.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { expectedUsage, roomyUsage } from "../../../src/domain/models/cost.ts";
import { call, credential, field, model } from "./models.fixture.ts";

const control = (change: Partial<ReasoningControl> = {}): ReasoningControl => ({
  efforts: ["none", "low", "high"],
  byDefault: "high",
  sentAs: "reasoning_effort",
  source: "https://example.test",
  ...change,
});
const thinker = (change: Partial<ReasoningControl> = {}, provider = "openai") =>
  model(`${provider}/thinker`, {
    reasoning: true,
    reasoningControl: control(change),
    contextTokens: null,
    outputTokens: null,
  });
const unknown = model("openai/unknown", { reasoning: true });
const plain = model("openai/plain");

describe("the effort", () => {
  it.each<[string, ReasoningNeeds, Effort | null, Effort | null]>([
    ["is the least unless more is asked for", {}, "none", "none"],
    ["is the one that the policy names", { wish: { effort: "high" } }, "high", "high"],
    ["is the nearest that the model takes", { wish: { effort: "max" } }, "high", "high"],
    ["is the lesser of two that are as near", { wish: { effort: "medium" } }, "low", "low"],
    [
      "is the provider's own, unsent, where the policy leaves it",
      { wish: "provider" },
      "high",
      null,
    ],
    ["is the metadata's, which is sent by itself", { asked: { openai: "high" } }, "high", null],
    ["is not what the metadata asks of another", { asked: { google: "high" } }, "none", "none"],
    [
      "is the least where no more may be asked for",
      { wish: { effort: "high" }, minReasoningOnly: { except: [] } },
      "none",
      "none",
    ],
    [
      "is the least even then where the provider would do more by itself",
      { wish: "provider", minReasoningOnly: { except: [] } },
      "none",
      "none",
    ],
    [
      "is free for a provider that is excepted",
      { wish: { effort: "high" }, minReasoningOnly: { except: ["openai"] } },
      "high",
      "high",
    ],
  ])("%s", (_, needs, effort, sent) => {
    expect(reasoningOf(thinker(), needs)).toMatchObject({ effort, sent });
  });

  it("is not sent where the provider's default is not to reason, or the model knows one alone", () => {
    expect(reasoningOf(thinker({ byDefault: "none" }))).toMatchObject({
      effort: "none",
      sent: null,
    });
    const only = { efforts: ["high" as const], byDefault: "high" as const };
    expect(reasoningOf(thinker(only))).toMatchObject({ effort: "high", sent: null });
  });

  it("is unknown, and not sent, where the catalogue knows only that the model reasons", () => {
    expect(reasoningOf(unknown, { wish: { effort: "high" } })).toMatchObject({
      effort: null,
      sent: null,
    });
    expect(reasoningOf(plain, { wish: { effort: "high" } })).toMatchObject({
      effort: "none",
      sent: null,
    });
  });

  it("leaves out what the metadata asks above the least where that may not be", () => {
    const needs = { asked: { openai: "high" as const }, minReasoningOnly: { except: [] } };
    expect(reasoningOf(thinker(), needs)).toMatchObject({ effort: "none", metadata: "left_out" });
    const modest = { asked: { openai: "none" as const }, minReasoningOnly: { except: [] } };
    expect(reasoningOf(thinker(), modest)).toMatchObject({ effort: "none", metadata: "sent" });
  });

  it("stays none where Anthropic's effort alone doesn't switch thinking on", () => {
    const off = thinker({ byDefault: "none", sentAs: "anthropic_adaptive" }, "anthropic");
    const needs = { asked: { anthropic: "high" as const } };
    expect(reasoningOf(off, needs)).toMatchObject({ effort: "none", metadata: "sent", room: 0 });
    const on = thinker({ byDefault: "high", sentAs: "anthropic_adaptive" }, "anthropic");
    expect(reasoningOf(on, needs)).toMatchObject({ effort: "high" });
  });
});

describe("the room", () => {
  it("is none for a model that doesn't reason at the chosen effort", () => {
    expect(wantedHeadroom(plain, { wish: { effort: "max" } })).toBe(0);
    expect(wantedHeadroom(thinker(), undefined)).toBe(0);
  });

  it("grows with the effort, up to the policy's cap", () => {
    const all = thinker({ efforts: [...efforts], byDefault: "medium" });
    const rooms = efforts.map((effort) => wantedHeadroom(all, { wish: { effort } }));
    expect(rooms).toEqual(rooms.toSorted((a, b) => a - b));
    expect(rooms.at(-1)).toBe(defaultReasoningTokens);
    expect(wantedHeadroom(all, { wish: { effort: "max" }, tokens: 100_000 })).toBe(65_536);
    expect(wantedHeadroom(all, { wish: { effort: "low" }, tokens: 50 })).toBe(50);
    expect(wantedHeadroom(all, { wish: { effort: "low" }, tokens: 0 })).toBe(0);
  });

  it("is what the metadata's budget is, and that of an unknown effort where it is open", () => {
    expect(wantedHeadroom(unknown, { asked: { openai: 700 } })).toBe(700);
    expect(wantedHeadroom(unknown, { asked: { openai: 0 } })).toBe(0);
    expect(wantedHeadroom(unknown, { asked: { openai: -1 } })).toBe(defaultReasoningTokens);
    expect(wantedHeadroom(unknown, {})).toBeGreaterThan(0);
  });

  it("is none below the least budget that Anthropic takes, and then no reasoning is asked for", () => {
    const sized = thinker({ byDefault: "none", sentAs: "anthropic_budget" }, "anthropic");
    const roomWith = (tokens: number) =>
      headroomOf(sized, {
        inputTokens: 10,
        maxTokens: 100,
        reasoning: { wish: { effort: "low" }, tokens },
      });
    expect([1_000, 1_023, 1_024].map(roomWith)).toEqual([0, 0, 1_024]);
  });

  it("never exceeds the model's own limits, and takes nothing from the text", () => {
    const limit = fc.option(fc.integer({ min: 1, max: 50_000 }));
    fc.assert(
      fc.property(
        limit,
        limit,
        fc.integer({ min: 1, max: 30_000 }),
        fc.integer({ min: 1, max: 30_000 }),
        (outputTokens, contextTokens, maxTokens, inputTokens) => {
          const some = { ...unknown, outputTokens, contextTokens };
          const room = headroomOf(some, { inputTokens, maxTokens });
          expect(room).toBeGreaterThanOrEqual(0);
          if (room === 0) return;
          expect(maxTokens + room).toBeLessThanOrEqual(outputTokens ?? Infinity);
          expect(inputTokens + maxTokens + room).toBeLessThanOrEqual(contextTokens ?? Infinity);
        },
      ),
    );
  });

  it("is part of what a call may use; of what it likely uses, an eighth", () => {
    const needs = { inputTokens: 10, maxTokens: 100, outputModalities: ["text" as const] };
    const unlimited = { ...unknown, contextTokens: null, outputTokens: null };
    expect(expectedUsage(plain, needs).outputTokens).toBe(100);
    const room = wantedHeadroom(unlimited, undefined);
    expect(roomyUsage(plain, needs).outputTokens).toBe(100);
    expect(roomyUsage(unlimited, needs).outputTokens).toBe(100 + room);
    expect(expectedUsage(unlimited, needs).outputTokens).toBe(100 + room / 8);
    const seldom = {
      ...unlimited,
      ...thinker({ efforts: ["minimal", "low"] }),
      contextTokens: null,
    };
    expect(expectedUsage({ ...seldom, outputTokens: null }, needs).outputTokens).toBe(100);
  });

  it("is needed by a model that always reasons, whatever effort is asked of it", () => {
    expect([plain, unknown, thinker(), thinker({ efforts: ["low"] })].map(alwaysReasons)).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });
});

const use = (meta?: object): Message["content"][number] => ({
  type: "tool_use",
  id: "t1",
  name: "camera",
  input: {},
  ...(meta === undefined ? {} : { _meta: meta as Record<string, never> }),
});
const loop = (...uses: Message["content"]): Message[] => [
  { role: "user", content: [{ type: "text", text: "Look." }] },
  { role: "assistant", content: uses },
  { role: "user", content: [{ type: "tool_result", toolUseId: "t1", content: [] }] },
];
const signed = { [providerMetadataKey]: { google: { thoughtSignature: "c2ln" } } };

describe("a call's needs of reasoning", () => {
  it("are absent where nothing is said", () => {
    expect(reasoningNeedsOf(call(), {})).toBeUndefined();
    expect(reasoningNeedsOf(call(), { reasoning: "least" })).toBeUndefined();
    expect(requirementsOf(call(), field())).not.toHaveProperty("reasoning");
  });

  it("are what the policy says", () => {
    expect(reasoningNeedsOf(call(), { reasoning: { effort: "high" }, reasoningTokens: 9 })).toEqual(
      { wish: { effort: "high" }, tokens: 9 },
    );
  });

  it.each([
    ["openai", { reasoningEffort: "high" }, "high"],
    ["groq", { reasoningEffort: "NONE" }, "none"],
    ["anthropic", { effort: "max" }, "max"],
    ["google", { thinkingConfig: { thinkingBudget: 512 } }, 512],
    ["google", { thinkingConfig: { thinkingBudget: -1 } }, -1],
    ["google", { thinkingConfig: { thinkingLevel: "low" } }, "low"],
  ])("are what its metadata asks of %s: %j", (provider, options, asked) => {
    expect(reasoningNeedsOf(call({ metadata: { [provider]: options } }), {})).toEqual({
      asked: { [provider]: asked },
    });
  });

  it("of a cloud depend on the API that serves the model", () => {
    const vertex = { effort: "max", thinkingConfig: { thinkingLevel: "low" } };
    const bedrock = { effort: "high", reasoningEffort: "low" };
    expect(reasoningNeedsOf(call({ metadata: { vertex, bedrock } }), {})).toEqual({
      asked: {
        "vertex-anthropic": "max",
        "vertex-google": "low",
        bedrock: "low",
        "bedrock-anthropic": "high",
        "bedrock-openai": "low",
      },
    });
  });

  it.each([
    { openai: { reasoningEffort: "much" } },
    { openai: "high" },
    { "What I wrote": { reasoningEffort: "high" } },
    { google: { thinkingConfig: { thinkingBudget: "512" } } },
    { anthropic: { thinking: { type: "enabled" } } },
    JSON.parse('{"__proto__": {"reasoningEffort": "high"}}') as Record<string, never>,
  ])("leave out metadata that can't be read: %j", (metadata) => {
    const needs = reasoningNeedsOf(call({ metadata }), {});
    expect(reasoningOf(thinker(), needs)).toMatchObject({ sent: "none", metadata: "absent" });
  });

  it("are no more than the least effort with a forced tool", () => {
    expect(reasoningNeedsOf(call({ toolChoice: "required" }), {})).toEqual({
      minReasoningOnly: { except: [] },
    });
    expect(reasoningNeedsOf(call({ toolChoice: "auto" }), {})).toBeUndefined();
  });

  it("are no more than the least effort after tool uses, unless each turn carries its reasoning", () => {
    const exceptAfter = (...turns: Message[][]) =>
      reasoningNeedsOf(call({ messages: turns.flat() }), {})?.minReasoningOnly?.except;
    expect(exceptAfter(loop(use()))).toEqual([]);
    expect(exceptAfter(loop(use(signed)))).toEqual(["google"]);
    // Gemini signs only the first of several tool uses.
    expect(exceptAfter(loop(use(signed), use()))).toEqual(["google"]);
    expect(exceptAfter(loop(use(signed)), loop(use()))).toEqual([]);
    const empty = { [providerMetadataKey]: { google: { thoughtSignature: "" } } };
    expect(exceptAfter(loop(use(empty)))).toEqual([]);
    const other = { [providerMetadataKey]: { openai: { itemId: "fc_1" } } };
    expect(exceptAfter(loop(use(other)))).toEqual([]);
  });
});

describe("a candidate whose reasoning has no room", () => {
  const small = { outputTokens: 4_000, contextTokens: 100_000 };
  const thinking = model("openai/a-thinker", { reasoning: true, ...small });
  const other = model("openai/other", { inputUsdPerMTok: 50, outputUsdPerMTok: 50 });
  const asked = call({ maxTokens: 1_000, hints: ["a-thinker"] });
  const long: Message["content"] = [{ type: "text", text: "word ".repeat(200) }];
  const chosen = (models: (typeof other)[], bounds?: { tokens: number; microUsd: number }) => {
    const plan = choose(
      asked,
      field({
        models,
        credentials: [credential("openai")],
        policy: bounds === undefined ? {} : { bounds },
      }),
    );
    if (!plan.ok) throw new Error(plan.error.reason);
    return plan.value;
  };

  it("is skipped where another fits, whatever the hint says", () => {
    const { decision } = chosen([thinking, other]);
    expect(decision.model).toBe("other");
    expect(decision.candidates.at(-1)).toMatchObject({
      model: "a-thinker",
      excludedBy: "reasoning_room",
    });
  });

  it("is chosen where it is alone, with the room that there is", () => {
    const { decision, requirements } = chosen([thinking]);
    expect(decision.model).toBe("a-thinker");
    expect(requirements.reasoning).toEqual({ shrinks: true });
    // An eighth of the room that is left is likely used.
    expect(decision.estimate.outputTokens).toBe(1_000 + (small.outputTokens - 1_000) / 8);
  });

  it("is skipped where a limit of tokens or a budget is too small for its room alone", () => {
    const roomy = { ...thinking, outputTokens: 64_000 };
    const none = { tokens: Infinity, microUsd: Infinity };
    expect(chosen([roomy, other], none).decision.model).toBe("a-thinker");
    for (const bounds of [
      { ...none, tokens: 5_000 },
      { ...none, microUsd: 5_000 },
    ]) {
      expect(chosen([roomy, other], bounds).decision.model).toBe("other");
      expect(chosen([roomy], bounds).decision.model).toBe("a-thinker");
    }
  });

  it("is skipped where a budget has its room, but not the write to the cache beside it", () => {
    const claude = model("anthropic/a-thinker", { reasoning: true, cacheWriteUsdPerMTok: 10 });
    const credentials = [credential("anthropic"), credential("openai")];
    const policy = { bounds: { tokens: Infinity, microUsd: 10_000 } };
    const plan = choose(
      call({ ...asked, maxTokens: 10, messages: [{ role: "user", content: long }] }),
      field({ models: [claude, other], credentials, policy }),
    );
    expect(plan.ok && plan.value.decision.candidates).toMatchObject([
      { model: "other" },
      { model: "a-thinker", excludedBy: "reasoning_room" },
    ]);
  });

  it("refuses a call whose input fits nowhere as before, and shows what was asked", () => {
    const refused = choose(
      call({ messages: [{ role: "user", content: long }] }),
      field({
        models: [{ ...thinking, contextTokens: 100 }],
        credentials: [credential("openai")],
      }),
    );
    expect(refused).toMatchObject({
      error: {
        reason: "no_eligible_model",
        candidates: [{ model: "openai/a-thinker", excludedBy: "context_window" }],
      },
    });
    expect(!refused.ok && refused.error).not.toHaveProperty("requirements.reasoning");
  });
});

describe("what reasoning costs in a comparison", () => {
  const priced = { inputUsdPerMTok: 1, outputUsdPerMTok: 1 };
  const costsOf = (models: (typeof unknown)[], change: object, policy: object = {}) => {
    const credentials = ["openai", "groq", "xai"].map((provider) => credential(provider));
    const plan = choose(
      call({ maxTokens: 100, ...change }),
      field({ models, credentials, policy }),
    );
    if (!plan.ok) throw new Error(plan.error.reason);
    const { candidates, estimate } = plan.value.decision;
    const costs = new Map(candidates.map((each) => [each.model, each.axes?.cost ?? -1]));
    return { costs, estimate };
  };

  it("is each model's own, where the provider's default decides", () => {
    const models = [
      { ...thinker({ byDefault: "high" }), ...priced, id: "a-deep" },
      { ...thinker({ byDefault: "none" }), ...priced, id: "b-quiet" },
    ];
    const { costs } = costsOf(models, {}, { reasoning: "provider" });
    expect(costs).toEqual(
      new Map([
        ["a-deep", 0],
        ["b-quiet", 1],
      ]),
    );
  });

  it("is each provider's own, where a call's metadata asks one of them for more", () => {
    const models = [
      { ...thinker({}, "groq"), ...priced, id: "a-asked" },
      { ...thinker({}, "xai"), ...priced, id: "b-other" },
    ];
    const asked = { groq: { reasoningEffort: "high" } };
    const { costs } = costsOf(models, { metadata: asked });
    expect(costs).toEqual(
      new Map([
        ["a-asked", 0],
        ["b-other", 1],
      ]),
    );
  });

  it("is no more than each model's own room", () => {
    const models = [
      { ...thinker({ efforts: ["high"] }), ...priced, id: "a-wide", outputTokens: 9_000 },
      { ...thinker({ efforts: ["high"] }), ...priced, id: "b-narrow", outputTokens: 900 },
    ];
    const { costs, estimate } = costsOf(models, {});
    expect(costs).toEqual(
      new Map([
        ["a-wide", 0],
        ["b-narrow", 1],
      ]),
    );
    // Of the model that is chosen, which has the most room.
    expect(estimate.outputTokens).toBe(Math.ceil(100 + 8_900 / 8));
  });
});

describe("a tool loop", () => {
  const origin = { provider: "anthropic", model: "claude-haiku-9", credentialId: "cred_second" };
  const begun = loop(use({ [originKey]: origin }));
  const credentials = [
    credential("openai"),
    credential("anthropic", { id: "cred_first" }),
    credential("anthropic", { id: "cred_second" }),
  ];
  const chosen = (change: object, parts: object = {}) => {
    const plan = choose(call({ messages: begun, ...change }), field({ credentials, ...parts }));
    if (!plan.ok) throw new Error(plan.error.reason);
    return plan.value;
  };

  it("stays with the model and the credential that began it, before hints and priorities", () => {
    const plan = chosen({ hints: ["gpt-big"], priorities: { intelligence: 1 } });
    expect(plan.choices[0]).toMatchObject({
      model: { id: "claude-haiku-9" },
      credentialIds: ["cred_second", "cred_first"],
    });
    expect(plan.decision).toMatchObject({
      model: "claude-haiku-9",
      toolLoop: { provider: "anthropic", model: "claude-haiku-9" },
    });
    expect(plan.decision.candidates[0]).toMatchObject({ viaToolLoop: true });
    expect(plan.decision.candidates.filter(({ viaToolLoop }) => viaToolLoop)).toHaveLength(1);
    // The hint decides which model comes next.
    expect(plan.decision.candidates[1]).toMatchObject({ model: "gpt-big", matchedHint: "gpt-big" });
  });

  it("says which hint its model matches as well, so that the hint is not called ignored", () => {
    const asked = call({ messages: begun, hints: ["claude"] });
    const { decision } = chosen({ hints: asked.hints });
    expect(decision.candidates[0]).toMatchObject({ viaToolLoop: true, matchedHint: "claude" });
    const { provider, model: id, notes } = decision;
    const answeredBy = { provider, id };
    expect(ignoredIn({ call: asked, decision, answeredBy, notes }).hints).toEqual([]);
    const other = chosen({ hints: ["gpt-big"] }).decision.candidates[0];
    expect(other).not.toHaveProperty("matchedHint");
  });

  it("goes to another model where its own is not feasible, and makes no other model feasible", () => {
    for (const [change, parts] of [
      [{}, { policy: { deniedModels: ["anthropic/*"] } }],
      [{}, { credentials: [credential("openai")] }],
    ] as const) {
      const plan = chosen(change, parts);
      expect(plan.decision.model).not.toBe("claude-haiku-9");
      expect(plan.decision.candidates.some(({ viaToolLoop }) => viaToolLoop)).toBe(false);
      expect(plan.decision).not.toHaveProperty("toolLoop");
    }
  });

  it("keeps the model where the credential is gone", () => {
    const plan = chosen({}, { credentials: credentials.slice(0, 2) });
    expect(plan.choices[0]).toMatchObject({
      model: { id: "claude-haiku-9" },
      credentialIds: ["cred_first"],
    });
  });

  it("has no more candidates than any other call", () => {
    const plan = chosen({});
    expect(plan.choices.length).toBeLessThanOrEqual(4);
    expect(new Set(plan.choices.map(({ model: { id } }) => id)).size).toBe(plan.choices.length);
  });

  it("is over once a message without tool results follows", () => {
    const messages: Message[] = [
      ...begun,
      { role: "assistant", content: [{ type: "text", text: "A cat." }] },
      { role: "user", content: [{ type: "text", text: "And now?" }] },
    ];
    expect(chosen({ messages, hints: ["gpt-big"] }).decision).toMatchObject({ model: "gpt-big" });
  });

  it.each([
    null,
    "anthropic",
    {},
    { provider: "anthropic", model: "claude-haiku-9" },
    { ...origin, credentialId: 7 },
    { ...origin, model: "x".repeat(300) },
  ])("is not read from a malformed origin: %j", (odd) => {
    const messages = loop(use({ [originKey]: odd }));
    const plan = chosen({ messages, hints: ["gpt-big"] });
    expect(plan.decision.model).toBe("gpt-big");
    expect(plan.decision).not.toHaveProperty("toolLoop");
  });
});
