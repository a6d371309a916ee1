/** Negotiated capabilities are described in words. */
import { describe, expect, it } from "vitest";
import { capabilityText } from "../../../src/console/capability-text.ts";

describe("capabilities in words", () => {
  it.each([
    [{}, "nothing"],
    [{ sampling: {} }, "sampling"],
    [{ sampling: { tools: {} }, elicitation: {} }, "sampling (tools), elicitation"],
    [
      { elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
      "elicitation (form, url), roots (listChanged)",
    ],
    [{ roots: { listChanged: false } }, "roots"],
    [
      { sampling: { tools: {}, supportedModalities: ["text", "image"] } },
      "sampling (tools, text, image)",
    ],
    // What a client invents is shown as it is, since it was declared.
    [{ odd: 1, list: ["a"], none: null }, "odd, list, none"],
  ])("are read as they were declared: %j", (declared, spaced) => {
    expect(capabilityText(declared)).toBe(spaced);
  });
});
