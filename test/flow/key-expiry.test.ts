/** A key that expires hands out nothing that outlives it. */
import { beforeAll, describe, expect, it } from "vitest";
import { adminOf } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const hour = 3_600_000;
const path = "/tenants/lent/keys";

describe("a key made by a key that expires", () => {
  let router: SharedRouter;
  let operator: ReturnType<typeof adminOf>;
  let lent: ReturnType<typeof adminOf>;
  let lentId: string;
  const until = Date.now() + hour;
  beforeAll(async () => {
    router = await borrowRouter();
    operator = adminOf(router, router.adminToken);
    await operator("POST", "/tenants", { slug: "lent", name: "Lent" });
    const scopes = ["tenant-admin"];
    const made = await operator("POST", path, { name: "for an hour", scopes, expiresAt: until });
    lentId = String(made.get("id"));
    lent = adminOf(router, String(made.get("key")));
  });

  const making = (more: object) => ({ name: "made", scopes: ["tenant-admin"], ...more });

  it("expires with the key that made it, unless an earlier end is asked for", async () => {
    for (const more of [{}, { expiresAt: null }, { expiresAt: until }])
      expect((await lent("POST", path, making(more))).get("expiresAt")).toBe(until);
    const early = await lent("POST", path, making({ expiresAt: until - 1 }));
    expect([early.status, early.get("expiresAt")]).toEqual([201, until - 1]);
    // A key that this one makes expires with it, too.
    const next = adminOf(router, String(early.get("key")));
    expect((await next("POST", path, making({}))).get("expiresAt")).toBe(until - 1);
    const [event] = (await lent("GET", "/events")).get("data") as { detail: object }[];
    expect(event?.detail).toMatchObject({ expiresAt: until - 1 });
  });

  it("is refused where a later end is asked for", async () => {
    const count = async () => ((await operator("GET", path)).get("data") as unknown[]).length;
    const before = await count();
    const refused = await lent("POST", path, making({ expiresAt: until + 1 }));
    expect([refused.status, refused.get("path")]).toEqual([400, "expiresAt"]);
    expect(refused.get("detail")).toContain(`At most ${until}`);
    expect(await count()).toBe(before);
  });

  it("is never an older key with a new secret", async () => {
    const lasting = await operator("POST", path, making({}));
    expect(lasting.get("expiresAt")).toBeNull();
    const rotate = `${path}/${String(lasting.get("id"))}/rotate`;
    const refused = await lent("POST", rotate);
    expect([refused.status, refused.get("reason")]).toEqual([403, "forbidden"]);
    // The owner's old secret still opens.
    const owner = adminOf(router, String(lasting.get("key")));
    expect((await owner("POST", rotate)).status).toBe(200);
    const own = await lent("POST", `${path}/${lentId}/rotate`);
    expect([own.status, own.get("expiresAt")]).toEqual([200, until]);
  });
});
