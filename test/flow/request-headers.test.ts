/** A credential's own headers reach its endpoint on each request, and nobody can read their values. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gatewayToken, startAiGateway, type AiGateway } from "../fakes/ai-gateway.ts";
import { adminOf, asking, callOnce, type Answered } from "../fakes/caller.ts";
import { borrowRouter, printedByRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { expectProblem } from "./isolation.ts";

let router: SharedRouter;
let admin: ReturnType<typeof adminOf>;
let gateway: AiGateway;
const texts: string[] = [];
const operator = async (...asked: Parameters<typeof admin>): Promise<Answered> => {
  const answer = await admin(...asked);
  texts.push(answer.text);
  return answer;
};

let made = 0;
async function tenant() {
  made += 1;
  const slug = `headers-${made}`;
  const path = `/tenants/${slug}`;
  await operator("POST", "/tenants", { slug, name: slug });
  const scopes = ["sampling", "models"];
  const key = String((await admin("POST", `${path}/keys`, { name: "k", scopes })).get("key"));
  return { path, key, ask: () => callOnce(router, key, asking("hi")) };
}

const headers = { "cf-aig-authorization": `Bearer ${gatewayToken}` };
const anthropic = (more: object = {}) => ({
  provider: "anthropic",
  name: "main",
  baseUrl: `${gateway.url}/anthropic`,
  apiKey: "anthropic-CANARY",
  headers,
  ...more,
});

beforeAll(async () => {
  router = await borrowRouter();
  admin = adminOf(router, router.adminToken);
  gateway = await startAiGateway();
});
afterAll(() => gateway.stop());

describe("a credential of Cloudflare AI Gateway", () => {
  it("calls Anthropic's API with the key and the gateway's token", async () => {
    const { path, ask } = await tenant();
    const created = await operator("POST", `${path}/credentials`, anthropic());
    expect(created.status).toBe(201);
    expect(created.get("headerNames")).toEqual(["cf-aig-authorization"]);
    expect((await ask()).text).toContain("hello through the gateway");
    expect(gateway.calls.at(-1)).toMatchObject({
      path: "/v1/account/gateway/anthropic/v1/messages",
      headers: { ...headers, "x-api-key": "anthropic-CANARY" },
    });
    const check = `${path}/credentials/${String(created.get("id"))}/check`;
    expect((await operator("POST", check)).body).toMatchObject({ ok: true });
  });

  it("passes requests of a model endpoint with the token", async () => {
    const { path, key } = await tenant();
    await operator("POST", `${path}/credentials`, anthropic());
    const answer = await fetch(`${router.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: '{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}',
    });
    expect(await answer.text()).toContain("hello through the gateway");
    expect(gateway.calls.at(-1)?.headers).toMatchObject(headers);
  });

  it("needs no key of the provider if the gateway stores it, and calls other models by one API", async () => {
    const { path, ask } = await tenant();
    const { apiKey: _, ...keyless } = anthropic();
    const created = await operator("POST", `${path}/credentials`, {
      ...keyless,
      provider: "cloudflare-ai-gateway",
      baseUrl: `${gateway.url}/compat`,
      models: [{ id: "openai/gpt-5-mini", like: "openai/gpt-5-mini" }],
    });
    expect(created.status).toBe(201);
    expect((await ask()).text).toContain("hello through the gateway");
    expect(gateway.calls.at(-1)?.path).toBe("/v1/account/gateway/compat/chat/completions");
    expect(gateway.calls.at(-1)?.headers).not.toHaveProperty("authorization");
  });

  it("is told from a rejected key, and works again with other headers", async () => {
    const { path, ask } = await tenant();
    const wrong = { "cf-aig-authorization": "Bearer wrong-CANARY" };
    const created = await operator("POST", `${path}/credentials`, anthropic({ headers: wrong }));
    const one = `${path}/credentials/${String(created.get("id"))}`;
    expect((await ask()).text).toContain("cf-aig-authorization");
    expect((await operator("POST", `${one}/check`)).get("fault")).toMatchObject({
      kind: "auth",
      status: 401,
      code: "gateway_refused",
    });
    // The check has found that no call can succeed.
    expect((await ask()).text).toContain("credential_failing");
    const changed = await operator("PATCH", one, { headers });
    expect(changed.body).toMatchObject({ status: "active", headerNames: Object.keys(headers) });
    expect((await ask()).text).toContain("hello through the gateway");
    expect(gateway.calls.at(-1)?.headers["x-api-key"]).toBe("anthropic-CANARY");
    await operator("PATCH", one, { apiKey: "another-CANARY" });
    expect((await ask()).text).toContain("hello through the gateway");
    expect(gateway.calls.at(-1)?.headers["x-api-key"]).toBe("another-CANARY");
    expect((await operator("PATCH", one, { headers: null })).get("headerNames")).toEqual([]);
    expect((await operator("POST", `${one}/check`)).get("fault")).toMatchObject({ status: 401 });
  });
});

describe("headers of a credential", () => {
  it("don't move to another origin", async () => {
    const { path } = await tenant();
    const created = await operator("POST", `${path}/credentials`, anthropic());
    const one = `${path}/credentials/${String(created.get("id"))}`;
    const elsewhere = { baseUrl: "http://127.0.0.1:9/anthropic", apiKey: "k-CANARY" };
    const moved = await operator("PATCH", one, elsewhere);
    expectProblem(moved, 400, "invalid_params");
    expect(moved.get("path")).toBe("headers");
    expect((await operator("PATCH", one, { ...elsewhere, headers })).status).toBe(200);
  });

  it.each([
    ["Host", "evil.example"],
    ["content-length", "3"],
    ["Transfer-Encoding", "chunked"],
    ["Authorization", "Bearer other"],
    ["X-Api-Key", "other"],
    ["x_api_key", "other"],
    ["anthropic-version", "2020-01-01"],
    ["X-Amz-Date", "20200101T000000Z"],
    ["x-forwarded-for", "1.2.3.4"],
    ["cf-connecting-ip", "1.2.3.4"],
    ["x-own", "a\r\nHost: evil.example"],
    ["x own", "v"],
    ["cf-aig-authorization", "Bearer <token>"],
  ])("can't be %s: %j", async (name, value) => {
    const { path } = await tenant();
    const refused = await operator(
      "POST",
      `${path}/credentials`,
      anthropic({ headers: { [name]: value } }),
    );
    expectProblem(refused, 400, "invalid_params");
    expect(refused.get("path")).toMatch(/^headers/);
  });

  it("are refused where no request goes over HTTP", async () => {
    const { path } = await tenant();
    const demo = { provider: "demo", name: "main", apiKey: "x", headers };
    expectProblem(await operator("POST", `${path}/credentials`, demo), 400, "invalid_params");
  });
});

it("no value is in an answer, a list, the event log, an export, or the log", async () => {
  for (const path of ["/events", "/tenants"]) await operator("GET", path);
  for (let at = 1; at <= made; at += 1) {
    await operator("GET", `/tenants/headers-${at}/credentials`);
    await operator("GET", `/tenants/headers-${at}/requests/export?format=ndjson`);
  }
  expect([...texts, await printedByRouter()].join("\n")).not.toContain("CANARY");
});
