/** The deadline of a first attempt follows from enough recent answers, and is unknown otherwise. */
import { describe, expect, it } from "vitest";
import type { Sample } from "../../../src/domain/choice/health.ts";
import { attemptTimeoutOf, sizeOf } from "../../../src/domain/choice/attempt-timeout.ts";

const now = 10_000_000;
const place = { model: "a/x", credentialId: "cred_a" };
const taking = (ms: number, count: number, fields: Partial<Sample> = {}): Sample[] =>
  Array.from({ length: count }, () => ({ at: now, ms, outputTokens: 10, size: 1, ...fields }));
const patience = (samples: Sample[], maxTokens = 1_000): number | null =>
  attemptTimeoutOf([{ ...place, samples }], place, { maxTokens, now });

describe("the patience with a first attempt", () => {
  it("is three times the slowest of a hundred answers, and eight seconds at least", () => {
    expect(patience(taking(4_000, 20))).toBe(12_000);
    expect(patience([...taking(1_000, 31), ...taking(6_000, 1)])).toBe(18_000);
    expect(patience(taking(500, 20))).toBe(8_000);
  });

  it("is unknown with fewer than 20 answers to calls of that size, of the last hour", () => {
    expect(patience(taking(4_000, 19))).toBeNull();
    expect(patience(taking(4_000, 20), 4_000)).toBeNull();
    expect(patience(taking(4_000, 20, { at: now - 3_600_000 }))).toBeNull();
    expect(attemptTimeoutOf([], place, { maxTokens: 1_000, now })).toBeNull();
    const other = { ...place, credentialId: "cred_b", samples: taking(4_000, 20) };
    expect(attemptTimeoutOf([other], place, { maxTokens: 1_000, now })).toBeNull();
  });

  it("tells output sizes apart by powers of four", () => {
    expect([1, 256, 257, 1_024, 1_025, 4_096, 64_000].map(sizeOf)).toEqual([0, 0, 1, 1, 2, 2, 4]);
  });
});
