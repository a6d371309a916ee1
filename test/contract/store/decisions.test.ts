/** A stored decision has every member that a replay needs, in a bounded number of bytes. */
import { describe, expect, it } from "vitest";
import type { Candidate } from "../../../src/domain/choice/decision.ts";
import { packDecision, unpackDecision } from "../../../src/store/decisions.ts";
import { decision } from "./fixtures.ts";

const axes = { cost: 0.9886, speed: 0.9659, intelligence: 0.0682 };
const plain: Candidate = { provider: "openai", model: "gpt-5-nano", score: 0.6742, axes };

describe("a stored decision", () => {
  it.each<[string, Candidate]>([
    ["scored", plain],
    ["hinted", { ...plain, matchedHint: "gpt", viaEquivalence: true }],
    [
      "measured",
      { ...plain, measured: { samples: 4, p50Ms: 900, tokensPerSecond: null } as never },
    ],
    ["without axes", { provider: "openai", model: "gpt", score: 1 }],
    ["excluded", { provider: "openai", model: "gpt", excludedBy: "no_credential" }],
  ])("comes back byte by byte: %s", (_, candidate) => {
    const made = decision({ candidates: [plain, candidate], excluded: { no_credential: 3 } });
    expect(JSON.stringify(unpackDecision(packDecision(made)))).toBe(JSON.stringify(made));
  });

  it("takes less than half of what it takes as objects", () => {
    const made = decision({ candidates: Array.from({ length: 45 }, () => plain) });
    expect(packDecision(made).length).toBeLessThan(JSON.stringify(made).length / 2);
  });
});
