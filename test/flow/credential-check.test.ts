/** Credentials that could serve nothing, and what the router says about them. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, callOnce, type Answered } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { expectProblem } from "./isolation.ts";

let router: SharedRouter;
let provider: Server;
let baseUrl: string;
let admin: ReturnType<typeof adminOf>;
/** What the provider's `/v1/models` answers. */
let listing: { status: number; body: string };
const authorizations: (string | undefined)[] = [];

beforeAll(async () => {
  provider = createServer((request, response) => {
    if (request.url === "/v1/models") {
      authorizations.push(request.headers.authorization);
      response.writeHead(listing.status, { "Content-Type": "application/json" }).end(listing.body);
    } else response.writeHead(404, { "Content-Type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
  router = await borrowRouter();
  admin = adminOf(router, router.adminToken);
});
afterAll(async () => {
  provider.close();
});

let made = 0;
async function tenant(): Promise<{ path: string; key: string }> {
  made += 1;
  const slug = `served-${made}`;
  const path = `/tenants/${slug}`;
  expect((await admin("POST", "/tenants", { slug, name: slug })).status).toBe(201);
  const key = await admin("POST", `${path}/keys`, { name: "k", scopes: ["sampling"] });
  return { path, key: String(key.get("key")) };
}
const own = (more: object = {}) => ({
  provider: "acme-llm",
  name: "own",
  apiKey: "k",
  baseUrl,
  ...more,
});
const refusal = (answer: Answered): unknown => answer.get("error");

describe("a credential of a provider that the catalogue doesn't know", () => {
  it("is refused without models, with what to send", async () => {
    const { path } = await tenant();
    for (const models of [undefined, null, []]) {
      const answer = await admin("POST", `${path}/credentials`, own({ models }));
      expectProblem(answer, 400, "invalid_params");
      expect(answer.get("path")).toBe("models");
      expect(answer.get("detail")).toContain('[{"id": "<model>"}]');
      expect(answer.get("detail")).toContain(`GET ${baseUrl}/models`);
    }
    expect((await admin("GET", `${path}/credentials`)).get("data")).toEqual([]);
  });

  it("is taken with models, and keeps some", async () => {
    const { path } = await tenant();
    const created = await admin("POST", `${path}/credentials`, own({ models: [{ id: "one" }] }));
    expect(created.status).toBe(201);
    const one = `${path}/credentials/${String(created.get("id"))}`;
    expectProblem(await admin("PATCH", one, { models: null }), 400, "invalid_params");
    expect((await admin("PATCH", one, { models: [{ id: "two" }] })).status).toBe(200);
    expect((await admin("PATCH", one, { name: "still" })).status).toBe(200);
  });

  it("is taken where the tenant has defined a model of the provider", async () => {
    const { path } = await tenant();
    await admin("PUT", `${path}/models/acme-llm/mine`, { speed: 3 });
    expect((await admin("POST", `${path}/credentials`, own())).status).toBe(201);
  });

  it("offers in the check the models that the provider lists, and no other text of the provider", async () => {
    const { path } = await tenant();
    const created = await admin("POST", `${path}/credentials`, own({ models: [{ id: "guess" }] }));
    const check = async (): Promise<Answered> =>
      admin("POST", `${path}/credentials/${String(created.get("id"))}/check`);
    const secret = "CANARY <script>";
    listing = {
      status: 200,
      body: JSON.stringify({ data: [{ id: "big-1" }, { id: "org/small:2" }, { id: secret }, 7] }),
    };
    expect((await check()).body).toEqual({
      ok: false,
      model: "acme-llm/guess",
      fault: { kind: "invalid_request", status: 404, code: "model_not_found" },
      listed: ["big-1", "org/small:2"],
      proposed: [],
      host: null,
    });
    expect(authorizations.at(-1)).toBe("Bearer k");
    for (const [status, body] of [
      [500, secret],
      [200, secret],
      [200, "{}"],
    ] as const) {
      listing = { status, body };
      expect((await check()).get("listed")).toBeNull();
    }
    listing = { status: 200, body: JSON.stringify({ models: [{ name: "models/gem-1" }] }) };
    expect((await check()).get("listed")).toEqual(["gem-1"]);
  });
});

describe("a model that is one of the catalogue's by another name", () => {
  const like = "openai/gpt-5-mini";

  it("is proposed by the check, and has that model's figures", async () => {
    const { path } = await tenant();
    const models = [{ id: "prod-gpt-5-mini", contextTokens: 9_000 }];
    const created = await admin("POST", `${path}/credentials`, own({ models }));
    const one = `${path}/credentials/${String(created.get("id"))}`;
    listing = { status: 404, body: "" };
    const proposed = [{ ...models[0], like }];
    expect((await admin("POST", `${one}/check`)).get("proposed")).toEqual(proposed);
    expect((await admin("PATCH", one, { models: proposed })).get("models")).toEqual(proposed);
    const listed = await admin("GET", `${path}/models?limit=1000`);
    const found = (listed.get("data") as { id: string }[]).find(({ id }) => id === models[0]?.id);
    expect(found).toMatchObject({ like, temperature: false, contextTokens: 9_000 });
    expect((await admin("POST", `${one}/check`)).get("proposed")).toEqual([]);
  });

  it("is refused where the catalogue has none of that name", async () => {
    const { path } = await tenant();
    const models = [{ id: "a" }, { id: "b", like: "openai/gtp-5" }];
    const answer = await admin("POST", `${path}/credentials`, own({ models }));
    expectProblem(answer, 400, "invalid_params");
    expect(answer.get("path")).toBe("models.1.like");
  });
});

describe("a placeholder", () => {
  it.each(["…", "<your key>", "$ANTHROPIC_API_KEY", "sk-..."])("is no key: %s", async (apiKey) => {
    const { path } = await tenant();
    const body = { provider: "anthropic", name: "main", apiKey };
    const answer = await admin("POST", `${path}/credentials`, body);
    expectProblem(answer, 400, "invalid_params");
    expect([answer.get("path"), answer.get("detail")]).toEqual([
      "apiKey",
      expect.stringContaining("placeholder"),
    ]);
    const created = await admin("POST", `${path}/credentials`, { ...body, apiKey: "real" });
    const one = `${path}/credentials/${String(created.get("id"))}`;
    expectProblem(await admin("PATCH", one, { apiKey }), 400, "invalid_params");
  });
});

describe("a request without a model", () => {
  it("says that there is no credential", async () => {
    const { key } = await tenant();
    expect(refusal(await callOnce(router, key, asking("hello")))).toMatchObject({
      message: expect.stringContaining("has no provider credential") as string,
      data: { cause: "no_credential", retryable: false },
    });
  });

  it("says that the credential serves no model that is known", async () => {
    const { path, key } = await tenant();
    await admin("PUT", `${path}/models/acme-llm/mine`, { speed: 3 });
    await admin("POST", `${path}/credentials`, own());
    await admin("DELETE", `${path}/models/acme-llm/mine`);
    expect(refusal(await callOnce(router, key, asking("hello")))).toMatchObject({
      message: expect.stringContaining("declare `models`") as string,
      data: { cause: "no_known_model" },
    });
  });

  it("says what excluded every model", async () => {
    const { path, key } = await tenant();
    await admin("POST", `${path}/credentials`, own({ models: [{ id: "one" }, { id: "two" }] }));
    await admin("PUT", `${path}/policy`, { deniedModels: ["*"] });
    expect(refusal(await callOnce(router, key, asking("hello")))).toMatchObject({
      message:
        "No eligible model: all models are excluded: 2 by not_allowed (not allowed by the policy)",
      data: { cause: "all_excluded" },
    });
  });
});
