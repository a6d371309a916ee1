/** Hints match as substrings, in order, and fall back to equivalents. */
import { describe, expect, it } from "vitest";
import { narrow } from "../../../src/domain/choice/hints.ts";
import { nameOf } from "../../../src/domain/models/model.ts";
import { matchesHint, model } from "./models.fixture.ts";

const sonnet = model("anthropic/claude-sonnet-9", {
  family: "claude-sonnet",
  aliases: ["Sonnet-Latest"],
});
const hosted = model("bedrock/anthropic.sonnet-v9", { family: "claude-sonnet" });
const top = model("openai/top", { family: "gpt", intelligence: 5, speed: 2 });
const middle = model("openai/middle", { family: "gpt-mini", intelligence: 3, speed: 4 });

describe("a hint", () => {
  // cites: S-023
  it.each([
    "claude",
    "sonnet-9",
    "ANTHROPIC",
    "anthropic/claude",
    "sonnet-latest",
    " claude ",
    "c",
    "claude sonnet",
    "Claude_Sonnet 9",
    "sonnet9",
  ])("of %j matches", (hint) => {
    expect(matchesHint(sonnet, hint)).toBe(true);
  });

  it.each(["", "  ", "gpt", "claude*", ".", "haiku-9"])("of %j doesn't", (hint) => {
    expect(matchesHint(sonnet, hint)).toBe(false);
  });

  it("is text, not a pattern", () => {
    expect(matchesHint(model("acme/big-5.4"), "big-5.4")).toBe(true);
    expect(matchesHint(model("acme/big-5x4"), "big-5.4")).toBe(false);
  });
});

describe("hints in order", () => {
  const names = (
    hints: string[],
    feasible: (typeof sonnet)[],
    all = [sonnet, hosted, top, middle],
  ) => {
    const served = { models: feasible, isFeasible: () => true };
    const { levels, ...rest } = narrow(hints, served, all);
    const positions = [...feasible.keys()].filter((at) => levels === null || levels[at] !== 0);
    const ordered = positions.toSorted((a, b) => (levels?.[a] ?? 0) - (levels?.[b] ?? 0));
    return { models: ordered.flatMap((at) => feasible[at] ?? []).map(nameOf), ...rest };
  };

  // cites: S-024
  it("narrow to all models that the first matching hint matches", () => {
    expect(names(["llama", "openai", "claude"], [sonnet, top, middle])).toEqual({
      models: ["openai/top", "openai/middle"],
      hint: "openai",
      viaEquivalence: false,
    });
  });

  it("prefer a later match to an earlier equivalent", () => {
    expect(names(["claude-sonnet-9", "middle"], [top, middle]).models).toEqual(["openai/middle"]);
  });

  // cites: S-026
  it("take the same line elsewhere as a match when the named model can't serve", () => {
    expect(names(["claude-sonnet-9"], [hosted, top, middle])).toEqual({
      models: ["bedrock/anthropic.sonnet-v9"],
      hint: "claude-sonnet-9",
      viaEquivalence: false,
    });
  });

  it("take the nearest class when nobody serves the line", () => {
    expect(names(["claude-sonnet-9"], [top, middle])).toEqual({
      models: ["openai/middle"],
      hint: "claude-sonnet-9",
      viaEquivalence: true,
    });
  });

  it("count an unknown tier as far away", () => {
    const unknown = model("openai/unknown", { intelligence: null, speed: null });
    expect(names(["claude-sonnet-9"], [unknown, middle]).models).toEqual(["openai/middle"]);
  });

  // cites: S-027
  it("don't apply when no known model has the name", () => {
    expect(names(["llama", ""], [top, middle])).toEqual({
      models: ["openai/top", "openai/middle"],
      hint: null,
      viaEquivalence: false,
    });
  });

  it("give nothing where no model is feasible", () => {
    expect(names(["claude"], [])).toEqual({ models: [], hint: null, viaEquivalence: false });
  });
});
