/** Provider options from metadata reach their own provider and override nothing of the router's. */
import { describe, expect, it } from "vitest";
import { mergeOptions, optionsFromMetadata } from "../../../src/providers/metadata.ts";

describe("a call's metadata", () => {
  // cites: S-040
  it("reaches its own provider under its own name, and no other", () => {
    const metadata = { openai: { user: "u1" }, anthropic: { effort: "low" }, other: { user: "x" } };
    expect(optionsFromMetadata(metadata, "openai").options).toEqual({ user: "u1" });
    expect(optionsFromMetadata(metadata, "anthropic").options).toEqual({ effort: "low" });
    expect(optionsFromMetadata(metadata, "google").options).toBeNull();
    expect(optionsFromMetadata(metadata, "other").options).toEqual({ user: "x" });
  });

  it("passes on only members that shape an answer, and says how many members it left out", () => {
    const metadata = {
      openai: { user: "u1", store: true, serviceTier: "priority", model: "gpt-dear" },
      vllm: { model: "another", max_tokens: 1_000_000 },
    };
    expect(optionsFromMetadata(metadata, "openai")).toEqual({
      options: { user: "u1" },
      notes: ["metadata.openai: 3 option(s) not passed on"],
    });
    expect(optionsFromMetadata(metadata, "vllm").options).toBeNull();
  });

  it.each([null, "text", 7, ["user"]])("is left alone when it is %j", (odd) => {
    expect(optionsFromMetadata({ openai: odd }, "openai")).toEqual({
      options: null,
      notes: [],
    });
  });

  it("leaves out null, also inside of an option", () => {
    const metadata = {
      openai: { user: null, store: null, reasoningEffort: "low" },
      google: { thinkingConfig: { thinkingBudget: null, includeThoughts: true }, labels: null },
    };
    expect(optionsFromMetadata(metadata, "openai")).toEqual({
      options: { reasoningEffort: "low" },
      notes: [],
    });
    expect(optionsFromMetadata(metadata, "google")).toEqual({
      options: { thinkingConfig: { includeThoughts: true } },
      notes: [],
    });
  });

  it("takes no inherited property for an option", () => {
    const metadata = JSON.parse('{"__proto__":{"user":"x"}}');
    expect(optionsFromMetadata(metadata, "constructor").options).toBeNull();
    expect(optionsFromMetadata({}, "__proto__").options).toBeNull();
  });

  it("never overrides the router's option about storing", () => {
    const ours = { openai: { store: false } };
    expect(mergeOptions("openai", { store: true, user: "u" }, ours)).toEqual({
      openai: { store: false, user: "u" },
    });
    expect(mergeOptions("openai", null, ours)).toBe(ours);
    expect(mergeOptions("openai", null, undefined)).toBeUndefined();
  });
});
