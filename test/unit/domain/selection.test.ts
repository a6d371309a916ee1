/** The choice takes the best feasible model, explains it, and depends on nothing else. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exclusionOf } from "../../../src/domain/choice/exclusion.ts";
import { type ModelPool, type PoolParts } from "../../../src/domain/choice/model-pool.ts";
import { inputTokensFor } from "../../../src/domain/sampling/estimate.ts";
import { maxAttempts } from "../../../src/domain/choice/failover.ts";
import { nameOf, type Model, type Tier } from "../../../src/domain/models/model.ts";
import type {
  Block,
  ImageBlock,
  Priorities,
  SamplingCall,
} from "../../../src/domain/sampling/call.ts";
import { compactDecision } from "../../../src/domain/choice/decision.ts";
import { requirementsOf } from "../../../src/domain/choice/asking.ts";
import { choose, type Plan } from "../../../src/domain/choice/selection.ts";
import { isBalanced } from "../../../src/domain/choice/everyday.ts";
import { weightsOf } from "../../../src/domain/choice/score.ts";
import { compileRequirements } from "../../../src/domain/choice/compiled-requirements.ts";
import { tokenFamilyOf } from "../../../src/domain/tokens/tokenizers.ts";
import { costMicroUsd } from "../../../src/domain/models/cost.ts";
import { call, credential, field, matchesHint, model, models } from "./models.fixture.ts";

const image: ImageBlock = { type: "image", data: "aGk=", mimeType: "image/png" };
const audio: Block = { type: "audio", data: "aGk=", mimeType: "audio/wav" };
const asking = (...content: Block[]): Partial<SamplingCall> => ({
  messages: [{ role: "user", content }],
});
const tools = [{ name: "look", inputSchema: { type: "object" } }];
const only = (axis: keyof Priorities): Priorities => ({
  cost: 0,
  speed: 0,
  intelligence: 0,
  [axis]: 1,
});

const plan = (of: SamplingCall, within: ModelPool): Plan => {
  const result = choose(of, within);
  if (!result.ok) throw new Error(`refused: ${result.error.reason}`);
  return result.value;
};
const chosen = (of: SamplingCall, within: ModelPool): string => {
  const { provider, model: id } = plan(of, within).decision;
  return `${provider}/${id}`;
};

interface Scenario {
  when: string;
  call?: Partial<SamplingCall>;
  field?: Partial<PoolParts>;
  /** the chosen model's name, or why each model with a credential is excluded */
  chosen: Model | Partial<Record<string, string>>;
}

const { big, small, sonnet, haiku, flash, painter, speaker, old } = models;
const withOpenai = { credentials: [credential("openai")] };

