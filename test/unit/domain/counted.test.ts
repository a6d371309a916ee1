/** Counts take the right plural. */
import { expect, it } from "vitest";
import { counted } from "../../../src/domain/counted.ts";

it.each([
  [0, "0 seals"],
  [1, "1 seal"],
  [2, "2 seals"],
])("counts %d as %j", (count, text) => {
  expect(counted(count, "seal")).toBe(text);
});

it("takes another plural than the one with an s", () => {
  expect([1, 2].map((count) => counted(count, "call was", "calls were"))).toEqual([
    "1 call was",
    "2 calls were",
  ]);
});
