/** Bytes of large bodies are counted by key, and come back: at once where the body was of use, else with time. */
import { describe, expect, it } from "vitest";
import { createBodyAllowance } from "../../../../src/pipeline/callers/body-allowance.ts";

function allowanceOf(capacity = 10) {
  let now = 0;
  const allowance = createBodyAllowance({
    maxBytes: 60_000,
    windowMs: 60_000,
    capacity,
    elapsed: () => now,
  });
  return { ...allowance, pass: (ms: number) => void (now += ms) };
}

const refused = (retryAfterMs: number) => ({
  ok: false,
  error: { reason: "rate_limited", limit: "key.bodyBytes", retryAfterMs },
});

describe("the allowance for large bodies", () => {
  it("is used up by bodies that were refused, and refills with time", () => {
    const { take, pass } = allowanceOf();
    for (let i = 0; i < 3; i++) expect(take("one", 20_000).ok).toBe(true);
    expect(take("one", 20_000)).toEqual(refused(20_000));
    expect(take("other", 20_000).ok).toBe(true);
    pass(19_000);
    expect(take("one", 20_000)).toEqual(refused(1_000));
    pass(1_000);
    expect(take("one", 20_000).ok).toBe(true);
  });

  it("is given back by bodies that were of use", () => {
    const { take } = allowanceOf();
    for (let i = 0; i < 100; i++) {
      const taken = take("one", 60_000);
      expect(taken.ok).toBe(true);
      if (taken.ok) taken.value();
    }
  });

  it("is remembered for the keys that used it last", () => {
    const { take } = allowanceOf(2);
    for (const key of ["one", "two", "three"]) take(key, 60_000);
    expect(take("two", 1_000)).toEqual(refused(1_000));
    expect(take("one", 1_000).ok).toBe(true);
  });
});
