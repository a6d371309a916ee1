/** A call gets one hold for each limit that applies to it. */
import { describe, expect, it } from "vitest";
import {
  limitChecksOf,
  nameOfLimit,
  windowSeconds,
} from "../../../src/domain/limits/limit-checks.ts";
import type { Limits } from "../../../src/domain/choice/policy.ts";

const scopes = (tenant: Limits, key: Limits) =>
  [
    { scope: "tenant", subject: "ten_1", limits: tenant },
    { scope: "key", subject: "key_1", limits: key },
  ] as const;

describe("limit checks", () => {
  it("are made for each limit that is set, the tenant's first", () => {
    const all: Limits = { requestsPerMinute: 1, tokensPerMinute: 2, concurrent: 3 };
    const limitChecks = limitChecksOf({
      now: 90_500,
      tokens: 7,
      microUsd: 0,
      scopes: scopes(all, all),
    });
    expect(
      limitChecks.map((hold) => [nameOfLimit(hold), hold.subject, hold.amount, hold.limit]),
    ).toEqual([
      ["tenant.requestsPerMinute", "ten_1", 1, 1],
      ["tenant.tokensPerMinute", "ten_1", 7, 2],
      ["tenant.concurrent", "ten_1", 1, 3],
      ["key.requestsPerMinute", "key_1", 1, 1],
      ["key.tokensPerMinute", "key_1", 7, 2],
      ["key.concurrent", "key_1", 1, 3],
    ]);
  });

  it("are not made where no limit is set, and are made for a limit of 0", () => {
    expect(limitChecksOf({ now: 0, tokens: 1, microUsd: 0, scopes: scopes({}, {}) })).toEqual([]);
    const [hold] = limitChecksOf({
      now: 0,
      tokens: 1,
      microUsd: 0,
      scopes: scopes({}, { requestsPerMinute: 0 }),
    });
    expect(hold).toMatchObject({ scope: "key", limit: 0, amount: 1 });
  });

  it.each([
    [90_000, 90],
    [90_001, 90],
    [90_999, 90],
    [91_000, 91],
  ])(
    "at %d ms lie in second %d, and count every second that a minute before touches",
    (now, bucket) => {
      const [hold] = limitChecksOf({
        now,
        tokens: 1,
        microUsd: 0,
        scopes: scopes({ requestsPerMinute: 1 }, {}),
      });
      expect(hold).toMatchObject({ bucket, since: bucket - windowSeconds });
      // A call that was admitted within the last 60 s was admitted in a second that counts.
      expect(Math.floor((now - 60_000) / 1_000)).toBeGreaterThanOrEqual(bucket - windowSeconds);
    },
  );
});
