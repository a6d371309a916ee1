/** Values for each database are created once and evicted by last use. */
import { describe, expect, it } from "vitest";
import { keptByName } from "../../../src/compose/isolate.ts";

describe("what is kept for each database", () => {
  it("is made once, and anew for the database that was asked for longest ago", () => {
    const made: string[] = [];
    const of = keptByName((database) => {
      made.push(database);
      return { database };
    }, 2);
    const first = of("a");
    of("b");
    expect(of("a")).toBe(first);
    of("c");
    expect(of("a")).toBe(first);
    expect(of("b")).toEqual({ database: "b" });
    expect(made).toEqual(["a", "b", "c", "b"]);
  });
});
