/** The notes of a candidate explain its score and its exclusion. */
import { describe, expect, it } from "vitest";
import { notesOf } from "../../../src/console/requests/notes.ts";

const third = 1 / 3;
const even = { cost: third, speed: third, intelligence: third };
const one = {
  provider: "google",
  model: "flash",
  score: 0.5497,
  axes: { cost: 0.69, speed: 0.65, intelligence: 0.31 },
};

describe("the notes of a candidate", () => {
  it("say what the score lacks of the formula beside it, so that the figures add up", () => {
    const told = { isHinted: false, weights: even };
    expect(notesOf(one, told)).toBe("");
    expect(notesOf({ ...one, score: 0.4832 }, told)).toBe(
      "0.067 less: it always reasons, and a short answer was requested",
    );
    expect(notesOf({ ...one, score: 0.4832 }, { ...told, weights: undefined })).toBe("");
  });

  it("tell models that are called after a fault from those that are not called", () => {
    const told = { isHinted: true, weights: even };
    expect(notesOf({ ...one, matchedHint: "flash" }, told)).toBe("matches the hint “flash”");
    expect(notesOf({ ...one, matchedHint: "Flash 9" }, told)).toBe("close to the hint “Flash 9”");
    expect(notesOf({ ...one, matchedHint: "flash", viaEquivalence: true }, told)).toBe(
      "equivalent of the hint “flash”",
    );
    expect(notesOf({ ...one, viaFailover: true }, told)).toBe(
      "matches no hint: used only if all matches fail",
    );
    expect(notesOf(one, told)).toBe("matches no hint: not used");
    expect(notesOf({ ...one, viaToolLoop: true, isLate: true }, told)).toBe(
      "started this tool loop; expected to be late",
    );
  });

  it("say of an excluded one why, and nothing else", () => {
    const excluded = { provider: "own", model: "large", excludedBy: "not_allowed" } as const;
    expect(notesOf(excluded, { isHinted: true, weights: even })).toBe("not allowed by the policy");
  });
});
