/** Entries of models.dev become catalogue entries, and unknown figures stay unknown. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseModelsDev } from "../../../src/catalogue/models-dev.ts";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { syncCatalogue } from "../../../src/domain/models/catalogue-sync.ts";
import { nameOf } from "../../../src/domain/models/model.ts";
import { apiJsonOf } from "../../fakes/models-dev.ts";

const real = readFileSync(new URL("../../fixtures/models-dev/api.json", import.meta.url), "utf8");
const fromReal = parseModelsDev(real);
const found = new Map((fromReal.ok ? fromReal.value : []).map((entry) => [nameOf(entry), entry]));

describe("models.dev's own objects", () => {
  it("become entries under our providers' names; providers that are not called are left out", () => {
    expect([...found.keys()].toSorted()).toEqual([
      "anthropic/claude-3-opus-20240229",
      "anthropic/claude-haiku-4-5",
      "fireworks/accounts/fireworks/models/gpt-oss-20b",
      "google/gemini-2.5-flash-image",
      "google/gemini-3.1-pro-preview",
      "groq/groq/compound",
      "groq/whisper-large-v3",
      "mistral/labs-devstral-small-2512",
      "openai/gpt-5.4",
      "openai/gpt-image-1",
      "openai/text-embedding-3-small",
      "together/openai/gpt-oss-20b",
      "workers-ai/@cf/zai-org/glm-4.7-flash",
      "xai/grok-4.3",
      "xai/grok-imagine-video",
    ]);
  });

  it("keep what sampling knows", () => {
    expect(found.get("anthropic/claude-haiku-4-5")).toEqual({
      provider: "anthropic",
      releasedAt: "2025-10-15",
      id: "claude-haiku-4-5",
      name: "Claude Haiku 4.5 (latest)",
      family: "claude-haiku",
      inputModalities: ["text", "image"],
      outputModalities: ["text"],
      contextTokens: 200_000,
      outputTokens: 64_000,
      tools: true,
      temperature: true,
      reasoning: true,
      inputUsdPerMTok: 1,
      outputUsdPerMTok: 5,
      cachedInputUsdPerMTok: 0.1,
      cacheWriteUsdPerMTok: 1.25,
      // This price is not in the file: Anthropic says that it is twice the plain input.
      cacheWriteHourUsdPerMTok: 2,
      priceTiers: [],
      status: "active",
    });
    expect(found.get("xai/grok-imagine-video")?.outputModalities).toEqual([]);
  });

  it("have price tiers, where each provider begins them", () => {
    const long = { inputUsdPerMTok: 5, outputUsdPerMTok: 22.5, cachedInputUsdPerMTok: 0.5 };
    expect(found.get("openai/gpt-5.4")?.priceTiers).toEqual([
      { aboveInputTokens: 271_999, ...long },
    ]);
    expect(found.get("google/gemini-3.1-pro-preview")?.priceTiers).toEqual([
      {
        aboveInputTokens: 200_000,
        inputUsdPerMTok: 4,
        outputUsdPerMTok: 18,
        cachedInputUsdPerMTok: 0.4,
      },
    ]);
  });

  it("have prices of cached and spoken input, tiers included; 0 is none", () => {
    const file = {
      google: {
        models: {
          m: {
            id: "m",
            name: "M",
            tool_call: true,
            reasoning: false,
            modalities: { input: ["text", "audio"], output: ["text"] },
            limit: { context: 10, output: 5 },
            cost: {
              input: 1,
              output: 2,
              cache_read: 0,
              cache_write: 1.5,
              input_audio: 3,
              tiers: [
                {
                  tier: { size: 100 },
                  input: 2,
                  output: 4,
                  cache_read: 0.2,
                  cache_write: 3,
                  input_audio: 6,
                },
              ],
            },
          },
        },
      },
    };
    const parsed = parseModelsDev(JSON.stringify(file));
    expect(parsed.ok && parsed.value[0]).toMatchObject({
      cachedInputUsdPerMTok: null,
      cacheWriteUsdPerMTok: 1.5,
      audioInputUsdPerMTok: 3,
      priceTiers: [
        {
          aboveInputTokens: 100,
          inputUsdPerMTok: 2,
          outputUsdPerMTok: 4,
          cachedInputUsdPerMTok: 0.2,
          cacheWriteUsdPerMTok: 3,
          audioInputUsdPerMTok: 6,
        },
      ],
    });
  });

  it("are of unknown price where there is none, or 0, and of unknown limits likewise", () => {
    for (const name of ["groq/groq/compound", "mistral/labs-devstral-small-2512"])
      expect(found.get(name)).toMatchObject({ inputUsdPerMTok: null, outputUsdPerMTok: null });
    expect(found.get("openai/gpt-image-1")).toMatchObject({
      contextTokens: null,
      outputTokens: null,
    });
  });

  it("are retired, preview or active", () => {
    const status = (name: string) => found.get(name)?.status;
    expect(status("anthropic/claude-3-opus-20240229")).toBe("retired");
    expect(status("google/gemini-3.1-pro-preview")).toBe("preview");
    expect(status("openai/gpt-5.4")).toBe("active");
  });

  it.each([
    ["status", "beta"],
    ["status", "alpha"],
    ["name", "GPT-5.4 (experimental)"],
    ["id", "gpt-5.4-exp"],
  ])("are previews where the provider says so: %s %s", (field, value) => {
    const entry = changed((model) => (model[field] = value));
    expect(entry?.status).toBe("preview");
  });

  it("are dated, and scored by benchmark and setting, where that is known", () => {
    const benchmarks = [
      { name: "Bench", metric: "resolve rate", score: 40, date: "2025-01-01" },
      { name: "Bench", metric: "resolve rate", score: 44, date: "2026-01-01" },
      { name: "Bench", metric: "resolve rate", score: 60, harness: "Mini", version: "2.1" },
      // Less is better of this metric, or the metric is unknown.
      { name: "Bench", metric: "error rate", score: 1 },
      { name: "Bench", score: "much" },
    ];
    const entry = changed((model) => (model["benchmarks"] = benchmarks));
    expect(entry?.releasedAt).toBe("2026-03-05");
    expect(entry?.scores).toEqual({
      "Bench, resolve rate": 44,
      "Bench, resolve rate, version 2.1, harness Mini": 60,
    });
    const bare = changed((model) => {
      model["release_date"] = "soon";
      model["benchmarks"] = "many";
    });
    expect(bare).not.toHaveProperty("releasedAt");
    expect(bare).not.toHaveProperty("scores");
  });
});

/** The real file, with another gpt-5.4 in it. */
function changed(change: (model: Record<string, unknown>) => void) {
  const json = JSON.parse(real) as Record<string, { models: Record<string, never> }>;
  change(json["openai"]?.models["gpt-5.4"] as unknown as Record<string, unknown>);
  const parsed = parseModelsDev(JSON.stringify(json));
  return parsed.ok ? parsed.value.find(({ id }) => id.startsWith("gpt-5.4")) : undefined;
}

