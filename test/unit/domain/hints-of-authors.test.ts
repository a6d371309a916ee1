/** Hints as authors write them where no model has that name: the seed catalogue, one provider or all. */
import { describe, expect, it } from "vitest";
import { seedCatalogue } from "../../../src/domain/models/catalogue.ts";
import { isKnownHint } from "../../../src/domain/choice/hints.ts";
import { choose } from "../../../src/domain/choice/selection.ts";
import { call, credential, field } from "./models.fixture.ts";

const { models } = seedCatalogue;

/** The chosen model, where the tenant has credentials at these providers. */
function pickFor(hint: string, ...providers: string[]): string {
  const credentials = providers.map((provider) => credential(provider));
  const plan = choose(call({ hints: [hint] }), field({ models, credentials }));
  if (!plan.ok) throw new Error(plan.error.reason);
  return plan.value.decision.model;
}

describe("a word that is a size of one series and the name of another one's image models", () => {
  it("means no image model where text is wanted, since text models have that name too", () => {
    expect(pickFor("nano", "google")).toBe("gemini-2.5-flash-lite");
    expect(pickFor("nano", "openai")).toMatch(/^gpt-.*nano$/);
  });

  it("means the text models' class at another provider, not the image models'", () => {
    expect(pickFor("nano", "anthropic")).toBe("claude-haiku-4-5");
  });

  it("still names the image model by its whole name", () => {
    expect(pickFor("nano-banana", "google")).toBe("gemini-3.1-flash-image");
    expect(pickFor("nano banana pro", "google")).toBe("gemini-3-pro-image");
  });
});

describe("ChatGPT", () => {
  it("is GPT, as its authors call it", () => {
    expect(isKnownHint("ChatGPT", models)).toBe(true);
    expect(pickFor("chatgpt", "openai", "anthropic", "google")).toBe(
      pickFor("gpt", "openai", "anthropic", "google"),
    );
  });
});

describe("the latest of a line", () => {
  it("is its newest member that is no preview", () => {
    expect(pickFor("gemini-flash-latest", "google")).toBe("gemini-3.8-flash");
    expect(pickFor("claude-sonnet-latest", "anthropic")).toBe("claude-sonnet-5-5");
  });
});

describe("a generation that is not known yet", () => {
  it("is of the class of its line today", () => {
    expect(pickFor("gpt-6", "google")).toBe(pickFor("gpt-5.5", "google"));
    expect(pickFor("gpt-6", "anthropic")).toBe(pickFor("gpt-5.5", "anthropic"));
  });
});
