/** A cloud's credential serves calls, and its secrets appear nowhere else. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { azureKey, entra, startAzure, type Azure } from "../fakes/azure.ts";
import { adminOf, asking, callOnce, type Answered } from "../fakes/caller.ts";
import { borrowRouter, printedByRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { expectProblem } from "./isolation.ts";

let router: SharedRouter;
let admin: ReturnType<typeof adminOf>;
const texts: string[] = [];
const keep = (answer: Answered): Answered => {
  texts.push(answer.text);
  return answer;
};
const operator = async (...asked: Parameters<typeof admin>): Promise<Answered> =>
  keep(await admin(...asked));

let made = 0;
async function tenant() {
  made += 1;
  const slug = `cloud-${made}`;
  const path = `/tenants/${slug}`;
  await operator("POST", "/tenants", { slug, name: slug });
  const scopes = ["sampling", "models", "tenant-admin"];
  const key = String((await admin("POST", `${path}/keys`, { name: "k", scopes })).get("key"));
  const ask = async (more: object = {}) =>
    keep(await callOnce(router, key, asking("hi", { ...more })));
  return { slug, path, key, ask, own: adminOf(router, key) };
}

beforeAll(async () => {
  router = await borrowRouter();
  admin = adminOf(router, router.adminToken);
});

describe("Azure", () => {
  let azure: Azure;
  const deployments = [{ id: "prod-chat", model: "openai/gpt-5-mini" }];
  const input = (more: object = {}) => ({
    provider: "azure",
    name: "main",
    endpoint: `${azure.endpoint}/openai/v1/`,
    auth: { apiKey: azureKey },
    deployments,
    ...more,
  });
  const byEntra = () => ({ auth: entra, tokenUrl: azure.tokenUrl });

  beforeAll(async () => {
    azure = await startAzure(["prod-chat"]);
  });
  afterAll(() => azure.stop());

  it("serves a deployment by key, with the parameters and price of its base model", async () => {
    const { path, ask } = await tenant();
    const created = await operator("POST", `${path}/credentials`, input());
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      endpoint: azure.endpoint,
      deployments,
      authKind: "apiKey",
      baseUrl: null,
    });
    expect(created.body).not.toHaveProperty("auth");
    const answer = await ask();
    expect(answer.text).toContain("hello from azure");
    expect(azure.calls.at(-1)).toMatchObject({
      by: `api-key ${azureKey}`,
      body: { model: "prod-chat", max_completion_tokens: expect.any(Number) },
    });
    expect(azure.calls.at(-1)?.body).not.toHaveProperty("max_tokens");
    const [record] = (await operator("GET", `${path}/requests`)).get("data") as {
      costUsd: number;
    }[];
    expect(record?.costUsd).toBeGreaterThan(0);
    const checked = await operator(
      "POST",
      `${path}/credentials/${String(created.get("id"))}/check`,
    );
    expect(checked.body).toMatchObject({ ok: true, model: "azure/prod-chat" });
  });

  it("serves it by a client secret, with one token until it ends or is revoked", async () => {
    const { path, ask } = await tenant();
    expect((await operator("POST", `${path}/credentials`, input(byEntra()))).status).toBe(201);
    const before = azure.tokens.length;
    await Promise.all([ask(), ask(), ask()]);
    expect(azure.tokens).toHaveLength(before + 1);
    expect(azure.calls.at(-1)?.by).toBe(`Bearer ${azure.tokens.at(-1)}`);
    azure.revoke();
    const again = await ask();
    expect(again.text).toContain("hello from azure");
    expect(azure.tokens).toHaveLength(before + 2);
  });

  it("says which step failed", async () => {
    const { path, ask } = await tenant();
    const wrong = { ...byEntra(), auth: { ...entra, clientSecret: "wrong-CANARY" } };
    const created = await operator("POST", `${path}/credentials`, input(wrong));
    const check = async () =>
      (await operator("POST", `${path}/credentials/${String(created.get("id"))}/check`)).get(
        "fault",
      );
    expect(await check()).toMatchObject({ kind: "auth", code: "token_refused" });
    expect((await ask()).text).toContain("token server rejects the credential");
    const one = `${path}/credentials/${String(created.get("id"))}`;
    await operator("PATCH", one, { auth: { apiKey: azureKey }, endpoint: azure.endpoint });
    azure.fails(401, "PermissionDenied", "The principal `x` lacks the required data action.");
    expect(await check()).toMatchObject({ status: 401, code: "access_denied" });
    azure.fails(429, "insufficient_quota", "You exceeded your current quota.");
    expect(await check()).toMatchObject({ status: 429, code: "no_credit" });
    azure.fails(400, "content_filter", "The response was filtered.");
    expect(await check()).toMatchObject({ status: 400, code: "content_filter" });
    azure.recovers();
    await operator("PATCH", one, { deployments: [{ id: "gone", model: "openai/gpt-5-mini" }] });
    expect(await check()).toMatchObject({ status: 404, code: "model_not_found" });
  });

  it("is refused with the member that is wrong, and takes no address that its tenant may not name", async () => {
    const { path, own } = await tenant();
    const refused = async (more: object, member: string) => {
      const answer = keep(await own("POST", `${path}/credentials`, input(more)));
      expectProblem(answer, 400, "invalid_params");
      expect(answer.get("path")).toBe(member);
    };
    await refused({ auth: undefined }, "auth");
    await refused({ endpoint: undefined }, "endpoint");
    await refused({ apiKey: "k" }, "apiKey");
    await refused({ provider: "openai" }, "auth");
    await refused({ auth: { apiKey: "<your-key>" } }, "auth.apiKey");
    await refused({ endpoint: router.url }, "endpoint");
    await refused({ deployments: [{ id: "x", model: "openai/none" }] }, "models.0.like");
    const theft = await own("POST", `${path}/credentials`, input(byEntra()));
    expectProblem(theft, 403, "forbidden");
  });

  it("needs its secret again where the secret would go elsewhere", async () => {
    const { path } = await tenant();
    const created = await operator("POST", `${path}/credentials`, input());
    const one = `${path}/credentials/${String(created.get("id"))}`;
    const moved = await operator("PATCH", one, { endpoint: "http://127.0.0.1:9" });
    expectProblem(moved, 400, "invalid_params");
    expect(moved.get("path")).toBe("auth");
    expect((await operator("PATCH", one, { name: "other" })).get("endpoint")).toBe(azure.endpoint);
  });
});

it("no secret and no token is in an answer, a list, the event log, an export, or the log", async () => {
  for (const path of ["/events", "/tenants"]) await operator("GET", path);
  for (let at = 1; at <= made; at += 1) {
    await operator("GET", `/tenants/cloud-${at}/credentials`);
    await operator("GET", `/tenants/cloud-${at}/requests/export?format=ndjson`);
  }
  expect([...texts, await printedByRouter()].join("\n")).not.toContain("CANARY");
});
