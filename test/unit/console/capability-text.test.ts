/** Negotiated capabilities are described in words. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/domain/json.ts";
import {
  forVersion,
  supportedModalities,
  supports,
} from "../../../src/domain/sampling/capabilities.ts";
import { capabilityText, countedCapabilities } from "../../../src/console/capability-text.ts";

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

describe("what a capability counts as", () => {
  it.each([
    [{ sampling: {} }, "2025-11-25", [["sampling", "sampling (text)"]]],
    [{ sampling: { tools: {} } }, "2025-06-18", [["sampling (tools)", "sampling (text)"]]],
    [
      { sampling: { tools: {}, supportedModalities: ["image", "smell"] } },
      "2025-11-25",
      [["sampling (tools, image, smell)", "sampling (tools, image)"]],
    ],
    [{ elicitation: {} }, "2025-06-18", [["elicitation", "elicitation (form)"]]],
    [{ elicitation: {} }, "2025-03-26", [["elicitation", "nothing"]]],
    [
      { tasks: { list: {} }, sampling: 1 },
      "2025-06-18",
      [
        ["tasks (list)", "nothing"],
        ["sampling", "nothing"],
      ],
    ],
    [{}, "2025-06-18", []],
  ] as const)("is shown beside what was declared: %j in %s", (capabilities, revision, expected) => {
    const effective = forVersion(capabilities as JsonObject, revision);
    const modalities = supports(effective, "sampling") ? supportedModalities(effective) : [];
    const counted = countedCapabilities({ capabilities, effective, modalities });
    expect(counted.map(({ declared, counts }) => [declared, counts])).toEqual(expected);
  });
});
