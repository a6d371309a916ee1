/** The line, generation and variant of a model are read from its name. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { isForCode, parseModel, parseName } from "../../../src/domain/models/lines.ts";
import { foldName } from "../../../src/domain/models/plain-name.ts";
import { nameOf } from "../../../src/domain/models/model.ts";
import { model } from "./models.fixture.ts";

const parsed = (name: string) => {
  const read = parseName(name);
  return read === null ? null : [read.line, read.generation];
};

describe("a name", () => {
  it.each<[string, string, number | null]>([
    ["gpt-4", "gpt", 4],
    ["gpt4", "gpt", 4],
    ["GPT-4 Turbo", "gpt", 4.02],
    ["gpt-4o", "gpt", 4.05],
    ["chatgpt-4o-latest", "gpt", 4.05],
    ["gpt-4o-2024-11-20", "gpt", 4.05],
    ["gpt-4.1-nano", "gpt-nano", 4.1],
    ["gpt-3.5-turbo-16k", "gpt-mini", 3.5],
    ["openai/gpt-oss:120b", "gpt-120b-oss", null],
    ["o1", "o", 1],
    ["o3-mini", "o-mini", 3],
    ["claude-3-5-sonnet-20241022", "claude-sonnet", 3.5],
    ["claude-3.5-sonnet", "claude-sonnet", 3.5],
    ["sonnet-3.5", "claude-sonnet", 3.5],
    ["Claude Sonnet 4.5", "claude-sonnet", 4.5],
    ["anthropic/claude-sonnet-4.5", "claude-sonnet", 4.5],
    ["us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-sonnet", 3.5],
    ["claude-sonnet-4-20250514", "claude-sonnet", 4],
    ["models/gemini-1.5-pro-latest", "gemini-pro", 1.5],
    ["gemini-2.5-flash-lite", "gemini-flash-lite", 2.5],
    ["gemini-2.5-flash-preview-05-20", "gemini-flash", 2.5],
    ["gemini-2.5-flash-image", "gemini-flash-image", 2.5],
    ["grok-4.20-0309-reasoning", "grok", 4.2],
    ["llama3.1:70b", "llama-70b", 3.1],
    ["Llama-3.3-70B-Instruct-Turbo", "llama-70b", 3.3],
    ["mistral-small3.2:24b", "mistral-small", 3.2],
    ["command-r-08-2024", "command-r", null],
    ["DeepSeek-V4-Pro", "deepseek-pro", 4],
    ["Kimi-K2.6", "kimi", 2.6],
  ])("%s is of the line %s, generation %s", (name, line, generation) => {
    expect(parsed(name)).toEqual([line, generation]);
  });

  it.each(["", "test-model", "azure-container-apps", "o", "only", "4o"])(
    "%j says no line",
    (name) => {
      expect(parsed(name)).toBeNull();
    },
  );

  it("of any kind can be read, and folding it twice changes nothing", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9 ./:_-]{0,30}$/)), (text) => {
        const folded = foldName(text);
        parseName(folded);
        expect(folded).not.toContain("\n");
        expect(foldName(folded)).toBe(folded);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a model's line", () => {
  it("comes from its display name or family where its id has none", () => {
    const named = model("custom/prod-7", { name: "Claude Sonnet 4.5" });
    expect(parseModel(named)).toMatchObject({ line: "claude-sonnet", generation: 4.5 });
    expect(parseModel(model("custom/x", { family: "gemini-flash" }))?.line).toBe("gemini-flash");
    expect(parseModel(model("custom/x", { family: "house" }))?.line).toBe("house");
    expect(parseModel(model("custom/x"))).toBeNull();
  });

  it("is known for every model of the seed", () => {
    expect(seedCatalogue.models.filter((each) => parseModel(each) === null).map(nameOf)).toEqual(
      [],
    );
  });

  it("tells models for programming from others", () => {
    expect(["gpt-codex", "kimi-code", "codestral", "grok-build"].every(isForCode)).toBe(true);
    expect(["gpt", "gemini-pro", "claude-opus"].some(isForCode)).toBe(false);
  });
});
