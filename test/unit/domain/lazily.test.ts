/** A lazy value is computed once. */
import { describe, expect, it } from "vitest";
import { lazily, memoize } from "../../../src/domain/lazily.ts";

describe("a value that is made when it is first read", () => {
  it("is made once, also where the value is null", () => {
    let made = 0;
    const given = memoize(() => {
      made += 1;
      return null;
    });
    expect([given(), given(), made]).toEqual([null, null, 1]);
  });

  it("is a member like any other", () => {
    const made: string[] = [];
    const parts = lazily<{ a: string; b: null; toString: () => string }>({
      a: () => {
        made.push("a");
        return "A";
      },
      b: () => {
        made.push("b");
        return null;
      },
      toString: () => () => "parts",
    });
    expect(made).toEqual([]);
    expect([parts.a, parts.a, made]).toEqual(["A", "A", ["a"]]);
    expect("then" in parts).toBe(false);
    const { toString, ...rest } = { ...parts };
    expect([rest, made, toString()]).toEqual([{ a: "A", b: null }, ["a", "b"], "parts"]);
    expect(parts.b).toBe(null);
    expect(made).toEqual(["a", "b"]);
  });
});
