/** Results that are kept for the texts that come with every message. */
import { describe, expect, it } from "vitest";
import { memoizedByText } from "../../../src/domain/memoized.ts";

describe("a remembered function of a text", () => {
  const counted = () => {
    const asked: string[] = [];
    const lengthOf = memoizedByText((text) => {
      asked.push(text);
      return { length: text.length };
    });
    return { asked, lengthOf };
  };

  it("is computed once for a text", () => {
    const { asked, lengthOf } = counted();
    expect([lengthOf("a"), lengthOf("bb"), lengthOf("a")]).toEqual([
      { length: 1 },
      { length: 2 },
      { length: 1 },
    ]);
    expect(asked).toEqual(["a", "bb"]);
  });

  it("keeps no long text, and not more than a thousand", () => {
    const { asked, lengthOf } = counted();
    const long = "x".repeat(501);
    lengthOf(long);
    lengthOf(long);
    expect(asked).toEqual([long, long]);
    lengthOf("first");
    for (let at = 0; at < 1_000; at += 1) lengthOf(String(at));
    lengthOf("first");
    expect(asked.filter((text) => text === "first")).toHaveLength(2);
  });
});
