/** The Worker in the real Workers runtime starts, keeps a tenant in its object, and answers, refuses and records a call. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { adminOf, asking, callOnce } from "../fakes/caller.ts";
import { startRouter, type Router } from "../fakes/router.ts";

let router: Router;
beforeAll(async () => {
  router = await startRouter({ host: "workerd" });
});
afterAll(() => router?.stop());

it("answers a call, refuses an unknown key, and records what it did", async () => {
  expect((await fetch(`${router.url}/health/ready`)).status).toBe(200);
  const answer = await callOnce(router, router.demoKey, asking("hello"));
  expect(answer.get("result.role")).toBe("assistant");
  expect((await callOnce(router, `${router.demoKey}x`, asking("hello"))).status).toBe(401);
  const admin = adminOf(router, router.adminToken);
  const records = await admin("GET", "/tenants/demo/requests");
  expect(records.get("data")).toMatchObject([{ outcome: "succeeded" }]);
  const page = await fetch(`${router.url}/console`);
  expect([page.status, await page.text()]).toEqual([
    200,
    expect.stringContaining("console/assets/"),
  ]);
});
