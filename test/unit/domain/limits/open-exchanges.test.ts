/** Open requests and streams through the proxy are bounded by key and tenant. */
import { describe, expect, it } from "vitest";
import { parseOpenLimits } from "../../../../src/domain/limits/open-limits.ts";
import { createOpenExchanges } from "../../../../src/domain/limits/open-exchanges.ts";

const kinds = (max: number) => ({ requests: max, streams: max, messages: max });
const opened = (about: { key: number; tenant: number }) => {
  const clock = { now: 1_000_000 };
  const exchanges = createOpenExchanges({
    limits: { key: kinds(about.key), tenant: kinds(about.tenant) },
    elapsed: () => clock.now,
  });
  return { exchanges, clock };
};
const whose = { keyId: "k", tenantId: "t" };

describe("open exchanges", () => {
  it("are counted for each kind, up to the key's limit", () => {
    const { exchanges } = opened({ key: 2, tenant: 8 });
    const held = [1, 2].map(() => exchanges.begin("requests", whose));
    expect(held.every(({ ok }) => ok)).toBe(true);
    expect(exchanges.begin("requests", whose)).toEqual({
      ok: false,
      error: { reason: "rate_limited", limit: "key.openRequests", retryAfterMs: 1_000 },
    });
    expect(exchanges.begin("streams", whose).ok).toBe(true);
    expect(exchanges.begin("requests", { ...whose, keyId: "other" }).ok).toBe(true);
    expect(exchanges.count()).toBe(4);
  });

  it("are counted for the tenant's keys together", () => {
    const { exchanges } = opened({ key: 2, tenant: 3 });
    for (const keyId of ["a", "a", "b"])
      expect(exchanges.begin("streams", { ...whose, keyId }).ok).toBe(true);
    expect(exchanges.begin("streams", { ...whose, keyId: "b" })).toMatchObject({
      error: { limit: "tenant.openStreams" },
    });
    expect(exchanges.begin("streams", { keyId: "z", tenantId: "another" }).ok).toBe(true);
  });

  it("make room once, however often they are closed", () => {
    const { exchanges } = opened({ key: 1, tenant: 4 });
    const first = exchanges.begin("requests", whose);
    if (!first.ok) throw new Error("refused");
    first.value.close();
    expect(exchanges.count()).toBe(0);
    expect(exchanges.begin("requests", whose).ok).toBe(true);
    first.value.close();
    expect(exchanges.begin("requests", whose).ok).toBe(false);
  });

  it("of an invocation that ended without a word count for two minutes; renewed ones go on", () => {
    const { exchanges, clock } = opened({ key: 2, tenant: 4 });
    const kept = exchanges.begin("requests", whose);
    exchanges.begin("requests", whose);
    clock.now += 119_000;
    if (kept.ok) kept.value.renew();
    expect(exchanges.begin("requests", whose).ok).toBe(false);
    clock.now += 2_000;
    expect(exchanges.begin("requests", whose).ok).toBe(true);
    expect(exchanges.begin("requests", whose).ok).toBe(false);
  });
});

describe("the settings", () => {
  it("are 256 requests and 1,024 streams a key, and four times that a tenant", () => {
    expect(parseOpenLimits({})).toEqual({
      ok: true,
      value: {
        key: { requests: 256, streams: 1_024, messages: 1_024 },
        tenant: { requests: 1_024, streams: 4_096, messages: 4_096 },
      },
    });
  });

  it("move the tenant's along, unless they name it", () => {
    const env = { OPEN_REQUESTS_PER_KEY: "10", OPEN_STREAMS_PER_TENANT: "50" };
    expect(parseOpenLimits(env)).toMatchObject({
      value: { key: { requests: 10, streams: 1_024 }, tenant: { requests: 40, streams: 50 } },
    });
  });

  it.each(["0", "-1", "1.5", "many", "99999999"])("%j is a fault that is named", (text) => {
    expect(parseOpenLimits({ OPEN_STREAMS_PER_KEY: text })).toMatchObject({
      ok: false,
      error: { setting: "OPEN_STREAMS_PER_KEY" },
    });
  });
});
