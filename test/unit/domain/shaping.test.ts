/** Shaping adds what was negotiated and never replaces the prompt. */
import { describe, expect, it } from "vitest";
import {
  contentNegotiationKey,
  featuresOf,
  type Features,
} from "../../../src/domain/sampling/negotiation.ts";
import type { SamplingCall } from "../../../src/domain/sampling/call.ts";
import {
  formatSentences,
  recordOf,
  shape,
  shapingOf as shapingFor,
  verbositySentences,
  type ShapingRule,
} from "../../../src/domain/sampling/shaping.ts";

const features = (...list: string[]) =>
  featuresOf({ extensions: { [contentNegotiationKey]: { version: "1.0", features: list } } });

const shapingOf = (declared: Features, rules: ShapingRule[]) =>
  shapingFor({ features: declared, rules, readBy: "client", wants: ["text"] });

const call: SamplingCall = {
  messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
  maxTokens: 10,
  hints: [],
  priorities: { cost: 1 },
  systemPrompt: "You are kind.",
  includeContext: "none",
  stopSequences: [],
  tools: [],
  metadata: {},
  outputModalities: ["text"],
};

describe("shaping", () => {
  // cites: N-003
  it("changes nothing where nothing was declared", () => {
    expect(shape(call, shapingOf(features(), []))).toEqual(call);
    expect(recordOf(features(), shapingOf(features(), []))).toBeNull();
  });

  // cites: N-008, N-009, S-034
  it("adds one sentence for each and never replaces the prompt", () => {
    const shaping = shapingOf(features("format=markdown", "verbosity=compact"), []);
    const shaped = shape(call, shaping);
    expect(shaped.systemPrompt).toBe(
      `You are kind.\n\n${formatSentences.markdown}\n\n${verbositySentences.compact}`,
    );
    expect(shaped.format).toBeUndefined();
  });

  // cites: N-009
  it("asks for JSON twice: in words, and as the provider's own setting", () => {
    const shaped = shape(call, shapingOf(features("format=json"), []));
    expect(shaped.format).toBe("json");
    expect(shaped.systemPrompt).toContain(formatSentences.json);
  });

  it("applies the rules whose predicates all hold, the last one with the word", () => {
    const rules: ShapingRule[] = [
      { when: ["agent"], set: { format: "text", defaultPriorities: { cost: 0, speed: 1 } } },
      { when: ["agent", "!interactive"], set: { format: "json", systemPromptSuffix: "Be exact." } },
      { when: ["human"], set: { verbosity: "verbose" } },
    ];
    const shaping = shapingOf(features("agent", "format=markdown"), rules);
    expect(shaping.rules).toEqual([0, 1]);
    const shaped = shape(call, shaping);
    expect(shaped.format).toBe("json");
    // What the call says stands. The rule fills in what the call leaves open.
    expect(shaped.priorities).toEqual({ cost: 1, speed: 1 });
    expect(shaped.systemPrompt?.endsWith("Be exact.")).toBe(true);
    expect(recordOf(features("agent", "format=markdown"), shaping)).toEqual({
      features: ["agent", "format=markdown"],
      ignored: [],
      format: "json",
      verbosity: null,
      rules: [0, 1],
      interactive: true,
    });
    const silent = features("!interactive");
    expect(recordOf(silent, shapingOf(silent, []))).toMatchObject({ interactive: false });
  });

  // cites: N-006
  it.each([
    "agent",
    "human",
    "mcp-capable",
    "interactive",
    "!interactive",
    "sampling",
    "elicitation",
    "roots",
    "tasks",
    "verbosity=compact",
    "verbosity=standard",
    "verbosity=verbose",
    "format=json",
    "format=text",
    "format=markdown",
    "x-admin",
    "x-limit=none",
  ])("of %s touches the prompt and the format, and nothing else of a call", (tag) => {
    const { systemPrompt: _, format: __, ...rest } = shape(call, shapingOf(features(tag), []));
    const { systemPrompt: ___, ...expected } = call;
    expect(rest).toEqual(expected);
  });

  it("of text is left out where no text is wanted, and a suffix of the tenant's is not", () => {
    const tags = features("format=json", "verbosity=compact");
    const rules: ShapingRule[] = [
      { when: ["format=json"], set: { verbosity: "verbose", systemPromptSuffix: "In blue." } },
    ];
    const shapingFor_ = (wants: SamplingCall["outputModalities"]) =>
      shapingFor({ features: tags, rules, readBy: "client", wants });
    const shaped = shape(call, shapingFor_(["image"]));
    expect(shaped).toEqual({ ...call, systemPrompt: "You are kind.\n\nIn blue." });
    expect(shape(call, shapingFor_(["text", "image"])).format).toBe("json");
  });

  it("of a server's client changes nothing that the server samples, but rules read its tags", () => {
    const tags = features("format=json", "verbosity=compact", "agent");
    const readByServer = (rules: ShapingRule[]) =>
      shapingFor({ features: tags, rules, readBy: "server", wants: ["text"] });
    expect(shape(call, readByServer([]))).toEqual(call);
    const shaping = readByServer([
      { when: ["format=json"], set: { verbosity: "verbose" } },
      { when: ["verbosity!=verbose", "agent"], set: { systemPromptSuffix: "Be exact." } },
    ]);
    expect(shape(call, shaping)).toEqual({
      ...call,
      systemPrompt: `You are kind.\n\n${verbositySentences.verbose}\n\nBe exact.`,
    });
    // The record says what was declared, and that none of it became a format.
    expect(recordOf(tags, shaping)).toEqual({
      features: ["format=json", "verbosity=compact", "agent"],
      ignored: [],
      format: null,
      verbosity: "verbose",
      rules: [0, 1],
      interactive: true,
    });
  });
});
