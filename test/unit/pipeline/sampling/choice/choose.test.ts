/** The models that a server's own policy and any budget leave to choose from. */
import { describe, expect, it } from "vitest";
import type { MediaPrices, Model } from "../../../../../src/domain/models/model.ts";
import { featuresOf } from "../../../../../src/domain/sampling/negotiation.ts";
import type { Limits, Policy, ServerPolicy } from "../../../../../src/domain/choice/policy.ts";
import { pinnedTo } from "../../../../../src/pipeline/approvals/hold-request.ts";
import { createChooser } from "../../../../../src/pipeline/sampling/choice/choose.ts";
import { call, credential, model } from "../../../domain/models.fixture.ts";
import { callerWith, priced } from "../../callers/callers.fixture.ts";

const media = (name: string, outputs: Model["outputModalities"], prices?: MediaPrices): Model => ({
  ...priced(name, null),
  outputModalities: outputs,
  ...(prices === undefined ? {} : { mediaPrices: prices }),
});

const catalogue = {
  version: "test",
  models: [
    priced("openai/one", 1),
    priced("openai/two", 2),
    { ...priced("openai/refuses", 3), prefill: false },
    priced("openai/free", 0),
    priced("openai/unpriced", null),
    model("openai/half", { inputUsdPerMTok: 1, outputUsdPerMTok: null }),
    media("openai/painter", ["image"], { usdPerImage: 0.04 }),
    media("openai/reader", ["audio"], { usdPerImage: 0.04 }),
    // Its images have a price, and its text has none.
    media("openai/illustrator", ["text", "image"], { usdPerImage: 0.04 }),
  ],
};

interface Setting {
  policy?: Policy;
  keyLimits?: Limits;
  server?: ServerPolicy;
}

function given() {
  const chooser = createChooser({ catalogue: () => catalogue, now: () => 0 });
  const snapshots = new Map<string, ReturnType<typeof callerWith>["snapshot"]>();
  const snapshotOf = ({ policy = {}, keyLimits = {} }: Setting) => {
    const key = JSON.stringify([policy, keyLimits]);
    const { snapshot } = callerWith({ policy, keyLimits });
    const sealed = { tenantId: "ten_1", name: "", baseUrl: null, sealed: "", updatedAt: 0 };
    const its = {
      ...snapshot,
      credentials: [{ ...credential("openai"), ...sealed, createdAt: 0 }],
    };
    snapshots.set(key, snapshots.get(key) ?? its);
    return snapshots.get(key) ?? its;
  };
  const plan = (its: Setting, asked = call(), id = "srv_1") =>
    chooser.plan(
      asked,
      snapshotOf(its),
      {
        capabilities: { sampling: { tools: {}, supportedModalities: ["text", "image", "audio"] } },
        features: featuresOf({}),
      },
      its.server === undefined ? null : { id, policy: its.server },
    );
  const excluded = (its: Setting, asked = call()): Record<string, string> => {
    const made = plan(its, asked);
    if (!made.ok) throw new Error(made.error.reason);
    return Object.fromEntries(
      made.value.decision.candidates.flatMap(({ model: id, excludedBy }) =>
        excludedBy === undefined ? [] : [[id, excludedBy]],
      ),
    );
  };
  return { plan, excluded };
}

const limits: Limits = { usdPerMonth: 5 };
const unknown = {
  unpriced: "unknown_price",
  half: "unknown_price",
  reader: "unknown_price",
  illustrator: "unknown_price",
};

describe("under a budget", () => {
  it.each<[string, Setting]>([
    ["the tenant's", { policy: { limits } }],
    ["the key's", { keyLimits: { usdPerDay: 1 } }],
    ["the server's", { server: { limits } }],
  ])("nothing is chosen whose price is unknown: %s", (_, its) => {
    expect(given().excluded(its)).toEqual({ ...unknown, painter: "output_modality" });
  });

  it("a price for what is made is one, also where there is none by tokens", () => {
    const images = call({ outputModalities: ["image"] });
    const { excluded } = given();
    expect(excluded({ policy: { limits } }, images)).toMatchObject(unknown);
    expect(excluded({ policy: { limits } }, images)).not.toHaveProperty("painter");
  });

  it("and without one, an unknown price excludes nothing", () => {
    for (const its of [{}, { policy: { limits: { requestsPerMinute: 1 } } }])
      expect(given().excluded(its)).toEqual({
        illustrator: "image_model",
        painter: "output_modality",
        reader: "output_modality",
      });
  });

  it("refuses where every model's price is unknown, and says why", () => {
    const policy = { limits, allowedModels: ["openai/unpriced"] };
    const refused = given().plan({ policy });
    expect(refused).toMatchObject({ ok: false, error: { reason: "no_eligible_model" } });
    expect(JSON.stringify(refused)).toContain(
      '"model":"openai/unpriced","excludedBy":"unknown_price"',
    );
  });

  it("applies to the caller that has it, not to another of the same isolate", () => {
    const { excluded } = given();
    expect(excluded({ server: { limits } })).toHaveProperty("unpriced");
    expect(excluded({})).not.toHaveProperty("unpriced");
    expect(excluded({ server: {} })).not.toHaveProperty("unpriced");
  });
});