const scenarios: Scenario[] = [
  { when: "only cost matters", call: { priorities: only("cost") }, chosen: small },
  { when: "only speed matters", call: { priorities: only("speed") }, chosen: flash },
  { when: "only intelligence matters", call: { priorities: only("intelligence") }, chosen: big },
  { when: "nothing is said: balanced", chosen: flash },
  {
    when: "all three are 0: balanced",
    call: { priorities: { cost: 0, speed: 0, intelligence: 0 } },
    chosen: flash,
  },
  {
    when: "intelligence matters most, cost somewhat",
    call: { priorities: { intelligence: 1, cost: 0.3, speed: 0 } },
    chosen: big,
  },
  { when: "a hint names a model", call: { hints: ["claude-sonnet-9"] }, chosen: sonnet },
  {
    when: "a hint is written in another case, with spaces around it",
    call: { hints: [" CLAUDE-Sonnet "] },
    chosen: sonnet,
  },
  { when: "a hint names an alias", call: { hints: ["sonnet-latest"] }, chosen: sonnet },
  { when: "a hint names provider and model", call: { hints: ["openai/gpt-big"] }, chosen: big },
  {
    when: "a hint matches several: the priorities decide among them",
    call: { hints: ["claude"], priorities: only("cost") },
    chosen: haiku,
  },
  {
    when: "a hint comes before cost",
    call: { hints: ["gpt-big"], priorities: only("cost") },
    chosen: big,
  },
  {
    when: "the first hint matches nothing, the second does",
    call: { hints: ["llama", "haiku"] },
    chosen: haiku,
  },
  {
    when: "both hints match: the first one counts",
    call: { hints: ["haiku", "gpt-big"] },
    chosen: haiku,
  },
  {
    when: "no hint matches anything: as if there were none",
    call: { hints: ["llama", ""], priorities: only("cost") },
    chosen: small,
  },
  {
    when: "a hint names a retired model: the newest of its line serves it",
    call: { hints: ["gpt-old"], priorities: only("cost") },
    chosen: big,
  },
  {
    when: "a hint names a model without a credential: the nearest stands in",
    call: { hints: ["gpt-big"], priorities: only("cost") },
    field: { credentials: [credential("anthropic"), credential("google")] },
    chosen: sonnet,
  },
  {
    when: "a hint matches a model that can't do it, a later one a model that can",
    call: { hints: ["gpt-small", "claude"], ...asking(image) },
    chosen: sonnet,
  },
  {
    when: "an image is to be read",
    call: { ...asking(image), priorities: only("cost") },
    chosen: flash,
  },
  {
    when: "a recording is to be heard",
    call: { ...asking(audio), priorities: only("intelligence") },
    chosen: flash,
  },
  {
    when: "an image lies in a tool result",
    call: {
      ...asking({ type: "tool_result", toolUseId: "1", content: [image] }),
      priorities: only("cost"),
    },
    chosen: flash,
  },
  { when: "an image is to be made", call: { outputModalities: ["image"] }, chosen: painter },
  { when: "speech is to be made", call: { outputModalities: ["audio"] }, chosen: speaker },
  {
    when: "speech and text together: none makes both",
    call: { outputModalities: ["text", "audio"] },
    field: { models: [speaker, small] },
    chosen: { "google/gemini-speaker": "output_modality", "openai/gpt-small": "output_modality" },
  },
  {
    when: "an image with tools: none has both",
    call: { outputModalities: ["image"], tools },
    field: { models: [painter] },
    chosen: { "google/gemini-painter": "tools" },
  },
  {
    when: "the answer is longer than most can give",
    call: { maxTokens: 20_000, priorities: only("intelligence") },
    chosen: big,
  },
  {
    when: "the answer is longer than any but one can give",
    call: { maxTokens: 60_000 },
    chosen: flash,
  },
  {
    when: "policy caps the answer",
    call: { maxTokens: 60_000, priorities: only("cost") },
    field: { policy: { maxTokens: 100 } },
    chosen: small,
  },
  {
    when: "the question is long",
    call: { ...asking({ type: "text", text: "word ".repeat(220_000) }), priorities: only("cost") },
    chosen: flash,
  },
  {
    when: "the question fits no window",
    call: asking({ type: "text", text: "word ".repeat(1_200_000) }),
    field: { models: [big, flash] },
    chosen: { "openai/gpt-big": "context_window", "google/gemini-flash": "context_window" },
  },
  {
    when: "policy allows one provider",
    call: { priorities: only("cost") },
    field: { policy: { allowedModels: ["anthropic/*"] } },
    chosen: haiku,
  },
  {
    when: "policy denies what it allows",
    call: { priorities: only("cost") },
    field: { policy: { allowedModels: ["*"], deniedModels: ["openai/*"] } },
    chosen: flash,
  },
  {
    when: "policy allows nothing",
    field: { policy: { allowedModels: [] }, models: [big] },
    chosen: { "openai/gpt-big": "not_allowed" },
  },
  {
    when: "there is one credential",
    call: { priorities: only("intelligence") },
    field: { credentials: [credential("anthropic")] },
    chosen: sonnet,
  },
  {
    when: "a credential is failing",
    call: { priorities: only("cost") },
    field: { credentials: [credential("openai", { status: "failing" }), credential("anthropic")] },
    chosen: haiku,
  },
  {
    when: "a credential is failing and another of the provider is not",
    call: { priorities: only("cost") },
    field: {
      credentials: [
        credential("openai", { status: "failing" }),
        credential("openai", { id: "cred_2" }),
      ],
    },
    chosen: small,
  },
  {
    when: "the only credential is failing",
    field: { credentials: [credential("openai", { status: "failing" })], models: [big] },
    chosen: { "openai/gpt-big": "credential_failing" },
  },
  { when: "there is no credential at all", field: { credentials: [] }, chosen: {} },
  {
    when: "all that is left is retired",
    field: { ...withOpenai, models: [old] },
    chosen: { "openai/gpt-old": "retired" },
  },
  {
    when: "a credential declares what it serves",
    call: { priorities: only("intelligence") },
    field: { credentials: [credential("openai", { models: [{ id: "gpt-small" }] })] },
    chosen: small,
  },
];

