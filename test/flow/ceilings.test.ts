/**
 * A tenant's ceiling over HTTP: what a tenant's administrator can't do, and what holds from the next request
 * on.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, createTenant, openSession } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

describe("a tenant's ceiling", () => {
  let router: SharedRouter;
  let operator: ReturnType<typeof adminOf>;
  beforeAll(async () => {
    router = await borrowRouter();
    operator = adminOf(router, router.adminToken);
  });

  it("is empty at first, and the operator's alone to read and write", async () => {
    const { key } = await createTenant(router, "asking", { provider: "demo" });
    const admin = adminOf(router, key);
    expect((await operator("GET", "/tenants/asking/ceiling")).body).toEqual({ limits: {} });
    const ceiling = { limits: { usdPerDay: 2 }, providers: ["workers-ai"] };
    expect((await operator("PUT", "/tenants/asking/ceiling", ceiling)).body).toEqual(ceiling);
    expect((await operator("GET", "/tenants/asking/ceiling")).body).toEqual(ceiling);
    for (const [method, body] of [["GET"], ["PUT", { limits: {} }]] as const) {
      const refused = await admin(method, "/tenants/asking/ceiling", body);
      expect([refused.status, refused.get("reason")]).toEqual([403, "forbidden"]);
    }
    expect((await admin("GET", "/tenants/asking")).get("ceiling")).toBeUndefined();
    const [event] = (await admin("GET", "/events")).get("data") as object[];
    expect(event).toMatchObject({ action: "ceiling.replace", actor: "operator", detail: ceiling });
    for (const wrong of [{}, { limits: { perMinute: 1 } }, { limits: {}, providers: ["A b"] }])
      expect((await operator("PUT", "/tenants/asking/ceiling", wrong)).status).toBe(400);
  });

  it("refuses a policy with a larger limit, and says what the ceiling is", async () => {
    const { key } = await createTenant(router, "widening", { provider: "demo" });
    const admin = adminOf(router, key);
    const path = "/tenants/widening";
    await operator("PUT", `${path}/ceiling`, { limits: { requestsPerMinute: 5, usdPerDay: 1 } });
    const wide = { limits: { requestsPerMinute: 5, usdPerDay: 1.5 } };
    for (const who of [admin, operator]) {
      const refused = await who("PUT", `${path}/policy`, wide);
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ reason: "invalid_params", path: "limits.usdPerDay" });
      expect(refused.get("detail")).toContain("At most 1");
    }
    expect((await admin("GET", `${path}/policy`)).body).toEqual({});
    const narrow = { limits: { requestsPerMinute: 5, usdPerDay: 0.5 } };
    expect((await admin("PUT", `${path}/policy`, narrow)).status).toBe(200);
    expect((await admin("PUT", `${path}/policy`, {})).status).toBe(200);
  });

  it("holds from the next request on, whatever the policy said before", async () => {
    const { key } = await createTenant(router, "lowered", {
      provider: "demo",
      policy: { limits: { requestsPerMinute: 100 } },
    });
    const session = await openSession(router, key);
    expect((await session.sample(asking("warm"))).get("result")).toBeDefined();
    await operator("PUT", "/tenants/lowered/ceiling", { limits: { requestsPerMinute: 1 } });
    const refused = await session.sample(asking("one more"));
    expect(refused.get("error.data")).toMatchObject({
      reason: "rate_limited",
      limit: "ceiling.requestsPerMinute",
    });
    expect(refused.headers.get("ratelimit-policy")).toBe('"ceiling.requestsPerMinute";q=1;w=60');
    await operator("PUT", "/tenants/lowered/ceiling", { limits: {} });
    expect((await session.sample(asking("again"))).get("result")).toBeDefined();
  });
});
