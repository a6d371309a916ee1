/** What an isolate remembers of callers. */
import { expect, it } from "vitest";
import { createCallerMemory } from "../../../../src/pipeline/callers/caller-memory.ts";
import { callerWith } from "./callers.fixture.ts";

const remembered = () => {
  const { snapshot, session, server } = callerWith();
  return { snapshot, session, server };
};
const memoryOf = (capacity: number, now = () => 0) =>
  createCallerMemory({ capacity, life: { usedMs: 100, manyUses: 3, longestMs: 1_000 }, now });

it("replaces what is remembered, and changes nothing in place", () => {
  const memory = memoryOf(2);
  const value = remembered();
  memory.set("a", value);
  memory.amend("a", (known) => ({ ...known, snapshot: { ...known.snapshot, circuits: [] } }));
  expect(memory.get("a")).not.toBe(value);
  expect(memory.get("a")?.server).toBe(value.server);
});

it("amends nothing that is not remembered", () => {
  const memory = memoryOf(2);
  memory.amend("a", (known) => known);
  expect(memory.get("a")).toBeUndefined();
});

it("forgets what was used longest ago", () => {
  const memory = memoryOf(2);
  memory.set("a", remembered());
  memory.set("b", remembered());
  memory.use("a");
  memory.set("c", remembered());
  expect(["a", "b", "c"].map((key) => memory.get(key) !== undefined)).toEqual([true, false, true]);
});

it("makes nothing younger by using or amending it", () => {
  let now = 0;
  const memory = memoryOf(2, () => now);
  memory.set("a", remembered());
  now = 900;
  memory.use("a");
  memory.amend("a", (known) => ({ ...known }));
  now = 1_001;
  expect(memory.get("a")).toBeUndefined();
});

it("keeps what few calls used for longer than what many calls used", () => {
  let now = 0;
  const memory = memoryOf(2, () => now);
  memory.set("few", remembered());
  memory.set("many", remembered());
  for (const key of ["few", "few", "many", "many", "many"]) memory.use(key);
  now = 100;
  expect(memory.get("many")).toBeDefined();
  now = 101;
  expect(memory.get("many")).toBeUndefined();
  now = 1_000;
  expect(memory.get("few")).toBeDefined();
});

it("counts uses anew once a snapshot was read again", () => {
  let now = 0;
  const memory = memoryOf(1, () => now);
  memory.set("a", remembered());
  for (let uses = 0; uses < 5; uses += 1) memory.use("a");
  memory.set("a", remembered());
  now = 900;
  expect(memory.get("a")).toBeDefined();
});

it("gives nothing older than a caller asks for, however few calls used it", () => {
  let now = 0;
  const memory = memoryOf(1, () => now);
  memory.set("a", remembered());
  now = 51;
  expect(memory.get("a", 50)).toBeUndefined();
  expect(memory.get("a")).toBeDefined();
});

it("knows for a while that an id has no key", () => {
  let now = 0;
  const memory = memoryOf(2, () => now);
  memory.noteUnknown("key_1");
  now = 10_000;
  expect(["key_1", "key_2"].map(memory.isUnknown)).toEqual([true, false]);
  now = 10_001;
  expect(memory.isUnknown("key_1")).toBe(false);
  for (const id of ["a", "b", "c"]) memory.noteUnknown(id);
  expect(["a", "b", "c"].map(memory.isUnknown)).toEqual([false, true, true]);
});