describe("the choice, when", () => {
  it.each(scenarios)("$when", ({ call: fields, field: within, chosen: expected }) => {
    const result = choose(call(fields), field(within));
    if ("provider" in expected && "id" in expected) {
      expect(result.ok).toBe(true);
      expect(chosen(call(fields), field(within))).toBe(nameOf(expected as Model));
    } else {
      expect(result).toMatchObject({
        ok: false,
        error: {
          reason: "no_eligible_model",
          candidates: Object.entries(expected)
            .map(([name, excludedBy]) => ({ model: name, excludedBy }))
            .toSorted((a, b) => (a.model < b.model ? -1 : 1)),
        },
      });
    }
  });

  it("has an unknown price: it counts as the dearest, never as free", () => {
    const mystery = model("openai/mystery", { inputUsdPerMTok: null, outputUsdPerMTok: null });
    const within = field({ models: [mystery, big] });
    expect(chosen(call({ priorities: only("cost") }), within)).toBe("openai/gpt-big");
    const alone = plan(call(), field({ models: [mystery] })).decision;
    expect(alone.estimate.costUsd).toBeNull();
  });

  it("has two equals: it takes the first by name, whatever their order", () => {
    const [a, b] = [model("openai/a"), model("openai/b")];
    for (const pair of [
      [a, b],
      [b, a],
    ])
      expect(chosen(call(), field({ models: pair }))).toBe("openai/a");
  });

  it("compares prices at this request's length, with the long-context tier", () => {
    const tiered = model("openai/tiered", {
      contextTokens: null,
      inputUsdPerMTok: 1,
      priceTiers: [{ aboveInputTokens: 10_000, inputUsdPerMTok: 9, outputUsdPerMTok: 9 }],
    });
    const flat = model("openai/flat", { contextTokens: null, inputUsdPerMTok: 2 });
    const within = field({ models: [tiered, flat] });
    const priorities = only("cost");
    expect(chosen(call({ priorities }), within)).toBe("openai/tiered");
    const long = asking({ type: "text", text: "word ".repeat(20_000) });
    expect(chosen(call({ priorities, ...long }), within)).toBe("openai/flat");
  });
});