describe("a server's policy", () => {
  const names = (its: Setting): string[] => {
    const made = given().plan(its);
    return made.ok ? made.value.choices.map(({ model: { id } }) => id).toSorted() : [];
  };

  it("narrows the tenant's lists, and widens none", () => {
    const policy = { allowedModels: ["openai/one", "openai/two"] };
    expect(names({ policy, server: { allowedModels: ["openai/two", "openai/free"] } })).toEqual([
      "two",
    ]);
    expect(names({ policy, server: { deniedModels: ["*/two"] } })).toEqual(["one"]);
    expect(
      names({ policy: { deniedModels: ["*/one"], allowedModels: ["*/one", "*/two"] } }),
    ).toEqual(["two"]);
  });

  it.each([
    [500, 200, 200],
    [200, 500, 200],
    [undefined, 300, 300],
    [300, undefined, 300],
    [undefined, undefined, 1_000],
  ])("caps maxTokens at the lower one: tenant %s, server %s", (tenant, server, max) => {
    const made = given().plan(
      {
        policy: tenant === undefined ? {} : { maxTokens: tenant },
        server: server === undefined ? {} : { maxTokens: server },
      },
      call({ maxTokens: 1_000 }),
    );
    expect(made.ok && made.value.decision.requirements.maxTokens).toBe(max);
  });

  it("allows as many tool rounds as the lower one", () => {
    const use = { type: "tool_use", id: "t", name: "n", input: {} } as const;
    const result = { type: "tool_result", toolUseId: "t", content: [] } as const;
    const round = [
      { role: "assistant", content: [use] },
      { role: "user", content: [result] },
    ] as const;
    const asked = call({ messages: [...call().messages, ...round, ...round] as never });
    const forbidden = (its: Setting) => {
      const made = given().plan(its, asked);
      return made.ok ? null : made.error;
    };
    expect(forbidden({})).toBeNull();
    expect(forbidden({ server: { toolRounds: 1 } })).toMatchObject({
      reason: "forbidden",
      action: "more than 1 tool rounds",
    });
    expect(forbidden({ policy: { toolRounds: 1 }, server: { toolRounds: 9 } })).not.toBeNull();
    expect(forbidden({ server: { toolRounds: 2 } })).toBeNull();
  });

  it("switches sampling off", () => {
    expect(given().plan({ server: { disabled: true } })).toMatchObject({
      ok: false,
      error: { reason: "forbidden" },
    });
    expect(given().plan({ server: { disabled: false } }).ok).toBe(true);
  });

  it("is the one that came with the call, though the snapshot stayed the same", () => {
    const { plan } = given();
    const chosen = (server: ServerPolicy, id?: string) => {
      const made = plan({ server }, call(), id);
      return made.ok ? made.value.choices.length : 0;
    };
    expect(chosen({ allowedModels: ["*/one"] })).toBe(1);
    expect(chosen({ allowedModels: ["*/one", "*/two"] })).toBe(2);
    expect(chosen({ allowedModels: ["*/one"] }, "srv_2")).toBe(1);
    expect(chosen({ allowedModels: ["*/one", "*/two"] })).toBe(2);
  });
});

it("an approved model is the only one, and no version of it stands in", () => {
  const dated = priced("openai/gpt-4o-2024-11-20", 1);
  const chooser = createChooser({
    catalogue: () => ({ version: "test", models: [priced("openai/gpt-4o", 9), dated] }),
    now: () => 0,
  });
  const sealed = { tenantId: "ten_1", name: "", baseUrl: null, sealed: "", updatedAt: 0 };
  const { snapshot } = callerWith({ policy: { allowedModels: ["*/gpt-4o"] }, keyLimits: {} });
  const credentials = [{ ...credential("openai"), ...sealed, createdAt: 0 }];
  const { ranked } = chooser.poolFor(pinnedTo({ ...snapshot, credentials }, "openai/gpt-4o"));
  expect(ranked.map(({ model: { id }, exclusion }) => [id, exclusion])).toEqual([
    ["gpt-4o", null],
    ["gpt-4o-2024-11-20", "not_allowed"],
  ]);
});

describe("the assistant's last message", () => {
  const last = { role: "assistant" as const, content: [{ type: "text" as const, text: "{" }] };
  const begun = { ...call(), messages: [...call().messages, last] };
  const none: Policy = { allowedModels: ["openai/refuses"] };

  it("goes to a model that continues it, where there is one", () => {
    const made = given().plan({ policy: { prefill: "as_text" } }, begun);
    if (!made.ok) throw new Error(made.error.reason);
    expect(made.value.call.messages).toEqual(begun.messages);
    expect(made.value.decision.notes).toEqual([]);
  });

  it("is refused where there is none, unless the policy has it asked for as a text", () => {
    const refused = given().plan({ policy: none }, begun);
    expect(!refused.ok && refused.error).toMatchObject({
      reason: "no_eligible_model",
      candidates: expect.arrayContaining([{ model: "openai/refuses", excludedBy: "prefill" }]),
    });
    const made = given().plan({ policy: { ...none, prefill: "as_text" } }, begun);
    if (!made.ok) throw new Error(made.error.reason);
    const added = { role: "user", content: [{ type: "text", text: expect.any(String) }] };
    expect(made.value.call.messages).toEqual([...begun.messages, added]);
    expect(made.value.decision.notes.join()).toContain("request to continue");
  });

  it("is refused for the reason that stays, whatever the policy", () => {
    const policy: Policy = { allowedModels: [], prefill: "as_text" };
    const refused = given().plan({ policy }, begun);
    expect(!refused.ok && refused.error.reason).toBe("no_eligible_model");
  });
});
