/** What a caller is told of the limit that refuses. */
import { describe, expect, it } from "vitest";
import { limitChecksOf, type LimitedScope } from "../../../../../src/domain/limits/limit-checks.ts";
import { latestWait } from "../../../../../src/domain/limits/admission-verdict.ts";
import { explain } from "../../../../../src/domain/refusal-messages.ts";
import { dataOf } from "../../../../../src/domain/refusals.ts";
import { limitRefusal } from "../../../../../src/pipeline/sampling/admission/limit-refusal.ts";

/** 2027-01-15T08:00:00Z */
const now = 1_800_000_000_000;

/** A call that may take 500 tokens and 0.01 USD, refused by its only limit. */
function refusalBy(scope: Omit<LimitedScope, "subject">, used: number) {
  const subject = scope.scope === "run" ? "run:key_1:nightly" : "ten_1";
  const scopes = [{ ...scope, subject }];
  const [hold] = limitChecksOf({ now, scopes, tokens: 500, microUsd: 10_000 });
  if (hold === undefined) throw new Error("No limit.");
  return limitRefusal(hold, { used, retryAfterMs: latestWait(hold, now) });
}

describe("the refusal of a limit", () => {
  it("says that a total is used up, and not that the request is larger than the total", () => {
    const refusal = refusalBy({ scope: "tenant", limits: { usdTotal: 10 } }, 9_995_000);
    expect(dataOf(refusal)).toMatchObject({ usedUp: true, retryAfterMs: null, retryable: false });
    expect(explain(refusal)).toBe(
      "Budget exceeded: tenant.usdTotal is 10 USD, with 9.995 USD used or reserved; this request needs at least 0.01 USD; a total does not reset: raise the limit",
    );
    const calls = refusalBy({ scope: "tenant", limits: { requestsTotal: 2 } }, 2);
    expect(dataOf(calls)).toMatchObject({ usedUp: true, retryAfterMs: null, retryable: false });
    expect(explain(calls)).toBe(
      "Rate limit exceeded: tenant.requestsTotal is used up; a total does not reset: raise the limit",
    );
  });

  it("tells a run that has used up its limit to begin another run", () => {
    for (const limits of [{ usdPerRun: 1 }, { callsPerRun: 3 }]) {
      const refusal = refusalBy({ scope: "run", limits }, 1_000_000);
      expect(dataOf(refusal)).toMatchObject({ node: "nightly", usedUp: true, retryable: false });
      expect(explain(refusal)).toMatch(
        /; the limit of a run does not reset: start another run, or raise the limit$/,
      );
    }
  });

  it("says of a request that is larger than its limit that the limit is smaller, of totals too", () => {
    for (const limits of [
      { usdPerDay: 0.001 },
      { usdTotal: 0.001 },
      { tokensPerMinute: 9 },
      { tokensTotal: 9 },
    ]) {
      const refusal = refusalBy({ scope: "tenant", limits }, 0);
      expect(dataOf(refusal)).toMatchObject({ retryAfterMs: null, retryable: false });
      expect(dataOf(refusal)).not.toHaveProperty("usedUp");
      expect(explain(refusal)).toMatch(/(smaller|less) than this request/);
    }
  });

  it("says when a period is over", () => {
    const day = refusalBy({ scope: "tenant", limits: { usdPerDay: 1 } }, 995_000);
    expect(dataOf(day)).toMatchObject({ retryAfterMs: 16 * 3_600_000, retryable: true });
    const minute = refusalBy({ scope: "tenant", limits: { usdPerMinute: 1 } }, 995_000);
    expect(dataOf(minute)).toMatchObject({ retryAfterMs: 61_000, retryable: true });
  });
});