describe("the decision", () => {
  it("have the model with the most context, however it ranks, where the request may be too long", () => {
    const crowd = [5, 5, 5, 5, 4].map((intelligence, at) =>
      model(`openai/small-${at}`, { contextTokens: 10_000, intelligence: intelligence as Tier }),
    );
    const large = [100_000, 1_000_000].map((contextTokens) =>
      model(`openai/large-${contextTokens}`, {
        contextTokens,
        intelligence: 1,
        outputUsdPerMTok: 99,
      }),
    );
    const idsFor = (words: number): string[] => {
      const text = "word ".repeat(words);
      const messages = [{ role: "user" as const, content: [{ type: "text" as const, text }] }];
      const asked = call({ messages, priorities: { intelligence: 1 } });
      return plan(asked, field({ models: [...crowd, ...large] })).choices.map(
        ({ model: { id } }) => id,
      );
    };
    expect(idsFor(6_000)).toEqual(["small-0", "small-1", "small-2", "small-3", "large-1000000"]);
    expect(idsFor(10)).toEqual(["small-0", "small-1", "small-2", "small-3"]);
  });

  it("explains itself", () => {
    const within = field({ credentials: [credential("openai"), credential("anthropic")] });
    const { decision, choices } = plan(
      call({ hints: ["claude"], priorities: { cost: 1 }, includeContext: "thisServer" }),
      within,
    );
    expect(decision).toMatchObject({
      provider: "anthropic",
      model: "claude-haiku-9",
      excluded: { no_credential: 3 },
      weights: { cost: 1, speed: 0, intelligence: 0 },
      catalogueVersion: "test",
      notes: ['includeContext "thisServer" treated as "none"'],
    });
    expect(decision.candidates.map(({ provider, model: id }) => `${provider}/${id}`)).toEqual([
      "anthropic/claude-haiku-9",
      "anthropic/claude-sonnet-9",
      "openai/gpt-small",
      "openai/gpt-big",
      "openai/gpt-old",
    ]);
    expect(decision.candidates.map(({ matchedHint }) => matchedHint)).toEqual([
      "claude",
      "claude",
      undefined,
      undefined,
      undefined,
    ]);
    expect(decision.candidates.at(-1)).toEqual({
      provider: "openai",
      model: "gpt-old",
      excludedBy: "retired",
    });
    expect(choices.map(({ model: { id }, credentialIds }) => [id, ...credentialIds])).toEqual([
      ["claude-haiku-9", "cred_anthropic"],
      ["claude-sonnet-9", "cred_anthropic"],
      ["gpt-small", "cred_openai"],
      ["gpt-big", "cred_openai"],
    ]);
  });

  it("marks a stand-in as one, and the successor of a model that is gone as a match", () => {
    const elsewhere = { credentials: [credential("openai")] };
    const { decision } = plan(call({ hints: ["haiku"] }), field(elsewhere));
    expect(decision.candidates[0]).toMatchObject({ matchedHint: "haiku", viaEquivalence: true });
    const [first] = plan(call({ hints: ["gpt-old"] }), field()).decision.candidates;
    expect(first).toMatchObject({ model: "gpt-big", matchedHint: "gpt-old" });
    expect(first).not.toHaveProperty("viaEquivalence");
  });

  it("says which hints matched no model, in short", () => {
    const hints = ["best-model-ever", "x".repeat(90), "haiku", " "];
    expect(plan(call({ hints }), field()).decision.notes).toEqual([
      'hint "best-model-ever" matched no model',
      `hint "${"x".repeat(60)}" matched no model`,
    ]);
  });

  it("offers no failing credential", () => {
    const credentials = [
      credential("openai", { id: "bad", status: "failing" }),
      credential("openai", { id: "good" }),
    ];
    expect(plan(call(), field({ credentials })).choices[0]?.credentialIds).toEqual(["good"]);
  });

  it("estimates the most that the chosen model will cost", () => {
    const { decision } = plan(call({ hints: ["gpt-big"], maxTokens: 1_000 }), field());
    const { inputTokens, outputTokens, costUsd } = decision.estimate;
    expect(outputTokens).toBe(1_000);
    expect(costUsd).toBeCloseTo((inputTokens * 10 + 1_000 * 40) / 1e6, 6);
  });

  it("notes that the policy lowered maxTokens", () => {
    const { decision } = plan(call({ maxTokens: 500 }), field({ policy: { maxTokens: 10 } }));
    expect(decision.notes).toEqual(["maxTokens capped by policy"]);
    expect(decision.requirements.maxTokens).toBe(10);
  });

  it("is kept with the feasible candidates, and counts of the rest", () => {
    const { decision } = plan(call(asking(image)), field());
    const compact = compactDecision(decision);
    expect(compact.candidates.every(({ excludedBy }) => excludedBy === undefined)).toBe(true);
    const total = Object.values(compact.excluded).reduce((sum, count) => sum + count, 0);
    expect(total + compact.candidates.length).toBe(Object.keys(models).length);
    expect(compact.excluded).toMatchObject({ retired: 1 });
    expect(compactDecision(compact)).toEqual(compact);
  });
});

describe("the weights", () => {
  it.each<[Priorities, number[]]>([
    [{}, [1 / 3, 1 / 3, 1 / 3]],
    [{ cost: 0, speed: 0, intelligence: 0 }, [1 / 3, 1 / 3, 1 / 3]],
    [{ cost: 1 }, [1, 0, 0]],
    [{ cost: 0.8 }, [0.8, 0.1, 0.1]],
    [{ cost: 0.2 }, [0.2, 0.4, 0.4]],
    [{ cost: 0 }, [0, 0.5, 0.5]],
    [{ cost: 0.3, intelligence: 0.6 }, [0.3 / 1.3, 0.4 / 1.3, 0.6 / 1.3]],
    [{ speed: 0.5, intelligence: 1 }, [0, 0.5 / 1.5, 1 / 1.5]],
    [{ cost: 1, speed: 0, intelligence: 0 }, [1, 0, 0]],
    [{ cost: 0.2, speed: 0.2, intelligence: 0.6 }, [0.2, 0.2, 0.6]],
  ])("of %j add up to 1", (priorities, expected) => {
    const { cost, speed, intelligence } = weightsOf(priorities);
    const rounded = [cost, speed, intelligence].map((weight) => weight.toFixed(6));
    expect(rounded).toEqual(expected.map((weight) => weight.toFixed(6)));
  });
});

