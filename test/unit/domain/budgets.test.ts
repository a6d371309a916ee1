/** Budgets as holds, and how a limit stands. */
import { describe, expect, it } from "vitest";
import {
  limitChecksOf,
  smallestBudget,
  stateOf,
  type LimitCheck,
} from "../../../src/domain/limits/limit-checks.ts";
import type { Limits } from "../../../src/domain/choice/policy.ts";

const scopes = (tenant: Limits, key: Limits = {}, server: Limits = {}) =>
  [
    { scope: "tenant", subject: "ten_1", limits: tenant },
    { scope: "key", subject: "key_1", limits: key },
    { scope: "server", subject: "srv_1", limits: server },
  ] as const;

const at = (text: string): number => Date.parse(text);
const secondsOf = (text: string): number => at(text) / 1_000;

const holdAt = (now: string, limits: Limits): LimitCheck => {
  const [hold] = limitChecksOf({ now: at(now), tokens: 5, microUsd: 7, scopes: scopes(limits) });
  if (hold === undefined) throw new Error("no hold");
  return hold;
};

describe("holds of money", () => {
  it("stand in one bucket for the day and one for the month, in micro-USD, until each ends in UTC", () => {
    const limits = { usdPerDay: 0.1 + 0.2, usdPerMonth: 12.345678 };
    const now = at("2028-02-29T23:59:59.999Z");
    expect(limitChecksOf({ now, tokens: 5, microUsd: 7, scopes: scopes(limits) })).toEqual([
      {
        scope: "tenant",
        subject: "ten_1",
        resource: "usd_day",
        since: secondsOf("2028-02-29T00:00:00Z"),
        bucket: secondsOf("2028-02-29T00:00:00Z"),
        until: secondsOf("2028-03-01T00:00:00Z"),
        limit: 300_000,
        amount: 7,
      },
      {
        scope: "tenant",
        subject: "ten_1",
        resource: "usd_month",
        since: secondsOf("2028-02-01T00:00:00Z"),
        bucket: secondsOf("2028-02-01T00:00:00Z"),
        until: secondsOf("2028-03-01T00:00:00Z"),
        limit: 12_345_678,
        amount: 7,
      },
    ]);
  });

  it("are asked for in every scope, the tenant's first and the server's last", () => {
    const all: Limits = { requestsPerMinute: 1, concurrent: 2, usdPerDay: 3 };
    const limitChecks = limitChecksOf({
      now: 0,
      tokens: 1,
      microUsd: 1,
      scopes: scopes(all, all, all),
    });
    expect(limitChecks.map(({ scope, resource }) => `${scope} ${resource}`)).toEqual([
      "tenant requests",
      "tenant concurrent",
      "tenant usd_day",
      "key requests",
      "key concurrent",
      "key usd_day",
      "server requests",
      "server concurrent",
      "server usd_day",
    ]);
  });
});

describe("the smallest budget", () => {
  it.each<[string, number | null, Limits, Limits?, Limits?]>([
    ["there is none", null, { requestsPerMinute: 1, tokensPerMinute: 1 }, { concurrent: 0 }],
    ["the only one", 2_000_000, { usdPerMonth: 2 }],
    ["a day's under a month's", 500_000, { usdPerDay: 0.5, usdPerMonth: 2 }],
    ["a key's under its tenant's", 1, { usdPerDay: 5 }, { usdPerMonth: 0.000001 }],
    ["a server's", 250_000, { usdPerDay: 5 }, { usdPerDay: 4 }, { usdPerMonth: 0.25 }],
    ["nothing may be spent", 0, { usdPerDay: 0 }, { usdPerDay: 4 }],
  ])("%s: %s", (_, smallest, ...limits) => {
    expect(smallestBudget(scopes(...limits))).toBe(smallest);
  });
});

describe("how a limit stands", () => {
  const now = "2027-11-30T22:00:00.500Z";
  it("ends with its calendar window, however long ago its oldest bucket is", () => {
    const day = holdAt(now, { usdPerDay: 1 });
    const state = { used: 400_000, oldest: day.bucket, now: at(now) };
    expect(stateOf(day, state)).toEqual({
      name: "tenant.usdPerDay",
      limit: 1_000_000,
      used: 400_000,
      remaining: 600_000,
      resetSeconds: 2 * 3_600,
      windowSeconds: 86_400,
    });
    const month = holdAt(now, { usdPerMonth: 1 });
    expect(stateOf(month, { ...state, oldest: null })).toMatchObject({
      name: "tenant.usdPerMonth",
      resetSeconds: 2 * 3_600,
      windowSeconds: 30 * 86_400,
    });
  });

  it("has nothing left where more was charged than was reserved, and says what was used", () => {
    const day = holdAt(now, { usdPerDay: 1 });
    const state = stateOf(day, { used: 1_000_001, oldest: null, now: at(now) });
    expect(state).toMatchObject({ remaining: 0, used: 1_000_001 });
  });

  it("slides for rates: free 61 s after the oldest bucket, for one place in a second, never at once", () => {
    const requests = holdAt(now, { requestsPerMinute: 9 });
    const stateAt = (oldest: number | null) =>
      stateOf(requests, { used: 1, oldest, now: at(now) }).resetSeconds;
    expect(stateAt(requests.bucket)).toBe(61);
    expect(stateAt(requests.bucket - 60)).toBe(1);
    expect(stateAt(requests.bucket - 61)).toBe(1);
    expect(stateAt(null)).toBe(61);
    const places = holdAt(now, { concurrent: 9 });
    expect(stateOf(places, { used: 1, oldest: null, now: at(now) }).resetSeconds).toBe(1);
  });
});
