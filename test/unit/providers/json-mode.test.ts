/** When a provider's own JSON mode is asked for, and what is noted where it can't be. */
import { describe, expect, it } from "vitest";
import type { Modality } from "../../../src/domain/modality.ts";
import { optionsOf } from "../../../src/providers/language.ts";
import { callOf, requestOf } from "../../fixtures/providers/calls.ts";

const tools = [{ name: "look", inputSchema: { type: "object" } }];
const note = "responseFormat left out: this model does not take it with what was asked";

const asked = (
  library: "openai-chat" | "anthropic" | "google",
  about: { makes?: Modality[]; wants?: Modality[]; tools?: typeof tools },
) => {
  const call = callOf({
    format: "json",
    outputModalities: about.wants ?? ["text"],
    tools: about.tools ?? [],
  });
  const { options, notes } = optionsOf(
    requestOf(
      { provider: "google", model: "m" },
      { call, model: { outputModalities: about.makes ?? ["text"] } },
    ),
    { library },
  );
  return { format: options.responseFormat, isNoted: notes.includes(note) };
};

describe("JSON mode", () => {
  it.each(["openai-chat", "anthropic", "google"] as const)("is asked for: %s", (library) => {
    expect(asked(library, {})).toEqual({ format: { type: "json" }, isNoted: false });
  });

  it.each(["openai-chat", "anthropic"] as const)("is asked for beside tools: %s", (library) => {
    expect(asked(library, { tools })).toEqual({ format: { type: "json" }, isNoted: false });
  });

  it.each<[string, Parameters<typeof asked>[1]]>([
    ["an image", { makes: ["text", "image"], wants: ["image"] }],
    ["a text and an image", { makes: ["text", "image"], wants: ["text", "image"] }],
    ["the words of a model that draws", { makes: ["text", "image"] }],
    ["the use of tools", { tools }],
  ])("is left out where Gemini refuses it, and noted: %s", (_, about) => {
    expect(asked("google", about)).toEqual({ format: undefined, isNoted: true });
  });
});
