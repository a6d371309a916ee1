/** Kill switches over HTTP: what is stopped, what is said of it, and that it is lifted at once. */
import { beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, createTenant, openSession } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const why = "It bills twice. Ask Kim.";

describe("a kill switch", () => {
  let router: SharedRouter;
  let operator: ReturnType<typeof adminOf>;
  beforeAll(async () => {
    router = await borrowRouter();
    operator = adminOf(router, router.adminToken);
  });

  const patch = async (slug: string, stopped: unknown): Promise<void> => {
    const changed = await operator("PATCH", `/tenants/${slug}/policy`, { stopped });
    expect(changed.status).toBe(200);
  };

  it.each([
    ["tenant", "stop-tenant", () => ({ tenant: why })],
    ["key", "stop-key", (keyId: string) => ({ keys: { [keyId]: why } })],
  ])("stops a %s from the next request on, and is lifted as fast", async (kind, slug, of) => {
    const { key } = await createTenant(router, slug, { provider: "demo" });
    const session = await openSession(router, key);
    expect((await session.sample(asking("before"))).get("result")).toBeDefined();
    const keyId = String((await operator("GET", `/tenants/${slug}/keys`)).get("data.0.id"));
    await patch(slug, of(keyId));
    const refused = await session.sample(asking("stopped"));
    expect(refused.get("error.code")).toBe(-403);
    expect(refused.get("error.data")).toMatchObject({ reason: "stopped", kind, explanation: why });
    expect((await operator("GET", `/tenants/${slug}`)).get("policy.stopped")).toEqual(of(keyId));
    const events = (await operator("GET", "/events")).get("data") as { detail: object }[];
    expect(events.some(({ detail }) => JSON.stringify(detail).includes(why))).toBe(true);
    // The key is stopped, and its administrator can lift that.
    const admin = adminOf(router, key);
    expect((await admin("PATCH", `/tenants/${slug}/policy`, { stopped: null })).status).toBe(200);
    expect((await session.sample(asking("after"))).get("result")).toBeDefined();
  });

  it.each([
    ["provider", "stop-provider", { providers: { demo: why } }],
    ["model", "stop-model", { models: { "demo/*": why } }],
  ])("excludes a %s from the choice", async (_, slug, stopped) => {
    const { key } = await createTenant(router, slug, { provider: "demo" });
    const session = await openSession(router, key);
    expect((await session.sample(asking("before"))).get("result")).toBeDefined();
    await patch(slug, stopped);
    const refused = await session.sample(asking("stopped"));
    expect(refused.get("error.data.reason")).toBe("no_eligible_model");
    const candidates = refused.get("error.data.candidates") as { excludedBy: string }[];
    expect(candidates.map(({ excludedBy }) => excludedBy)).toContain("stopped");
  });

  it("of the operator's can't be lifted by the tenant", async () => {
    const { key } = await createTenant(router, "stop-ceiling", { provider: "demo" });
    const session = await openSession(router, key);
    const ceiling = { limits: {}, stopped: why };
    const path = "/tenants/stop-ceiling/ceiling";
    expect((await operator("PUT", path, ceiling)).body).toEqual(ceiling);
    const admin = adminOf(router, key);
    await admin("PATCH", "/tenants/stop-ceiling/policy", { stopped: null });
    expect((await admin("PUT", path, { limits: {} })).status).toBe(403);
    expect((await admin("GET", "/tenants/stop-ceiling")).get("stoppedByOperator")).toBe(why);
    expect((await session.sample(asking("stopped"))).get("error.data")).toMatchObject({
      reason: "stopped",
      kind: "tenant",
      name: "stop-ceiling",
    });
    await operator("PUT", path, { limits: {} });
    expect((await session.sample(asking("after"))).get("result")).toBeDefined();
  });
});
