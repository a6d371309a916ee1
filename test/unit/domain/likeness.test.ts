/** Which models of the catalogue the names of deployments mean. */
import { describe, expect, it } from "vitest";
import { proposedModels } from "../../../src/domain/models/likeness.ts";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";

const proposed = (ids: string[], listed: string[] | null = null) =>
  proposedModels(
    { provider: "azure", models: listed === null ? ids.map((id) => ({ id })) : null, listed },
    seedCatalogue,
  );

describe("a deployment's name", () => {
  it.each([
    ["gpt-5-mini", "openai/gpt-5-mini"],
    ["prod-gpt-5-mini", "openai/gpt-5-mini"],
    ["contoso_GPT5-mini_eu", "openai/gpt-5-mini"],
    ["us.anthropic.claude-opus-4-6", "anthropic/claude-opus-4-6"],
    ["team-a/gemini-2.5-flash", "google/gemini-2.5-flash"],
  ])("means a model of the catalogue: %s", (id, like) => {
    expect(proposed([id])).toEqual([{ id, like }]);
  });

  it.each(["prod", "chat-large", "gpt", "model-5", "my-finetune-v2"])("means none: %s", (id) => {
    expect(proposed([id])).toEqual([]);
  });

  it("is read of the models that the endpoint lists, where none is declared", () => {
    expect(proposed([], ["a-gpt-5-mini", "b"])).toEqual([
      { id: "a-gpt-5-mini", like: "openai/gpt-5-mini" },
    ]);
  });

  it("is not read where the credential says what the model is, or the catalogue knows it", () => {
    const models = [{ id: "x-gpt-5-mini", like: "openai/gpt-5" }];
    expect(proposedModels({ provider: "azure", models, listed: null }, seedCatalogue)).toEqual([]);
    const known = { provider: "openai", models: [{ id: "gpt-5-mini" }], listed: null };
    expect(proposedModels(known, seedCatalogue)).toEqual([]);
  });
});
