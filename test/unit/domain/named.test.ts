/** A model is found by its own names, and by every name that means the same model elsewhere. */
import { describe, expect, it } from "vitest";
import { isNamed } from "../../../src/domain/models/named.ts";
import { model } from "./models.fixture.ts";

const sonnet = model("anthropic/claude-sonnet-5", { aliases: ["sonnet-of-today"] });
const own = model("openai-compatible/my-deployment", { name: "my-deployment" });

describe("a model", () => {
  it.each([
    "anthropic/claude-sonnet-5",
    "claude-sonnet-5",
    "Claude-Sonnet-5",
    "sonnet-of-today",
    "us.anthropic.claude-sonnet-5-v1:0",
  ])("is named by %s", (name) => expect(isNamed(sonnet, name)).toBe(true));

  it.each(["claude-sonnet-4-5", "claude-opus-5", "sonnet", "claude", ""])(
    "is not named by %j",
    (name) => expect(isNamed(sonnet, name)).toBe(false),
  );

  it("with a name that says nothing is named by that alone", () => {
    expect(isNamed(own, "my-deployment")).toBe(true);
    expect(isNamed(own, "deployment")).toBe(false);
  });
});
