/** A bounded map forgets the entry that was set or used longest ago, and no other. */
import { expect, it } from "vitest";
import { createBoundedMap } from "../../../src/domain/bounded-map.ts";

it("forgets what was set or used longest ago", () => {
  const map = createBoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  expect(map.use("a")).toBe(1);
  map.set("c", 3);
  expect([map.get("a"), map.get("b"), map.get("c"), map.size]).toEqual([1, undefined, 3, 2]);
  map.set("a", 4);
  map.set("d", 5);
  expect([...map.values()]).toEqual([4, 5]);
});

it("does not count reading as use", () => {
  const map = createBoundedMap<string, number>(1);
  map.set("a", 1);
  map.get("a");
  map.set("b", 2);
  expect([map.get("a"), map.use("a")]).toEqual([undefined, undefined]);
});