// -- Properties ---------------------------------------------------------------------------------------

const tier = fc.constantFrom(null, 1, 2, 3, 4, 5);
// Few prices, so that ties happen.
const price = fc.constantFrom(null, 0.1, 0.5, 1, 3, 10);
const anyModel = (at: number): fc.Arbitrary<Model> =>
  fc
    .record({
      provider: fc.constantFrom("openai", "anthropic", "nobody"),
      inputUsdPerMTok: price,
      outputUsdPerMTok: price,
      intelligence: tier,
      speed: tier,
      family: fc.constantFrom(null, "red", "blue"),
      tools: fc.boolean(),
      contextTokens: fc.constantFrom(null, 50, 100_000),
      outputTokens: fc.constantFrom(null, 50, 1_000),
      status: fc.constantFrom("active", "preview", "retired"),
      inputModalities: fc.constantFrom<Model["inputModalities"][]>(["text"], ["text", "image"]),
      outputModalities: fc.constantFrom<Model["outputModalities"][]>(["text"], ["image"]),
    })
    .map(({ provider, ...fields }) => model(`${provider}/m${at}`, fields as Partial<Model>));
const anyModels = fc
  .integer({ min: 1, max: 9 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => anyModel(at))));

/** In tenths, as people write them; or absent. */
const priority = fc.option(
  fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10),
  { nil: undefined },
);
const anyCall = fc
  .record({
    cost: priority,
    speed: priority,
    intelligence: priority,
    hints: fc.array(fc.constantFrom("m1", "m2", "m3", "red", "blue", "openai", "no such"), {
      maxLength: 3,
    }),
    tools: fc.boolean(),
    image: fc.boolean(),
    maxTokens: fc.constantFrom(10, 100, 2_000),
  })
  .map(({ cost, speed, intelligence, hints, image: withImage, ...fields }) =>
    call({
      hints,
      maxTokens: fields.maxTokens,
      tools: fields.tools ? tools : [],
      ...(withImage ? asking(image) : {}),
      priorities: {
        ...(cost === undefined ? {} : { cost }),
        ...(speed === undefined ? {} : { speed }),
        ...(intelligence === undefined ? {} : { intelligence }),
      },
    }),
  );
const within = (all: readonly Model[]): ModelPool =>
  field({
    models: all,
    credentials: [credential("openai"), credential("anthropic")],
    policy: { previews: "allowed" },
  });

