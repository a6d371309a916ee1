/** What the admin API does, and how soon `/v1` follows. */
import { readFileSync } from "node:fs";
import { createClient } from "@libsql/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withOwnResponses } from "../fakes/openapi-document.ts";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { adminOf, asking, openSession, type Answered } from "../fakes/caller.ts";
import { startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { databaseFilesIn } from "../fakes/router.ts";
import { borrowRouter, printedByRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { endpoints, expectProblem, fill, operationsOf, tenantWithKeys } from "./isolation.ts";

let router: SharedRouter;
let aimock: Aimock;
let faulty: FaultyProvider;
/** Every body that the admin API answered in this file, to be searched for secrets. */
const answers: string[] = [];

/** The operator, unless told; everything it hears is kept. */
async function admin(
  method: string,
  path: string,
  body?: unknown,
  token = router.adminToken,
): Promise<Answered> {
  const answer = await adminOf(router, token)(method, path, body);
  answers.push(answer.text);
  return answer;
}

beforeAll(async () => {
  [router, aimock, faulty] = await Promise.all([
    borrowRouter(),
    startAimock([
      { match: { userMessage: "hello" }, response: { content: "Hi!", usage } },
      // The provider's answer to the check of a credential.
      { match: { userMessage: "ping" }, response: { content: "pong", usage } },
    ]),
    startFaultyProvider(),
  ]);
});
afterAll(() => Promise.all([aimock.stop(), faulty.stop()]));

const usage = usageOf(1_000, 10);
const never = "0".repeat(26);

interface Made {
  slug: string;
  path: string;
  id: string;
  key: string;
  keyId: string;
  credentialId: string;
}

/** A tenant with the demo provider, and a key with every scope. */
async function made(slug: string): Promise<Made> {
  const tenant = await admin("POST", "/tenants", { slug, name: slug });
  const path = `/tenants/${slug}`;
  const credential = await admin("POST", `${path}/credentials`, {
    provider: "demo",
    name: "demo",
    apiKey: "none",
  });
  const key = await admin("POST", `${path}/keys`, {
    name: "all",
    scopes: ["sampling", "tenant-admin"],
  });
  expect([tenant.status, credential.status, key.status]).toEqual([201, 201, 201]);
  return {
    slug,
    path,
    id: String(tenant.get("id")),
    key: String(key.get("key")),
    keyId: String(key.get("id")),
    credentialId: String(credential.get("id")),
  };
}

const listOf = async (path: string): Promise<Record<string, unknown>[]> =>
  (await admin("GET", `${path}${path.includes("?") ? "&" : "?"}limit=200`)).get("data") as Record<
    string,
    unknown
  >[];

const reason = (answer: Answered): unknown => answer.get("error.data.reason");
const chosen = (answer: Answered): unknown => answer.get("result.model");

describe("tenants", () => {
  it("are created, read, renamed, listed and deleted", async () => {
    const created = await admin("POST", "/tenants", { slug: "crud", name: "One" });
    expect(created.status).toBe(201);
    expect(created.headers.get("content-type")).toMatch(/^application\/json/);
    expect(created.body).toMatchObject({ slug: "crud", name: "One", policy: {}, version: 1 });
    expect((await admin("GET", "/tenants/crud")).body).toEqual(created.body);
    const renamed = await admin("PATCH", "/tenants/crud", { name: "Two" });
    expect(renamed.body).toEqual({ ...(created.body as object), name: "Two", version: 2 });
    const {
      policy: _policy,
      stoppedByOperator: _stopped,
      waitingApprovals: _waiting,
      attention: _attention,
      version: _version,
      ...entry
    } = renamed.body as Record<string, unknown>;
    expect((await listOf("/tenants")).find(({ slug }) => slug === "crud")).toEqual({
      ...entry,
      state: "active",
    });
    const deleted = await admin("DELETE", "/tenants/crud");
    expect([deleted.status, deleted.text]).toEqual([204, ""]);
    expectProblem(await admin("GET", "/tenants/crud"), 404, "not_found");
    expectProblem(await admin("DELETE", "/tenants/crud"), 404, "not_found");
  });

  it("have a slug of their own", async () => {
    await admin("POST", "/tenants", { slug: "taken", name: "First" });
    expectProblem(
      await admin("POST", "/tenants", { slug: "taken", name: "Second" }),
      409,
      "conflict",
    );
    expect((await admin("GET", "/tenants/taken")).get("name")).toBe("First");
  });

  it.each(["", "UPPER", "with space", "-begins", "ends-", "a/b", "x".repeat(64), 7, null])(
    "have no slug such as %j",
    async (slug) => {
      const answer = await admin("POST", "/tenants", { slug, name: "x" });
      expectProblem(answer, 400, "invalid_params");
      expect(answer.get("path")).toBe("slug");
    },
  );
});

describe("keys", () => {
  it("are shown once, listed without their secret, and revoked for good", async () => {
    const { path } = await made("keys-crud");
    const created = await admin("POST", `${path}/keys`, {
      name: "CI",
      scopes: ["sampling", "proxy", "sampling"],
      expiresAt: 4_000_000_000_000,
      limits: { requestsPerMinute: 3 },
    });
    expect(created.status).toBe(201);
    const { key, ...shown } = created.body as { key: string; id: string };
    expect(key).toMatch(/^srk_[0-9a-z]{26}_[\w-]{43}$/);
    expect(shown).toMatchObject({
      name: "CI",
      scopes: ["sampling", "proxy"],
      expiresAt: 4_000_000_000_000,
      limits: { requestsPerMinute: 3 },
      revokedAt: null,
    });
    expect((await listOf(`${path}/keys`))[0]).toEqual(shown);
    expect((await admin("DELETE", `${path}/keys/${shown.id}`)).status).toBe(204);
    const [revoked] = await listOf(`${path}/keys`);
    expect(revoked).toEqual({ ...shown, revokedAt: expect.any(Number) as number });
    // Once more is no error, and changes nothing.
    expect((await admin("DELETE", `${path}/keys/${shown.id}`)).status).toBe(204);
    expect((await listOf(`${path}/keys`))[0]).toEqual(revoked);
    expectProblem(await admin("POST", `${path}/keys/${shown.id}/rotate`), 409, "conflict");
    expectProblem(await admin("DELETE", `${path}/keys/key_${never}`), 404, "not_found");
    expectProblem(await admin("POST", `${path}/keys/key_${never}/rotate`), 404, "not_found");
  });

  it("are rotated: the old secret stops at once, all else stays", async () => {
    const { path, key, keyId } = await made("keys-rotate");
    const [before] = await listOf(`${path}/keys`);
    const caller = await openSession(router, key);
    for (let warm = 0; warm < 2; warm += 1)
      expect((await caller.sample(asking("hello"))).text).toContain('"result"');
    const rotated = await admin("POST", `${path}/keys/${keyId}/rotate`);
    expect(rotated.status).toBe(200);
    const { key: fresh, ...shown } = rotated.body as { key: string };
    expect([fresh === key, shown]).toEqual([false, before]);
    expect((await caller.sample(asking("hello"))).status).toBe(401);
    expect((await admin("GET", path, undefined, key)).status).toBe(401);
    expect((await admin("GET", path, undefined, fresh)).status).toBe(200);
    const renewed = await openSession(router, fresh);
    expect((await renewed.sample(asking("hello"))).text).toContain('"result"');
    expect((await caller.sample(asking("hello"))).status).toBe(401);
  });

  it("that are revoked stop at once, also in an isolate that remembers them", async () => {
    const { path, key, keyId } = await made("keys-revoke");
    const caller = await openSession(router, key);
    for (let warm = 0; warm < 2; warm += 1)
      expect((await caller.sample(asking("hello"))).text).toContain('"result"');
    const records = await listOf(`${path}/requests`);
    await admin("DELETE", `${path}/keys/${keyId}`);
    const answer = await caller.sample(asking("hello"));
    expect([answer.status, reason(answer)]).toEqual([401, "unauthorized"]);
    expect((await admin("GET", path, undefined, key)).status).toBe(401);
    expect(await listOf(`${path}/requests`)).toEqual(records);
  });

  it("that expire stop when they do, also in an isolate that remembers them", async () => {
    const { path } = await made("keys-expire");
    const expiresAt = Date.now() + 1_500;
    const answer = await admin("POST", `${path}/keys`, {
      name: "short",
      scopes: ["sampling"],
      expiresAt,
    });
    const caller = await openSession(router, String(answer.get("key")));
    expect((await caller.sample(asking("hello"))).text).toContain('"result"');
    await new Promise((resolve) => setTimeout(resolve, expiresAt - Date.now() + 20));
    expect((await caller.sample(asking("hello"))).status).toBe(401);
  });
});

describe("credentials", () => {
  /** A key of a form that can be found anywhere, also in a database or a log. */
  const planted = `planted-${"s3cr3t".repeat(4)}`;
  const replaced = `planted-again-${"s3cr3t".repeat(4)}`;

  it("are created, listed, changed and deleted, and the key never comes back", async () => {
    const { path } = await made("credentials-crud");
    const created = await admin("POST", `${path}/credentials`, {
      provider: "openai",
      name: "one",
      apiKey: planted,
      baseUrl: aimock.url("openai"),
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      provider: "openai",
      name: "one",
      baseUrl: aimock.url("openai"),
      models: null,
      status: "active",
    });
    const id = String(created.get("id"));
    const one = `${path}/credentials/${id}`;
    const [listed] = await listOf(`${path}/credentials`);
    expect(listed).toEqual({ ...(created.body as object), lastCall: null });
    const changed = await admin("PATCH", one, { name: "two", apiKey: replaced });
    expect(changed.body).toMatchObject({ id, name: "two", baseUrl: aimock.url("openai") });
    // A merge patch: null takes away an optional member, and is refused for a required one.
    const models = [{ id: "m", tools: true }];
    expect((await admin("PATCH", one, { models })).get("models")).toEqual(models);
    expect((await admin("PATCH", one, { models: null })).get("models")).toBeNull();
    for (const required of ["name", "apiKey"]) {
      const refused = await admin("PATCH", one, { [required]: null });
      expectProblem(refused, 400, "invalid_params");
      expect(refused.get("path")).toBe(required);
    }
    const moved = await admin("PATCH", one, { baseUrl: null, apiKey: replaced });
    expect(moved.get("baseUrl")).toBeNull();
    await admin("PATCH", one, { baseUrl: aimock.url("openai"), apiKey: replaced });
    // The new key is the one that is sent.
    expect((await admin("POST", `${one}/check`)).get("ok")).toBe(true);
    expect((await aimock.journal()).at(-1)?.headers["authorization"]).toBe(`Bearer ${replaced}`);
    expect((await admin("DELETE", one)).status).toBe(204);
    for (const [method, suffix, body] of [
      ["DELETE", "", undefined],
      ["PATCH", "", {}],
      ["POST", "/check", undefined],
    ] as const)
      expectProblem(await admin(method, `${one}${suffix}`, body), 404, "not_found");
  });

  it("are checked with a real call, and what the provider says is not passed on", async () => {
    const { path } = await made("credentials-check");
    const created = await admin("POST", `${path}/credentials`, {
      provider: "anthropic",
      name: "wrong",
      apiKey: planted,
      baseUrl: faulty.url("anthropic"),
    });
    const check = `${path}/credentials/${String(created.get("id"))}/check`;
    // The faulty provider repeats the key in everything that it says.
    faulty.setMode("unauthorized");
    expect((await admin("POST", check)).body).toEqual({
      ok: false,
      model: "anthropic/claude-haiku-4-5",
      fault: { kind: "auth", status: 401, code: "invalid_key" },
      listed: null,
      proposed: [],
      host: null,
    });
    faulty.setMode("fine");
    expect((await admin("POST", check)).body).toMatchObject({ ok: true, fault: null });
    // Besides the list of models, which costs nothing.
    const calls = faulty.requests().filter(({ path: asked }) => !/\/models(\?|$)/.test(asked));
    expect(calls).toHaveLength(2);
  });

  it("are refused where their address is one that the router may not call", async () => {
    const { path } = await made("credentials-urls");
    const before = await listOf(`${path}/credentials`);
    for (const baseUrl of [
      "not a url",
      "ftp://example.com",
      "https://user:pass@example.com/v1",
      "https://example.com/v1?key=1",
      "javascript:alert(1)",
    ]) {
      const answer = await admin("POST", `${path}/credentials`, {
        provider: "openai",
        name: "x",
        apiKey: planted,
        baseUrl,
      });
      expectProblem(answer, 400, "invalid_params");
      expect(answer.get("path")).toBe("baseUrl");
    }
    const nowhere = { provider: "no-default-place", name: "x", apiKey: planted };
    expectProblem(await admin("POST", `${path}/credentials`, nowhere), 400, "invalid_params");
    expect(await listOf(`${path}/credentials`)).toEqual(before);
  });

  it("are used and forgotten at once, also by an isolate that remembers their tenant", async () => {
    const { path, key, credentialId } = await made("credentials-warm");
    const caller = await openSession(router, key);
    for (let warm = 0; warm < 2; warm += 1)
      expect(chosen(await caller.sample(asking("hello")))).toMatch(/^demo\//);
    const added = await admin("POST", `${path}/credentials`, {
      provider: "anthropic",
      name: "more",
      apiKey: planted,
      baseUrl: aimock.url("anthropic"),
    });
    const hinted = asking("hello", { modelPreferences: { hints: [{ name: "haiku" }] } });
    expect(chosen(await caller.sample(hinted))).toBe("anthropic/claude-haiku-4-5");
    await admin("DELETE", `${path}/credentials/${String(added.get("id"))}`);
    expect(chosen(await caller.sample(hinted))).toMatch(/^demo\//);
    await admin("DELETE", `${path}/credentials/${credentialId}`);
    expect(reason(await caller.sample(asking("hello")))).toBe("no_eligible_model");
  });

  it("are not sent to a changed address on another host, unless the key comes with the change", async () => {
    const { path } = await made("credentials-moved");
    const body = { provider: "own", name: "x", apiKey: "k", baseUrl: "http://127.0.0.1:9/v1" };
    const created = await admin("POST", `${path}/credentials`, { ...body, models: [{ id: "m" }] });
    const its = `${path}/credentials/${String(created.get("id"))}`;
    const elsewhere = { baseUrl: "http://127.0.0.1:10/v1" };
    expectProblem(await admin("PATCH", its, elsewhere), 400, "invalid_params");
    expectProblem(await admin("PATCH", its, { baseUrl: null }), 400, "invalid_params");
    expect((await admin("PATCH", its, { baseUrl: "http://127.0.0.1:9/v2" })).status).toBe(200);
    expect((await admin("PATCH", its, { ...elsewhere, apiKey: "k" })).status).toBe(200);
  });

  it("stand in no answer, no log line and no file of the database", async () => {
    const { path } = await made("credentials-leak");
    // These refusals have seen the key, too.
    for (const body of [
      { provider: "openai", name: "x", apiKey: planted, surprise: planted },
      { provider: planted.toUpperCase(), name: "x", apiKey: planted },
      { provider: "openai", name: [planted], apiKey: planted },
      { provider: "openai", name: "x", apiKey: [planted] },
      { provider: "openai", name: "x", apiKey: planted.repeat(200) },
      { provider: "openai", name: "x", apiKey: planted, models: [{ id: 1, aliases: planted }] },
    ])
      expectProblem(await admin("POST", `${path}/credentials`, body), 400, "invalid_params");
    for (const { slug } of await listOf("/tenants")) {
      for (const operation of Object.keys(endpoints)) {
        const [method, template = ""] = operation.split(" ");
        if (method === "GET" && !/\{(id|server)\}/.test(template))
          await admin("GET", `${fill(template, { tenant: String(slug) })}?limit=200`);
      }
    }
    expect(answers.length).toBeGreaterThan(100);
    const files = databaseFilesIn(router.stateDir).map((file) => readFileSync(file, "latin1"));
    expect(files.join("").length).toBeGreaterThan(10_000);
    const printed = await printedByRouter();
    for (const secret of [planted, replaced]) {
      for (const text of answers) expect(text).not.toContain(secret);
      expect(printed).not.toContain(secret);
      for (const file of files) expect(file).not.toContain(secret);
    }
  });

  it("and API keys stand in the answer that made the key, and nowhere else", () => {
    const keys = answers.flatMap((text) => [...text.matchAll(/"srk_[0-9a-z]+_([\w-]{43})"/g)]);
    expect(keys.length).toBeGreaterThan(8);
    const files = databaseFilesIn(router.stateDir).map((file) => readFileSync(file, "latin1"));
    for (const [, secret = ""] of keys) {
      expect(answers.filter((text) => text.includes(secret))).toHaveLength(1);
      for (const file of files) expect(file).not.toContain(secret);
    }
  });
});

describe("models", () => {
  const modelsOf = async (path: string, pattern: RegExp) => {
    const all: Record<string, unknown>[] = [];
    for (let cursor: unknown = ""; typeof cursor === "string";) {
      const page = await admin(
        "GET",
        `${path}/models?limit=200&${cursor === "" ? "" : `cursor=${encodeURIComponent(cursor)}`}`,
      );
      all.push(...(page.get("data") as Record<string, unknown>[]));
      cursor = page.get("nextCursor");
    }
    return all.filter(({ provider, id }) => pattern.test(`${String(provider)}/${String(id)}`));
  };

  it("are overridden for one tenant, at once, and taken back", async () => {
    const [here, there] = await Promise.all([made("models-here"), made("models-there")]);
    const caller = await openSession(router, here.key);
    const hinted = asking("hello", { modelPreferences: { hints: [{ name: "demo-large" }] } });
    expect((await caller.sample(hinted)).get("result._meta")).toMatchObject({
      "sampling-router/decision": { model: "demo-large", costUsd: 0 },
    });
    const change = { inputUsdPerMTok: 1_000, outputUsdPerMTok: 2_000, aliases: ["the-big-one"] };
    const put = await admin("PUT", `${here.path}/models/demo/demo-large`, change);
    expect([put.status, put.body]).toEqual([200, { provider: "demo", id: "demo-large", change }]);
    const [mine] = await modelsOf(here.path, /demo-large/);
    expect(mine).toMatchObject({ ...change, source: "override", available: true, tools: true });
    const [theirs] = await modelsOf(there.path, /demo-large/);
    expect(theirs).toMatchObject({ inputUsdPerMTok: 0, aliases: [], source: "catalogue" });
    const byAlias = asking("hello", { modelPreferences: { hints: [{ name: "the-big-one" }] } });
    const answer = await caller.sample(byAlias);
    const decision = (answer.get("result._meta") as Record<string, unknown>)[
      "sampling-router/decision"
    ] as { usage: { inputTokens: number; outputTokens: number } };
    const { inputTokens, outputTokens } = decision.usage;
    expect(decision).toMatchObject({
      model: "demo-large",
      costUsd: (inputTokens * 1_000 + outputTokens * 2_000) / 1e6,
    });
    expect((await admin("DELETE", `${here.path}/models/demo/demo-large`)).status).toBe(204);
    expect(await modelsOf(here.path, /demo-large/)).toEqual([theirs]);
    expectProblem(await admin("DELETE", `${here.path}/models/demo/demo-large`), 404, "not_found");
  });

  it("are retired for one tenant, and then never chosen", async () => {
    const { path, key } = await made("models-retired");
    const caller = await openSession(router, key);
    const hinted = asking("hello", { modelPreferences: { hints: [{ name: "demo-large" }] } });
    expect(chosen(await caller.sample(hinted))).toBe("demo/demo-large");
    await admin("PUT", `${path}/models/demo/demo-large`, { status: "retired" });
    expect(chosen(await caller.sample(hinted))).toBe("demo/demo-small");
    expect((await modelsOf(path, /demo-large/))[0]).toMatchObject({ available: false });
  });

  it("are defined, slashes in their names and all, and chosen", async () => {
    const { path, key } = await made("models-defined");
    const id = "@acme/team/gemma-4:free";
    const url = `${path}/models/demo`;
    for (const spelt of [id, encodeURIComponent(id)]) {
      const put = await admin("PUT", `${url}/${spelt}`, { contextTokens: 9_000, tools: true });
      expect(put.body).toMatchObject({ provider: "demo", id });
    }
    const found = await modelsOf(path, /acme/);
    expect(found).toEqual([
      expect.objectContaining({ id, contextTokens: 9_000, source: "override", available: true }),
    ]);
    const caller = await openSession(router, key);
    const hinted = asking("hello", { modelPreferences: { hints: [{ name: "gemma-4" }] } });
    expect(chosen(await caller.sample(hinted))).toBe(`demo/${id}`);
    expect((await admin("DELETE", `${url}/${encodeURIComponent(id)}`)).status).toBe(204);
    expect(await modelsOf(path, /acme/)).toEqual([]);
  });

  it("of an endpoint of the tenant's own are declared by its credential, priced and chosen", async () => {
    const { path, key } = await made("models-declared");
    const declared = {
      id: "tiny-1",
      aliases: ["tiny"],
      inputUsdPerMTok: 0.1,
      outputUsdPerMTok: 0.2,
      contextTokens: 4_096,
    };
    const credential = await admin("POST", `${path}/credentials`, {
      provider: "acme-llm",
      name: "own",
      apiKey: "k",
      baseUrl: aimock.url("acme-llm"),
      models: [declared],
    });
    expect(credential.get("models")).toEqual([declared]);
    expect(await modelsOf(path, /^acme-llm/)).toEqual([
      expect.objectContaining({ ...declared, source: "credential", available: true }),
    ]);
    const caller = await openSession(router, key);
    const answer = await caller.sample(
      asking("hello", { modelPreferences: { hints: [{ name: "tiny" }] } }),
    );
    expect(chosen(answer)).toBe("acme-llm/tiny-1");
    // 1,000 × 0.1 + 10 × 0.2 micro-USD.
    expect(answer.get("result._meta")).toMatchObject({
      "sampling-router/decision": { costUsd: 0.000102 },
    });
    expect((await aimock.journal()).at(-1)?.body).toMatchObject({ model: "tiny-1" });
  });
});

describe("texts that are one line", () => {
  it("are refused with control characters in them, as model ids are that no path can hold", async () => {
    const { path } = await made("one-line");
    const credential = { provider: "openai", name: "n", apiKey: "k" };
    const server = { slug: "s", url: "https://server.test/mcp", sampling: "router" };
    const strange = [
      ["PATCH", path, { name: "a\0b" }],
      ["POST", `${path}/keys`, { name: "a\nb", scopes: ["sampling"] }],
      ["POST", `${path}/credentials`, { ...credential, name: "a\u007f" }],
      ["POST", `${path}/credentials`, { ...credential, baseUrl: "https://a.test/\0" }],
      ["POST", `${path}/credentials`, { ...credential, models: [{ id: "a\0b" }] }],
      ["POST", `${path}/credentials`, { ...credential, models: [{ id: "a\n" }] }],
      ["POST", `${path}/credentials`, { ...credential, models: [{ id: ".." }] }],
      ["PUT", `${path}/models/demo/a%00b`, {}],
      ["POST", `${path}/servers`, { ...server, url: "https://server.test/\0" }],
      ["POST", `${path}/servers`, { ...server, passHeaders: ["x\r\ny"] }],
      ["POST", `${path}/users`, { issuer: "https://id.test", subject: "a\0b" }],
      ["PUT", `${path}/policy`, { allowedModels: ["a\0*"] }],
      ["PUT", `${path}/policy`, { groups: { limits: { "a\0": {} } } }],
    ] as const;
    for (const [method, where, body] of strange) {
      const refused = await admin(method, where, body);
      expectProblem(refused, 400, "invalid_params");
      expect(refused.text, where).toMatch(/control characters|Not \. or|groups\.limits/);
    }
  });
});

describe("the policy", () => {
  it("is empty at first, replaced as a whole, and read back as it was put", async () => {
    const { path } = await made("policy-crud");
    expect((await admin("GET", `${path}/policy`)).body).toEqual({});
    const whole = {
      limits: { requestsPerMinute: 5, tokensPerMinute: 5_000, concurrent: 2 },
      maxTokens: 500,
      allowedModels: ["demo/*"],
      deniedModels: ["*/demo-large"],
      capture: "full",
      retentionDays: 7,
      deadlineMs: 5_000,
    };
    expect((await admin("PUT", `${path}/policy`, whole)).body).toEqual(whole);
    expect((await admin("GET", `${path}/policy`)).body).toEqual(whole);
    expect((await admin("GET", path)).get("policy")).toEqual(whole);
    expect((await admin("PUT", `${path}/policy`, { maxTokens: 9 })).body).toEqual({ maxTokens: 9 });
    expect((await admin("GET", `${path}/policy`)).body).toEqual({ maxTokens: 9 });
  });

  it("takes effect at once in an isolate that remembers another", async () => {
    const { path, key } = await made("policy-warm");
    const caller = await openSession(router, key);
    const ask = () => caller.sample(asking("hello"));
    const put = async (policy: object) =>
      expect((await admin("PUT", `${path}/policy`, policy)).status).toBe(200);
    for (let warm = 0; warm < 2; warm += 1) expect(chosen(await ask())).toMatch(/^demo\//);
    await put({ allowedModels: ["demo/demo-large"] });
    expect(chosen(await ask())).toBe("demo/demo-large");
    await put({ deniedModels: ["demo/demo-large"] });
    expect(chosen(await ask())).toBe("demo/demo-small");
    await put({ allowedModels: [] });
    expect(reason(await ask())).toBe("no_eligible_model");
    await put({ maxTokens: 1 });
    expect((await ask()).get("result.stopReason")).toBe("maxTokens");
    await put({ limits: { requestsPerMinute: 1 } });
    expect(chosen(await ask())).toMatch(/^demo\//);
    const limited = await ask();
    expect(limited.get("error.code")).toBe(-429);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    await put({ limits: { tokensPerMinute: 1 } });
    expect(await ask().then((answer) => answer.get("error.data"))).toMatchObject({
      limit: "tenant.tokensPerMinute",
      retryAfterMs: null,
    });
    await put({});
    expect(chosen(await ask())).toMatch(/^demo\//);
  });
});

describe("sessions and requests", () => {
  it("are listed, and a session that an administrator ends is over at once", async () => {
    const { path, key, keyId } = await made("sessions");
    const caller = await openSession(router, key);
    await caller.sample(asking("hello"));
    const [session] = await listOf(`${path}/sessions`);
    expect(session).toMatchObject({ id: caller.sessionId, keyId, revision: "2025-11-25" });
    const one = `${path}/sessions/${caller.sessionId}`;
    expect((await admin("DELETE", one)).status).toBe(204);
    expect(await listOf(`${path}/sessions`)).toEqual([]);
    expectProblem(await admin("DELETE", one), 404, "not_found");
    expect((await caller.sample(asking("hello"))).status).toBe(404);
  });

  it("are filtered by outcome, model, key, session and time", async () => {
    const { path, key, keyId } = await made("requests");
    const other = await admin("POST", `${path}/keys`, { name: "other", scopes: ["sampling"] });
    const [one, two] = await Promise.all([
      openSession(router, key),
      openSession(router, String(other.get("key"))),
    ]);
    // No provider reads this format.
    const data = btoa("<svg xmlns='http://www.w3.org/2000/svg'/>");
    const unreadable = { type: "image", data, mimeType: "image/svg+xml" };
    const ids: string[] = [];
    for (const [caller, more] of [
      [one, { modelPreferences: { hints: [{ name: "demo-large" }] } }],
      [two, { modelPreferences: { hints: [{ name: "demo-small" }] } }],
      [one, { messages: [{ role: "user", content: unreadable }] }],
    ] as const) {
      const answer = await caller.sample(asking("hello", more));
      ids.push(answer.headers.get("x-request-id") ?? "");
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    const [first, second, refused] = ids;
    const records = await listOf(`${path}/requests`);
    expect(records.map(({ id }) => id)).toEqual([refused, second, first]);
    const at = Number(records[1]?.["createdAt"]);
    const found = async (filter: string) =>
      (await listOf(`${path}/requests?${filter}`)).map(({ id }) => id);
    expect(await found("outcome=refused")).toEqual([refused]);
    expect(await found("outcome=failed,refused")).toEqual([refused]);
    expect(await found("outcome=succeeded")).toEqual([second, first]);
    expect(await found("model=demo/demo-large")).toEqual([first]);
    expect(await found(`key=${keyId}`)).toEqual([refused, first]);
    expect(await found(`session=${two.sessionId}`)).toEqual([second]);
    expect(await found(`from=${at}`)).toEqual([refused, second]);
    expect(await found(`to=${at}`)).toEqual([first]);
    expect(await found(`from=${at}&to=${at + 1}&key=${keyId}`)).toEqual([]);
    for (const wrong of [
      "outcome=great",
      "outcome=failed,",
      "from=yesterday",
      "to=1.5",
      "key=ann",
      "server=docs",
    ])
      expectProblem(await admin("GET", `${path}/requests?${wrong}`), 400, "invalid_params");
    expectProblem(await admin("GET", `${path}/requests/req_${never}`), 404, "not_found");
  });
});

describe("a body", () => {
  const taking = Object.entries(endpoints).filter(
    ([operation]) =>
      /^(POST|PUT|PATCH)/.test(operation) &&
      !/\/(rotate|secret|check|replay|authorize|sync)$/.test(operation),
  );

  it("is taken by these operations, and by no others", async () => {
    const document = (await (await fetch(`${router.url}/admin/v1/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { requestBody?: { required?: boolean } }>>;
    };
    const documented = operationsOf(document).filter((operation) => {
      const [method = "", path = ""] = operation.split(" ");
      return document.paths[`/admin/v1${path}`]?.[method.toLowerCase()]?.requestBody?.required;
    });
    expect(documented.toSorted()).toEqual(taking.map(([operation]) => operation).toSorted());
  });

  it.each(taking)(
    "of %s with an unknown key is refused, and the refusal names the key",
    async (operation, { target }) => {
      const slug = `strict-${Math.random().toString(36).slice(2)}`;
      const tenant = await tenantWithKeys(router, slug);
      const { params, body } = (await target?.(tenant, router)) ?? {};
      const [method = "", template = ""] = operation.split(" ");
      const path = fill(template, { ...params, tenant: slug });
      const events = await listOf("/events");
      const answer = await admin(method, path, {
        ...(body as object),
        surprise: "value-of-surprise",
      });
      expectProblem(answer, 400, "invalid_params");
      expect(answer.get("path")).toBe("surprise");
      expect(answer.text).not.toContain("value-of-surprise");
      for (const wrong of [[], null, "text", 7])
        expectProblem(await admin(method, path, wrong), 400, "invalid_params");
      // A body that got lost must not count as an empty one: it would erase a policy.
      expectProblem(await admin(method, path), 400, "bad_request");
      for (const text of ["", "{", "undefined"])
        expectProblem(await send(method, path, text, "application/json"), 400, "bad_request");
      expectProblem(
        await send(method, path, JSON.stringify(body), "text/plain"),
        415,
        "unsupported_media_type",
      );
      expect(await listOf("/events")).toEqual(events);
    },
  );

  it.each([
    ["PUT", "/policy", { limits: { perDay: 1 } }, "limits.perDay"],
    ["PUT", "/policy", { limits: { concurrent: 0 } }, "limits.concurrent"],
    ["PUT", "/policy", { allowedModels: ["ok", ""] }, "allowedModels.1"],
    ["PUT", "/policy", { capture: "some" }, "capture"],
    ["POST", "/keys", { name: "x", scopes: ["root"] }, "scopes.0"],
    ["POST", "/keys", { name: "x", scopes: [] }, "scopes"],
    ["POST", "/keys", { name: "x", scopes: ["sampling"], limits: { a: 1 } }, "limits.a"],
    [
      "PUT",
      "/models/demo/x",
      { priceTiers: [{ aboveInputTokens: 1 }] },
      "priceTiers.0.inputUsdPerMTok",
    ],
    // A slash in the provider would make it another provider's model of that name.
    ["PUT", "/models/demo%2Fdemo-large/x", { speed: 1 }, "provider"],
    [
      "POST",
      "/credentials",
      { provider: "openai", name: "x", apiKey: "k", models: [{ id: "m", cost: 1 }] },
      "models.0.cost",
    ],
  ])("of %s …%s such as %j is refused at its path", async (method, path, body, at) => {
    const answer = await admin(method, `/tenants/demo${path}`, body);
    expectProblem(answer, 400, "invalid_params");
    expect(answer.get("path")).toBe(at);
  });

  const send = async (
    method: string,
    path: string,
    body: string,
    type: string,
  ): Promise<Answered> => {
    const response = await fetch(`${router.url}/admin/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${router.adminToken}`, "Content-Type": type },
      body,
    });
    const text = await response.text();
    const parsed = JSON.parse(text) as Record<string, unknown>;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: parsed,
      get: (key) => parsed[key],
    };
  };
});

describe("a list", () => {
  /** How to add one more to each list, and where the list is. */
  const lists: Record<string, (tenant: Made, at: number) => Promise<unknown>> = {
    "/tenants": (_, at) => admin("POST", "/tenants", { slug: `walk-${at}-${unique()}`, name: "w" }),
    "/tenants/{tenant}/keys": ({ path }) =>
      admin("POST", `${path}/keys`, { name: "w", scopes: ["sampling"] }),
    "/tenants/{tenant}/credentials": ({ path }) =>
      admin("POST", `${path}/credentials`, { provider: "demo", name: "w", apiKey: "k" }),
    "/tenants/{tenant}/models": ({ path }, at) =>
      // Sorted by name: some new rows come before the place that the walk has reached, some after
      // it.
      admin("PUT", `${path}/models/${at % 2 === 0 ? "aaa" : "zzz"}/${unique()}`, { speed: 1 }),
    "/tenants/{tenant}/servers": ({ path }) =>
      admin("POST", `${path}/servers`, {
        slug: unique(),
        url: "https://server.test/mcp",
        sampling: "router",
      }),
    "/tenants/{tenant}/sessions": ({ key }) => openSession(router, key),
    "/tenants/{tenant}/requests": async ({ key }) => {
      const session = await openSession(router, key);
      await session.sample(asking("hello"));
    },
    "/tenants/{tenant}/seals": async ({ path, key }) => {
      await (await openSession(router, key)).sample(asking("hello"));
      // An export seals what has ended.
      await admin("GET", `${path}/requests/export`);
    },
    "/tenants/{tenant}/approvals": async ({ path, key }) => {
      await admin("PATCH", `${path}/policy`, { approval: { mode: "request" } });
      const session = await openSession(router, key);
      const params = asking("hello");
      const message = { jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params };
      await session.send(JSON.stringify(message), { Prefer: "wait=0" });
    },
    "/tenants/{tenant}/users": ({ path }) =>
      admin("POST", `${path}/users`, { issuer: "https://id.test", subject: unique() }),
    "/tenants/{tenant}/webhooks": async ({ path, key }) => {
      const approval = { mode: "request", webhookUrl: "https://hooks.test/" };
      await admin("PATCH", `${path}/policy`, { approval });
      const session = await openSession(router, key);
      const params = asking("hello");
      const message = { jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params };
      await session.send(JSON.stringify(message), { Prefer: "wait=0" });
    },
    "/events": ({ path }) => admin("PATCH", path, { name: unique() }),
    "/tenants/{tenant}/events": ({ path }) => admin("PATCH", path, { name: unique() }),
  };
  const unique = (): string => Math.random().toString(36).slice(2);

  it("is tested for every listing that the API has", async () => {
    const document = (await (await fetch(`${router.url}/admin/v1/openapi.json`)).json()) as {
      paths: Record<string, { get?: { parameters?: { name: string }[] } }>;
    };
    const paged = Object.entries(document.paths).filter(([, { get }]) =>
      get?.parameters?.some(({ name }) => name === "limit"),
    );
    // A page of limits counts keys and servers, and not its rows: test/flow/limits-shown.test.ts walks it.
    // Alerts come by the jobs of every minute: test/contract/store/alerts.suite.ts walks them.
    // Grants need a router that issues tokens: test/flow/oauth-server.test.ts walks them. Usage: the store's contract.
    const walkedElsewhere = ["limits", "alerts", "grants", "usage", "usage/top"].map(
      (list) => `/tenants/{tenant}/${list}`,
    );
    expect(paged.map(([path]) => path).toSorted()).toEqual(
      [...Object.keys(lists), ...walkedElsewhere].map((path) => `/admin/v1${path}`).toSorted(),
    );
  });

  it.each(Object.entries(lists))(
    "%s gives every row once, while more rows come in",
    async (template, add) => {
      const tenant = await made(`walked-${unique()}`);
      for (let at = 0; at < 7; at += 1) await add(tenant, at);
      const path = fill(template, { tenant: tenant.slug });
      const nameOf = (row: Record<string, unknown>): string =>
        row["provider"] !== undefined && row["available"] !== undefined
          ? `${String(row["provider"])}/${String(row["id"])}`
          : String(row["id"] ?? row["requestId"] ?? row["number"]);
      const page = async (cursor: string | null, limit: number) => {
        const query = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
        const answer = await admin("GET", `${path}?limit=${limit}${query}`);
        expect(answer.status).toBe(200);
        const { data, nextCursor } = answer.body as {
          data: Record<string, unknown>[];
          nextCursor: string | null;
        };
        expect(data.length).toBeLessThanOrEqual(limit);
        return { names: data.map(nameOf), nextCursor };
      };
      const walk = async (limit: number, between: (at: number) => Promise<unknown>) => {
        const names: string[] = [];
        let cursor: string | null = null;
        for (let at = 0; ; at += 1) {
          const next: Awaited<ReturnType<typeof page>> = await page(cursor, limit);
          names.push(...next.names);
          if (next.nextCursor === null) return names;
          cursor = next.nextCursor;
          if (at < 6) await between(at);
        }
      };
      const there = await walk(200, async () => {});
      // Pages that end between rows, and small ones where there are few rows.
      const limit = there.length > 40 ? 19 : 3;
      const walked = await walk(limit, (at) => add(tenant, at));
      expect(walked.length).toBe(new Set(walked).size);
      expect(walked.filter((name) => there.includes(name))).toEqual(there);
    },
  );

  it.each(["limit=0", "limit=201", "limit=many", "limit=-1", "limit=1.5"])(
    "takes no %s",
    async (query) => {
      const answer = await admin("GET", `/tenants?${query}`);
      expectProblem(answer, 400, "invalid_params");
      expect(answer.get("path")).toBe("limit");
    },
  );
});

describe("the log of events", () => {
  it("has one row for each change, with who made it and what it was made to", async () => {
    const { path, key, keyId, credentialId, slug, id } = await made("logged");
    const expected: object[] = [
      { action: "key.create", target: keyId, actor: "operator" },
      { action: "credential.create", target: credentialId, actor: "operator" },
      { action: "tenant.create", target: id, actor: "operator", detail: { slug, name: slug } },
    ];
    const session = await openSession(router, key);
    const asKey = (method: string, suffix: string, body?: unknown) =>
      admin(method, `${path}${suffix}`, body, key);
    const change = async (
      [method, suffix, body]: [string, string, unknown?],
      action: string,
      target?: string,
      detail?: object,
    ): Promise<string> => {
      const answer = await asKey(method, suffix, body);
      expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
      const on = target ?? String(answer.get("id"));
      expected.unshift({
        action,
        target: on,
        actor: keyId,
        tenantId: id,
        ...(detail === undefined ? {} : { detail }),
      });
      return on;
    };
    await change(["PATCH", "", { name: "New" }], "tenant.update", id, { name: "New" });
    await change(["PUT", "/policy", { maxTokens: 5 }], "policy.replace", id, { maxTokens: 5 });
    const newKey = await change(
      ["POST", "/keys", { name: "k", scopes: ["proxy"] }],
      "key.create",
      undefined,
      { name: "k", scopes: ["proxy"], expiresAt: null },
    );
    await change(["POST", `/keys/${newKey}/rotate`], "key.rotate", newKey, {});
    await change(["DELETE", `/keys/${newKey}`], "key.revoke", newKey, {});
    const newCredential = await change(
      ["POST", "/credentials", { provider: "demo", name: "c", apiKey: "k" }],
      "credential.create",
    );
    await change(
      ["PATCH", `/credentials/${newCredential}`, { apiKey: "l" }],
      "credential.update",
      newCredential,
      { changed: ["apiKey"] },
    );
    await change(["DELETE", `/credentials/${newCredential}`], "credential.delete", newCredential);
    await change(["PUT", "/models/demo/m", { speed: 2 }], "model.put", "demo/m", { speed: 2 });
    await change(["DELETE", "/models/demo/m"], "model.delete", "demo/m");
    const { sessionId } = session;
    await change(["DELETE", `/sessions/${sessionId}`], "session.end", sessionId ?? "");

    const own = await admin("GET", "/events?limit=200", undefined, key);
    expect(own.get("data")).toMatchObject(expected);
    // The operator sees the same rows among all tenants' rows.
    expect((await listOf("/events")).filter(({ tenantId }) => tenantId === id)).toEqual(
      own.get("data"),
    );
    // The tenant's own list has the same rows, with the names of its keys.
    const ofTenant = await admin("GET", `${path}/events?limit=200`);
    expect(ofTenant.get("data")).toEqual(own.get("data"));
    expect(ofTenant.get("names")).toMatchObject({ [newKey]: "k" });

    const found = async (query: string, token?: string) =>
      (await admin("GET", `/events?${query}`, undefined, token)).get("data") as object[];
    expect(await found(`target=${newKey}&action=key.r`, key)).toMatchObject([
      { action: "key.revoke" },
      { action: "key.rotate" },
    ]);
    expect(await found(`actor=${keyId}&text=apikey`)).toMatchObject([
      { action: "credential.update" },
    ]);
    expect(await found(`tenant=${id}&action=tenant.create`)).toHaveLength(1);
    expect(await found(`tenant=${id}&from=2200-01-01`)).toEqual([]);
    // A tenant's key finds none of another tenant.
    const other = await made("other");
    expect(await found(`tenant=${other.id}`)).toHaveLength(3);
    expect(await found(`tenant=${other.id}`, key)).toEqual([]);
    expect((await admin("GET", "/events?tenant=logged")).status).toBe(400);

    // None of the following requests is a change.
    await asKey("DELETE", `/keys/${newKey}`);
    await asKey("POST", `/keys/${newKey}/rotate`);
    await asKey("DELETE", `/credentials/${newCredential}`);
    await asKey("DELETE", "/models/demo/m");
    await asKey("DELETE", `/sessions/${sessionId}`);
    await asKey("PUT", "/policy", { maxTokens: -1 });
    await asKey("POST", "/keys", { name: "k", scopes: [] });
    await asKey("POST", "/credentials", {
      provider: "openai",
      name: "c",
      apiKey: "k",
      baseUrl: "x",
    });
    await asKey("DELETE", "");
    await admin("POST", "/tenants", { slug, name: "again" });
    await asKey("POST", `/credentials/${credentialId}/check`);
    for (const operation of Object.keys(endpoints).filter((each) => each.startsWith("GET")))
      await admin("GET", fill(operation.slice(4), { tenant: slug, id: "x" }), undefined, key);
    const after = await admin("GET", "/events?limit=200", undefined, key);
    expect(after.get("data")).toEqual(own.get("data"));
  });
});

describe("a deleted tenant", () => {
  it("is gone with everything that it owned, and the log of events stays", async () => {
    const first = await made("doomed");
    const { path, key, id } = first;
    await admin("PUT", `${path}/policy`, { capture: "full", limits: { requestsPerMinute: 100 } });
    await admin("PUT", `${path}/models/demo/mine`, { speed: 1 });
    const caller = await openSession(router, key);
    const answer = await caller.sample(asking("hello"));
    expect(answer.text).toContain('"result"');
    const rows = await rowsAbout(id, answer.headers.get("x-request-id") ?? "");
    // The check finds what it looks for before the deletion.
    expect(rows).toEqual(
      expect.arrayContaining([
        "api_keys",
        "captures",
        "credentials",
        "model_overrides",
        "sessions",
      ]),
    );

    expect((await admin("DELETE", path)).status).toBe(204);
    expect((await caller.sample(asking("hello"))).status).toBe(401);
    expect((await admin("GET", path, undefined, key)).status).toBe(401);
    expect(await rowsAbout(id, answer.headers.get("x-request-id") ?? "")).toEqual(["admin_events"]);
    const last = (await listOf("/events")).find(({ tenantId }) => tenantId === id);
    expect(last).toMatchObject({ action: "tenant.delete", actor: "operator", target: id });

    // The slug is free, and the next tenant with it inherits nothing.
    const again = await admin("POST", "/tenants", { slug: "doomed", name: "Next" });
    expect(again.get("id")).not.toBe(id);
    expect(again.get("policy")).toEqual({});
    for (const list of ["keys", "credentials", "sessions", "requests"])
      expect(await listOf(`${path}/${list}`)).toEqual([]);
    expect((await admin("GET", path, undefined, key)).status).toBe(401);
  });
});

describe("openapi.json", () => {
  interface Operation {
    summary?: string;
    tags?: string[];
    security?: Record<string, string[]>[];
    parameters?: { name: string; in: string; required?: boolean; schema?: object }[];
    requestBody?: { content: Record<string, { schema?: object }> };
    responses: Record<string, { description?: string; content?: Record<string, unknown> }>;
  }
  interface Document {
    openapi: string;
    info: { title?: string; version?: string };
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
  }
  let document: Document;
  beforeAll(async () => {
    const answer = await fetch(`${router.url}/admin/v1/openapi.json`);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    document = withOwnResponses((await answer.json()) as Document);
  });
  const operations = () =>
    operationsOf(document).map((name) => {
      const [method = "", path = ""] = name.split(" ");
      const operation = document.paths[`/admin/v1${path}`]?.[method.toLowerCase()];
      if (operation === undefined) throw new Error(name);
      return { name, path, operation };
    });

  it("is OpenAPI 3.1 with a title and a version, and needs no network", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info.title).toMatch(/\S/);
    expect(document.info.version).toMatch(/\S/);
    const known = ["get", "post", "put", "patch", "delete", "parameters", "summary"];
    for (const item of Object.values(document.paths))
      expect(known).toEqual(expect.arrayContaining(Object.keys(item)));
    expect(JSON.stringify(document)).not.toMatch(/"nullable":|"\$ref":"(?!#\/)/);
  });

  it("has references that all lead somewhere", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(50);
    for (const [, pointer = ""] of references) {
      let found: unknown = document;
      for (const step of pointer.split("/"))
        found = (found as Record<string, unknown> | undefined)?.[step];
      expect([pointer, typeof found]).toEqual([pointer, "object"]);
    }
  });

  it("declares every parameter of its paths, and no others", () => {
    for (const { name, path, operation } of operations()) {
      expect(path).toMatch(/^(\/([\w.-]+|\{\w+\}))+$/);
      const inTemplate = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = (operation.parameters ?? []).filter((one) => one.in === "path");
      expect([name, declared.map((one) => one.name).toSorted()]).toEqual([
        name,
        inTemplate.toSorted(),
      ]);
      for (const one of declared) expect(one.required).toBe(true);
      const all = (operation.parameters ?? []).map((one) => `${one.in} ${one.name}`);
      expect(new Set(all).size).toBe(all.length);
    }
  });

  it("says of each operation what it does, who may call it, and everything that it may answer", () => {
    for (const { name, operation } of operations()) {
      expect([name, operation.summary]).toEqual([name, expect.stringMatching(/\S/)]);
      expect(operation.tags).toHaveLength(1);
      for (const scheme of (operation.security ?? []).flatMap((one) => Object.keys(one)))
        expect(document.components.securitySchemes).toHaveProperty(scheme);
      expect(operation.security?.length).toBeGreaterThan(0);
      const statuses = Object.keys(operation.responses);
      expect(statuses.filter((status) => status.startsWith("2"))).toEqual([
        String(endpoints[name]?.status),
      ]);
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(response.description).toMatch(/\S/);
        if (Number(status) >= 400)
          expect(Object.keys(response.content ?? {})).toEqual(["application/problem+json"]);
      }
      for (const status of ["400", "401", "403", "404", "503"]) expect(statuses).toContain(status);
      if (operation.requestBody !== undefined)
        expect(Object.keys(operation.requestBody.content)).toEqual(["application/json"]);
    }
  });

  it("has a page with every operation and every schema, that loads nothing", async () => {
    const answer = await fetch(`${router.url}/admin/v1/docs`);
    expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    const page = (await answer.text()).replaceAll(/\s+/g, " ");
    for (const { name, path, operation } of operations()) {
      const shown = `>${name.split(" ")[0]?.toLowerCase()}</span><code>/admin/v1${path}</code`;
      expect(page).toContain(shown);
      expect(page).toContain(escaped(operation.summary ?? ""));
    }
    for (const schema of Object.keys(document.components.schemas))
      expect(page).toContain(`<code>${schema}</code>`);
    expect(page).not.toMatch(/<script|<link|<img|src=|@import|url\(/);
  });

  const escaped = (text: string): string =>
    text.replaceAll("&", "&amp;").replaceAll("'", "&#39;").replaceAll('"', "&quot;");
});

/** The tables that hold a row with one of the ids in it, from the embedded database itself. */
async function rowsAbout(...ids: string[]): Promise<string[]> {
  const tables: string[] = [];
  for (const file of databaseFilesIn(router.stateDir).filter((each) => each.endsWith(".sqlite"))) {
    const client = createClient({ url: `file:${file}` });
    const { rows } = await client.execute("select name from sqlite_master where type = 'table'");
    for (const { name } of rows) {
      if (String(name).startsWith("_cf")) continue;
      const all = await client.execute(`select * from "${String(name)}"`);
      const text = JSON.stringify(all.rows);
      if (ids.some((id) => text.includes(id))) tables.push(String(name));
    }
    client.close();
  }
  return tables.toSorted();
}
