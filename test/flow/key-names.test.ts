/** A list of keys names the people whose keys they are, and who made them: of its own tenant alone. */
import { beforeAll, expect, it } from "vitest";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

let router: SharedRouter;
beforeAll(async () => {
  router = await borrowRouter();
});

/** A person whose name is `name`, an administrator's key that is called `maker`, and the person's key, which it makes. */
async function tenantWith(slug: string, { name, maker }: Record<"name" | "maker", string>) {
  await createTenant(router, slug, { provider: "demo", policy: { userNames: "keep" } });
  const operator = adminOf(router, router.adminToken);
  const path = `/tenants/${slug}`;
  const person = { issuer: "https://id.example.com", subject: "the-same", name };
  const user = await operator("POST", `${path}/users`, person);
  const made = await operator("POST", `${path}/keys`, { name: maker, scopes: ["admin"] });
  const admin = adminOf(router, String(made.get("key")));
  const body = { name: "laptop", scopes: ["sampling"], userId: user.get("id") };
  expect((await admin("POST", `${path}/keys`, body)).status).toBe(201);
  return { operator, admin, path, userId: String(user.get("id")), makerId: String(made.get("id")) };
}

it("of people and makers are in the page that has their keys, and no other tenant's", async () => {
  const own = await tenantWith("key-names", { name: "Ada", maker: "console" });
  const other = await tenantWith("key-names-other", { name: "Eve", maker: "their console" });
  for (const asked of [own.operator, own.admin]) {
    const listed = await asked("GET", `${own.path}/keys`);
    expect(listed.get("names")).toEqual({ [own.userId]: "Ada", [own.makerId]: "console" });
    expect(listed.text).not.toMatch(/Eve|their console/);
  }
  const newest = await own.admin("GET", `${own.path}/keys?limit=1`);
  expect(newest.get("data.0.userId")).toBe(own.userId);
  // The next page has the key of the person's sign-in, and none that the administrator's key made.
  const cursor = String(newest.get("nextCursor"));
  const older = await own.admin("GET", `${own.path}/keys?cursor=${cursor}`);
  expect(older.get("names")).toEqual({ [own.userId]: "Ada" });
  const refused = await own.admin("GET", `${other.path}/keys`);
  expect([refused.status, refused.get("names")]).toEqual([404, undefined]);
});

it("of an erased person are gone", async () => {
  const { operator, path, userId, makerId } = await tenantWith("key-names-erased", {
    name: "Ada",
    maker: "console",
  });
  expect((await operator("DELETE", `${path}/users/${userId}`)).status).toBe(204);
  const listed = await operator("GET", `${path}/keys`);
  expect(listed.get("names")).toEqual({ [makerId]: "console" });
  expect(listed.text).not.toContain("Ada");
});
