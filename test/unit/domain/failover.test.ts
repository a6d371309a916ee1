import { describe, expect, it } from "vitest";
import type { ProviderFault } from "../../../src/domain/attempts.ts";
import { maxAttempts, stepAfter } from "../../../src/domain/failover.ts";

const fault = (fields: Partial<ProviderFault> = {}): ProviderFault => ({
  kind: "server",
  status: 503,
  retryable: true,
  retryAfterMs: null,
  billed: "no",
  reach: "endpoint",
  usage: null,
  ...fields,
});
const after = (fields: Partial<Parameters<typeof stepAfter>[0]> = {}) =>
  stepAfter({
    fault: fault(),
    attempts: 1,
    candidatesLeft: 1,
    sameCredentialNext: false,
    chance: 0.5,
    remainingMs: 10_000,
    ...fields,
  });
const stop = { next: "stop" };

describe("after a fault", () => {
  it("the next candidate is tried at once", () => {
    expect(after()).toEqual({ next: "try", waitMs: 0 });
  });

  it("another model of the same credential gets a moment, doubled each time, jittered", () => {
    const same = { sameCredentialNext: true };
    expect(after(same)).toEqual({ next: "try", waitMs: 100 });
    expect(after({ ...same, attempts: 3 })).toEqual({ next: "try", waitMs: 400 });
    expect(after({ ...same, chance: 0 })).toEqual({ next: "try", waitMs: 50 });
    expect(after({ ...same, chance: 1 })).toEqual({ next: "try", waitMs: 150 });
    expect(after({ ...same, remainingMs: 300 })).toEqual(stop);
  });

  it("the next candidate does not wait for the last one's Retry-After", () => {
    expect(after({ fault: fault({ retryAfterMs: 5_000 }) })).toEqual({ next: "try", waitMs: 0 });
  });

  it("nothing is tried that would fail elsewhere too", () => {
    expect(after({ fault: fault({ retryable: false }) })).toEqual(stop);
  });

  it("four attempts are enough", () => {
    expect(after({ attempts: maxAttempts - 1 })).toMatchObject({ next: "try" });
    expect(after({ attempts: maxAttempts })).toEqual(stop);
  });

  it("nothing is tried that could not answer in time", () => {
    expect(after({ remainingMs: 251 })).toMatchObject({ next: "try" });
    expect(after({ remainingMs: 250 })).toEqual(stop);
    expect(after({ remainingMs: -1 })).toEqual(stop);
  });

  it("the last candidate is tried again when it says when, and that is in time", () => {
    const last = (retryAfterMs: number | null, remainingMs = 10_000, attempts = 1) =>
      after({ fault: fault({ retryAfterMs }), candidatesLeft: 0, remainingMs, attempts });
    expect(last(2_000)).toEqual({ next: "try", waitMs: 2_000 });
    expect(last(0)).toEqual({ next: "try", waitMs: 0 });
    expect(last(null)).toEqual(stop);
    expect(last(9_749)).toEqual({ next: "try", waitMs: 9_749 });
    expect(last(9_750)).toEqual(stop);
    expect(last(2_000, 10_000, maxAttempts)).toEqual(stop);
  });
});