describe("whatever the models and the call,", () => {
  it("the chosen one and every fallback is feasible, and every feasible one is there", () => {
    fc.assert(
      fc.property(anyModels, anyCall, (all, of) => {
        const its = within(all);
        const compiled = compileRequirements(requirementsOf(of, its));
        const feasible = its.ranked
          .filter((entry) => exclusionOf(entry, compiled) === null)
          .map((entry) => entry.model);
        const result = choose(of, its);
        expect(result.ok).toBe(feasible.length > 0);
        if (!result.ok) return;
        const { decision, choices } = result.value;
        const names = decision.candidates
          .filter(({ excludedBy }) => excludedBy === undefined)
          .map(({ provider, model: id }) => `${provider}/${id}`);
        expect(names.toSorted()).toEqual(feasible.map(nameOf).toSorted());
        // The best few of each credential, as many as a call can reach, in the candidates' own
        // order.
        const best = new Set(
          ["openai", "anthropic"].flatMap((provider) =>
            names.filter((name) => name.startsWith(`${provider}/`)).slice(0, maxAttempts),
          ),
        );
        expect(choices.map((choice) => nameOf(choice.model))).toEqual(
          names.filter((name) => best.has(name)),
        );
        expect(names[0]).toBe(`${decision.provider}/${decision.model}`);
        expect(choices.every(({ credentialIds }) => credentialIds.length > 0)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("the order of the models changes nothing", () => {
    const shuffled = anyModels.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, anyCall, ([all, other], of) => {
        const [first, second] = [choose(of, within(all)), choose(of, within(other))];
        expect(second).toEqual(first);
      }),
      { numRuns: 500 },
    );
  });

  it("one more model that can't serve changes nothing but the count", () => {
    const infeasible = anyModel(99).map((each): Model => ({
      ...each,
      provider: "openai",
      status: "retired",
      family: null,
    }));
    fc.assert(
      fc.property(anyModels, infeasible, anyCall, (all, more, of) => {
        // A model that a hint names would lend the hint its equivalents, as it should.
        fc.pre(!of.hints.some((hint) => matchesHint(more, hint)));
        const [before, after] = [choose(of, within(all)), choose(of, within([...all, more]))];
        expect(after.ok).toBe(before.ok);
        if (!before.ok || !after.ok) return;
        expect(after.value.choices).toEqual(before.value.choices);
        expect(compactDecision(after.value.decision).candidates).toEqual(
          compactDecision(before.value.decision).candidates,
        );
      }),
      { numRuns: 500 },
    );
  });

  const axes = [
    {
      axis: "cost",
      worse: "dearer",
      figure: (each: Model, of: SamplingCall, its: ModelPool) => {
        const needs = requirementsOf(of, its);
        const inputTokens = inputTokensFor(needs, tokenFamilyOf(each));
        const usage = { inputTokens, outputTokens: needs.maxTokens };
        return -(costMicroUsd(each, usage) ?? Number.POSITIVE_INFINITY);
      },
    },
    { axis: "speed", worse: "slower", figure: (each: Model) => each.speed ?? 3 },
    { axis: "intelligence", worse: "duller", figure: (each: Model) => each.intelligence ?? 3 },
  ] as const;
  // cites: S-028, S-029, S-030
  it.each(axes)("more weight on $axis never makes the choice $worse", ({ axis, figure }) => {
    fc.assert(
      fc.property(anyModels, anyCall, fc.integer({ min: 1, max: 10 }), (all, of, tenths) => {
        // Absent priorities share what the largest given one leaves, so raising one may change two.
        const given = { cost: 0.5, speed: 0.5, intelligence: 0.5, ...of.priorities };
        const raised = { ...given, [axis]: Math.min(1, given[axis] + tenths / 10) };
        // Equal priorities prefer nothing, and get the everyday model whatever its figures are.
        fc.pre(![given, raised].some((priorities) => isBalanced(weightsOf(priorities))));
        const [before, after] = [given, raised].map((priorities) =>
          choose({ ...of, priorities }, within(all)),
        );
        if (before === undefined || after === undefined) throw new Error("no choice");
        if (!before.ok || !after.ok) return;
        const [a, b] = [before.value.choices[0], after.value.choices[0]];
        if (a === undefined || b === undefined) throw new Error("no choice");
        const its = within(all);
        expect(figure(b.model, of, its)).toBeGreaterThanOrEqual(figure(a.model, of, its));
      }),
      { numRuns: 1_000 },
    );
  });

  // cites: S-022, S-024, S-025
  it("the first hint that a feasible model answers to decides before everything else", () => {
    fc.assert(
      fc.property(anyModels, anyCall, (some, of) => {
        // The successor of a retired model answers to a hint for it, and has another name.
        const all = some.filter(({ status }) => status !== "retired");
        const result = choose(of, within(all));
        if (!result.ok) return;
        const byName = new Map(all.map((each) => [nameOf(each), each]));
        const feasible = result.value.decision.candidates.flatMap((candidate) =>
          candidate.excludedBy === undefined
            ? (byName.get(`${candidate.provider}/${candidate.model}`) ?? [])
            : [],
        );
        const hint = of.hints.find((each) => feasible.some((one) => matchesHint(one, each)));
        if (hint === undefined) return;
        const matching = feasible.filter((each) => matchesHint(each, hint)).length;
        // Models that match the hint come before all others, in failover too.
        expect(feasible.slice(0, matching).every((each) => matchesHint(each, hint))).toBe(true);
        const { candidates } = result.value.decision;
        expect(candidates.filter(({ matchedHint }) => matchedHint === hint)).toHaveLength(matching);
        expect(candidates.some(({ viaEquivalence }) => viaEquivalence)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