describe("a file in the older form", () => {
  it("has the long context's price beside the others", () => {
    const older = JSON.stringify(JSON.parse(real), (key, value: unknown) =>
      key === "tiers" ? undefined : value,
    );
    expect(older).not.toContain("tiers");
    const again = parseModelsDev(older);
    const entry = again.ok ? again.value.find(({ id }) => id === "gemini-3.1-pro-preview") : null;
    expect(entry?.priceTiers).toEqual([
      {
        aboveInputTokens: 200_000,
        inputUsdPerMTok: 4,
        outputUsdPerMTok: 18,
        cachedInputUsdPerMTok: 0.4,
      },
    ]);
  });
});

describe("a malformed file", () => {
  const broken = (change: (model: Record<string, unknown>) => void): string => {
    const json = JSON.parse(real) as Record<string, { models: Record<string, never> }>;
    change(json["openai"]?.models["gpt-5.4"] as unknown as Record<string, unknown>);
    return JSON.stringify(json);
  };
  it.each([
    ["", "malformed: not JSON"],
    ["<html>", "malformed: not JSON"],
    [real.slice(0, -100), "malformed: not JSON"],
    ["[]", "malformed at the top"],
    ["null", "malformed at the top"],
    ["{}", "malformed: no model of any known provider"],
    ['{"providers": {"openai": {"models": {}}}}', "malformed: no model of any known provider"],
    ['{"openai": {"models": []}}', "malformed at openai.models"],
    ['{"openai": 1}', "malformed at openai"],
  ])("%# is refused", (text, error) => {
    expect(parseModelsDev(text)).toEqual({ ok: false, error });
  });

  it.each([
    ["cost.input", (its: Record<string, unknown>) => (its["cost"] = { input: "2", output: 1 })],
    ["cost.output", (its: Record<string, unknown>) => (its["cost"] = { input: 2 })],
    ["limit", (its: Record<string, unknown>) => delete its["limit"]],
    ["id", (its: Record<string, unknown>) => (its["id"] = "")],
    ["tool_call", (its: Record<string, unknown>) => (its["tool_call"] = "yes")],
    ["modalities.input", (its: Record<string, unknown>) => (its["modalities"] = { output: [] })],
  ])("is refused at %s, whatever else is sound", (at, change) => {
    const text = broken((its) => void change(its));
    expect(parseModelsDev(text)).toEqual({
      ok: false,
      error: `malformed at openai.models.gpt-5.4.${at}`,
    });
  });

  it("is none because of fields that we don't read, or providers that we don't call", () => {
    const text = broken((its) => (its["knowledge"] = { implausible: [] }));
    expect(parseModelsDev(text).ok).toBe(true);
    const json = { ...(JSON.parse(text) as object), "amazon-bedrock": "odd", novita: 1 };
    expect(parseModelsDev(JSON.stringify(json)).ok).toBe(true);
  });
});

describe("the seed, as models.dev would have it", () => {
  it("changes nothing but the price tiers that the fake leaves out", () => {
    const entries = parseModelsDev(JSON.stringify(apiJsonOf(seedCatalogue.models)));
    if (!entries.ok) throw new Error(entries.error);
    const done = syncCatalogue({
      seed: seedCatalogue,
      current: seedCatalogue,
      entries: entries.value,
    });
    expect(done.ok && done.value.changes).toEqual({
      added: [],
      estimated: [],
      retired: [],
      repriced: [],
      implausible: [],
    });
  });
});
