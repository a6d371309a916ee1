/** How deep JSON may be nested. */
import { describe, expect, it } from "vitest";
import { isDeeperThan, maxLevels } from "../../../src/domain/depth.ts";
import { identityOf } from "../../../src/domain/sampling/rounds.ts";

const arrays = (levels: number): unknown =>
  JSON.parse(`${"[".repeat(levels)}1${"]".repeat(levels)}`);
const objects = (levels: number): unknown =>
  JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);

describe("the depth of a value", () => {
  it.each([1, 2, 3, 100])("counts arrays and objects: %i", (levels) => {
    for (const value of [arrays(levels), objects(levels), [1, "x", objects(levels - 1)]]) {
      expect(isDeeperThan(value, levels - 1)).toBe(true);
      expect(isDeeperThan(value, levels)).toBe(false);
    }
  });

  it("of plain values is none", () => {
    for (const value of [null, 1, "text", true, undefined])
      expect(isDeeperThan(value, 0)).toBe(false);
  });

  it("of a million brackets is found without a deep stack", () => {
    expect(isDeeperThan(arrays(1_000_000), maxLevels)).toBe(true);
  });

  it("can be canonicalised at the deepest level that is allowed", () => {
    expect(identityOf("tools/call", { arguments: arrays(maxLevels) as never })).toContain("[[[[");
  });
});
