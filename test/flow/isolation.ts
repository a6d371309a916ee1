/**
 * The checks that keep strangers out, written once and demanded of every endpoint: all operations of the admin
 * API, and `/v1`. A documented operation without an entry here fails the suite.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, at, openSession, type Answered } from "../fakes/caller.ts";
import type { SharedRouter } from "../fakes/shared-router.ts";
import { openRows, type RowsOfTenants } from "../fakes/tenant-rows.ts";

type Admin = ReturnType<typeof adminOf>;

/** One tenant with a key of every kind. */
export interface Tenant {
  slug: string;
  id: string;
  /** its own administrator */
  admin: Admin;
  keys: Record<KeyKind, string>;
}

const keyKinds = {
  sampling: { scopes: ["sampling"] },
  "another sampling": { scopes: ["sampling"] },
  models: { scopes: ["models"] },
  "tenant-admin": { scopes: ["tenant-admin"] },
  revoked: { scopes: ["sampling", "tenant-admin"] },
  expired: { scopes: ["sampling", "tenant-admin"] },
} as const;
type KeyKind = keyof typeof keyKinds;

export interface Target {
  params?: Record<string, string>;
  body?: unknown;
}

export interface Entry {
  /** `tenant`: the path names the tenant. `operator`: beyond any tenant. `own`: whatever the caller sees. */
  reach: "tenant" | "operator" | "own";
  /** HTTP status of a success */
  status: number;
  /** HTTP status that those get here, in place of a success, to whom the endpoint is open */
  opensWith?: number;
  /** not even the tenant's own administrator may call it */
  operatorOnly?: true;
  /** A new thing to act on, and a body that would be accepted. */
  target?: (tenant: Tenant, router: SharedRouter) => Promise<Target>;
}

const idOf = async (made: Promise<Answered>): Promise<string> => {
  const answer = await made;
  expect(answer.status).toBe(201);
  return String(answer.get("id"));
};
const newKey = (tenant: Tenant) =>
  idOf(tenant.admin("POST", `/tenants/${tenant.slug}/keys`, keyBody()));
const newCredential = (tenant: Tenant) =>
  idOf(tenant.admin("POST", `/tenants/${tenant.slug}/credentials`, credentialBody()));
const newSession = async (tenant: Tenant, router: SharedRouter): Promise<string> =>
  (await openSession(router, tenant.keys.sampling)).sessionId ?? "";
const newRequest = async (tenant: Tenant, router: SharedRouter): Promise<string> => {
  const session = await openSession(router, tenant.keys.sampling);
  const answer = await session.sample(asking("hello"));
  expect(answer.text).toContain('"result"');
  return answer.headers.get("x-request-id") ?? "";
};
const signInOf = (clientId: string) => ({
  kind: "openid-connect",
  issuer: "https://id.test",
  clientId,
  claim: "groups",
  roles: { team: "viewer" },
});
const triedSignIn = () => ({
  settings: signInOf("tried"),
  pending: { state: "trial.a", nonce: "b", verifier: "c" },
  query: "code=a&state=trial.a",
});
const newSignIn = async (tenant: Tenant, _router: SharedRouter): Promise<void> => {
  const put = await tenant.admin("PUT", `/tenants/${tenant.slug}/sign-in`, signInOf("made"));
  expect(put.status).toBe(200);
};
const newApproval = async (
  tenant: Tenant,
  router: SharedRouter,
): Promise<{ id: string; contentHash: string }> => {
  const session = await openSession(router, tenant.keys.sampling);
  const path = `/tenants/${tenant.slug}`;
  await tenant.admin("PATCH", `${path}/policy`, { approval: { mode: "request" } });
  const message = { jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: asking("?") };
  const answer = await session.send(JSON.stringify(message), { Prefer: "wait=0" });
  await tenant.admin("PATCH", `${path}/policy`, { approval: null });
  const id = String(answer.get("error.data.requestId"));
  const shown = await tenant.admin("GET", `${path}/approvals/${id}`);
  expect(shown.get("state")).toBe("waiting");
  return { id, contentHash: String(shown.get("contentHash")) };
};
const userBody = () => ({ issuer: "https://id.test", subject: randomUUID() });
const newUser = async (tenant: Tenant): Promise<string> =>
  String((await tenant.admin("POST", `/tenants/${tenant.slug}/users`, userBody())).get("id"));
const newOverride = async (tenant: Tenant): Promise<Record<string, string>> => {
  const model = `@mine/${randomUUID()}`;
  const path = `/tenants/${tenant.slug}/models/demo/${encodeURIComponent(model)}`;
  expect((await tenant.admin("PUT", path, { speed: 1 })).status).toBe(200);
  return { provider: "demo", model };
};

const newServer = async (tenant: Tenant, more: object = {}): Promise<string> => {
  const body = { ...serverBody(), ...more };
  await idOf(tenant.admin("POST", `/tenants/${tenant.slug}/servers`, body));
  return body.slug;
};

/** An address at which nothing listens. */
const nowhere = { url: "http://127.0.0.1:1/mcp" };
const byCode = {
  ...nowhere,
  oauth: {
    grant: "authorization_code",
    clientId: "suite",
    tokenEndpoint: "http://127.0.0.1:1/token",
    authorizationEndpoint: "http://127.0.0.1:1/authorize",
  },
};
const serverBody = () => ({
  slug: `s-${randomUUID()}`,
  url: "https://server.test/mcp",
  sampling: "router",
});
const keyBody = () => ({ name: "made by the suite", scopes: ["sampling"] });
const credentialBody = () => ({ provider: "demo", name: "made by the suite", apiKey: "x" });

/** Every operation of the admin API, as its OpenAPI document spells it. */
export const endpoints: Record<string, Entry> = {
  "POST /tenants": {
    reach: "operator",
    status: 201,
    target: async () => ({ body: { slug: `made-${randomUUID()}`, name: "Made" } }),
  },
  "GET /tenants": { reach: "own", status: 200 },
  "GET /tenants/{tenant}": { reach: "tenant", status: 200 },
  "PATCH /tenants/{tenant}": {
    reach: "tenant",
    status: 200,
    target: async () => ({ body: { name: randomUUID() } }),
  },
  "DELETE /tenants/{tenant}": { reach: "tenant", status: 204, operatorOnly: true },
  "GET /tenants/{tenant}/policy": { reach: "tenant", status: 200 },
  "PUT /tenants/{tenant}/policy": {
    reach: "tenant",
    status: 200,
    target: async () => ({ body: { maxTokens: 100 + Math.floor(Math.random() * 1e6) } }),
  },
  "GET /tenants/{tenant}/ceiling": { reach: "tenant", status: 200, operatorOnly: true },
  "PUT /tenants/{tenant}/ceiling": {
    reach: "tenant",
    status: 200,
    operatorOnly: true,
    target: async () => ({
      body: { limits: { concurrent: 100 + Math.floor(Math.random() * 1e6) } },
    }),
  },
  "PATCH /tenants/{tenant}/policy": {
    reach: "tenant",
    status: 200,
    target: async () => ({ body: { maxTokens: 100 + Math.floor(Math.random() * 1e6) } }),
  },
  "POST /tenants/{tenant}/keys": {
    reach: "tenant",
    status: 201,
    target: async () => ({ body: keyBody() }),
  },
  "GET /tenants/{tenant}/keys": { reach: "tenant", status: 200 },
  "GET /tenants/{tenant}/keys/{id}": {
    reach: "tenant",
    status: 200,
    target: async (tenant) => ({ params: { id: await newKey(tenant) } }),
  },
  "PATCH /tenants/{tenant}/keys/{id}": {
    reach: "tenant",
    status: 200,
    target: async (tenant) => ({
      params: { id: await newKey(tenant) },
      body: { name: randomUUID() },
    }),
  },
  "DELETE /tenants/{tenant}/keys/{id}": {
    reach: "tenant",
    status: 204,
    target: async (tenant) => ({ params: { id: await newKey(tenant) } }),
  },
  "POST /tenants/{tenant}/keys/{id}/rotate": {
    reach: "tenant",
    status: 200,
    target: async (tenant) => ({ params: { id: await newKey(tenant) } }),
  },
  "POST /tenants/{tenant}/credentials": {
    reach: "tenant",
    status: 201,
    target: async () => ({ body: credentialBody() }),
  },
  "GET /tenants/{tenant}/credentials": { reach: "tenant", status: 200 },
  "GET /tenants/{tenant}/credentials/{id}": {
    reach: "tenant",
    status: 200,
    target: async (tenant) => ({ params: { id: await newCredential(tenant) } }),
  },
  "PATCH /tenants/{tenant}/credentials/{id}": {
    reach: "tenant",
    status: 200,
    target: async (tenant) => ({
      params: { id: await newCredential(tenant) },
      body: { name: randomUUID() },
    }),
  },
  "DELETE /tenants/{tenant}/credentials/{id}": {
    reach: "tenant",
    status: 204,
    target: async (tenant) => ({ params: { id: await newCredential(tenant) } }),
  },
  "POST /tenants/{tenant}/credentials/{id}/check": {
    reach: "tenant",
    status: 200,
    target: async (tenant) => ({ params: { id: await newCredential(tenant) } }),
  },
  "GET /tenants/{tenant}/models": { reach: "tenant", status: 200 },
  "PUT /tenants/{tenant}/models/{provider}/{model}": {
    reach: "tenant",
    status: 200,
    target: async () => ({
      params: { provider: "demo", model: `@mine/${randomUUID()}` },
      body: { speed: 2 },
    }),
  },
  "DELETE /tenants/{tenant}/models/{provider}/{model}": {
    reach: "tenant",
    status: 204,
    target: async (tenant) => ({ params: await newOverride(tenant) }),
  },
  "POST /tenants/{tenant}/servers": {
    reach: "tenant",
    status: 201,
    target: async () => ({ body: serverBody() }),
  },
  "GET /tenants/{tenant}/servers": { reach: "tenant", status: 200 },
  "GET /tenants/{tenant}/servers/{server}": {
    reach: "tenant",
    status: 200,
    target: async (tenant) => ({ params: { server: await newServer(tenant) } }),
  },
  "PATCH /tenants/{tenant}/servers/{server}": {
    reach: "tenant",
    status: 200,
    target: async (tenant) => ({
      params: { server: await newServer(tenant) },
      body: { url: `https://${randomUUID()}.test/mcp` },
    }),
  },
  "DELETE /tenants/{tenant}/servers/{server}": {
    reach: "tenant",
    status: 204,
    target: async (tenant) => ({ params: { server: await newServer(tenant) } }),
  },
  "POST /tenants/{tenant}/servers/{server}/authorize": {
    reach: "tenant",
    status: 200,
    target: async (tenant) => ({ params: { server: await newServer(tenant, byCode) } }),
  },
  "POST /tenants/{tenant}/servers/{server}/check": {
    reach: "tenant",
    status: 200,
    target: async (tenant) => ({ params: { server: await newServer(tenant, nowhere) } }),
  },
  "GET /tenants/{tenant}/servers/{server}/install": {
    reach: "tenant",
    status: 200,
    target: async (tenant) => ({ params: { server: await newServer(tenant) } }),
  },
  "GET /tenants/{tenant}/sessions": { reach: "tenant", status: 200 },
  "DELETE /tenants/{tenant}/sessions/{id}": {
    reach: "tenant",
    status: 204,
    target: async (tenant, router) => ({ params: { id: await newSession(tenant, router) } }),
  },
  "GET /tenants/{tenant}/events": { reach: "tenant", status: 200 },
  "GET /tenants/{tenant}/requests": { reach: "tenant", status: 200 },
  "GET /tenants/{tenant}/requests/stream": { reach: "tenant", status: 200 },
  "GET /tenants/{tenant}/requests/{id}": {
    reach: "tenant",
    status: 200,
    target: async (tenant, router) => ({ params: { id: await newRequest(tenant, router) } }),
  },
  "GET /tenants/{tenant}/sign-in": {
    reach: "tenant",
    status: 200,
    target: async (tenant, router) => {
      await newSignIn(tenant, router);
      return {};
    },
  },
  "PUT /tenants/{tenant}/sign-in": {
    reach: "tenant",
    status: 200,
    target: async () => ({ body: signInOf("set") }),
  },
  "DELETE /tenants/{tenant}/sign-in": {
    reach: "tenant",
    status: 204,
    target: async (tenant, router) => {
      await newSignIn(tenant, router);
      return {};
    },
  },
  // Nothing answers at the issuer.
  "POST /tenants/{tenant}/sign-in/trial": {
    reach: "tenant",
    status: 200,
    opensWith: 400,
    target: async () => ({ body: signInOf("tried") }),
  },
  "POST /tenants/{tenant}/sign-in/trial/result": {
    reach: "tenant",
    status: 200,
    target: async () => ({ body: triedSignIn() }),
  },
  "POST /tenants/{tenant}/policy/dry-run": {
    reach: "tenant",
    status: 200,
    target: async () => ({ body: { policy: { deniedModels: ["*"] } } }),
  },
  "POST /tenants/{tenant}/requests/{id}/replay": {
    reach: "tenant",
    status: 200,
    target: async (tenant, router) => ({ params: { id: await newRequest(tenant, router) } }),
  },
  "POST /tenants/{tenant}/requests/{id}/correct": {
    reach: "tenant",
    status: 200,
    // The request isn't a lost one, and only the operator gets as far as that refusal.
    opensWith: 409,
    operatorOnly: true,
    target: async (tenant, router) => ({
      params: { id: await newRequest(tenant, router) },
      body: {
        outcome: "succeeded",
        inputTokens: 1,
        outputTokens: 2,
        costUsd: 0.25,
        reason: "made by the suite",
      },
    }),
  },
  "GET /tenants/{tenant}/limits": { reach: "tenant", status: 200 },
  "GET /tenants/{tenant}/usage": { reach: "tenant", status: 200 },
  "GET /tenants/{tenant}/usage/top": { reach: "tenant", status: 200 },
  "GET /tenants/{tenant}/approvals": { reach: "tenant", status: 200 },
  "GET /tenants/{tenant}/approvals/{id}": {
    reach: "tenant",
    status: 200,
    target: async (tenant, router) => ({ params: { id: (await newApproval(tenant, router)).id } }),
  },
  "POST /tenants/{tenant}/approvals/{id}": {
    reach: "tenant",
    status: 200,
    target: async (tenant, router) => {
      const { id, contentHash } = await newApproval(tenant, router);
      return { params: { id }, body: { decision: "deny", contentHash } };
    },
  },
  "GET /tenants/{tenant}/alerts": { reach: "tenant", status: 200 },
  "POST /tenants/{tenant}/alerts/test": {
    reach: "tenant",
    status: 200,
    target: async () => ({ body: { webhookUrl: "https://127.0.0.1:1/" } }),
  },
  // This router issues no tokens: test/flow/oauth-server.test.ts has grants, and another tenant that asks for them.
  "GET /tenants/{tenant}/grants": { reach: "tenant", status: 200 },
  "DELETE /tenants/{tenant}/grants/{id}": {
    reach: "tenant",
    status: 204,
    opensWith: 404,
    target: async () => ({ params: { id: "0123456789abcdef" } }),
  },
  "POST /tenants/{tenant}/users": {
    reach: "tenant",
    status: 200,
    target: async () => ({ body: userBody() }),
  },
  "GET /tenants/{tenant}/users": { reach: "tenant", status: 200 },
  "DELETE /tenants/{tenant}/users/{id}": {
    reach: "tenant",
    status: 204,
    target: async (tenant) => ({ params: { id: await newUser(tenant) } }),
  },
  "GET /tenants/{tenant}/webhooks": { reach: "tenant", status: 200 },
  "POST /tenants/{tenant}/webhooks/secret": { reach: "tenant", status: 201 },
  "GET /tenants/{tenant}/webhooks/headers": { reach: "tenant", status: 200 },
  "PUT /tenants/{tenant}/webhooks/headers": {
    reach: "tenant",
    status: 200,
    target: async () => ({
      body: { url: "https://mail.test/send", name: "Authorization", value: randomUUID() },
    }),
  },
  "GET /tenants/{tenant}/seals": { reach: "tenant", status: 200 },
  "GET /tenants/{tenant}/requests/export": { reach: "tenant", status: 200 },
  "GET /usage": { reach: "operator", status: 200 },
  "GET /events": { reach: "own", status: 200 },
  "GET /catalogue": { reach: "operator", status: 200 },
  // A router that is shared has no file to sync with; `catalogue.test.ts` has the operator sync.
  "POST /catalogue/sync": { reach: "operator", status: 200, opensWith: 409 },
};

const methods = ["get", "post", "put", "patch", "delete"];

/** The operations of an OpenAPI document, spelt as in `endpoints`. */
const adminPath = "/admin/v1";

/** The admin API's operations, below its own path. */
export function operationsOf(document: unknown): string[] {
  const { paths } = document as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths)
    .filter(([path]) => path.startsWith(adminPath))
    .flatMap(([path, item]) =>
      methods
        .filter((method) => item[method] !== undefined)
        .map((method) => `${method.toUpperCase()} ${path.slice(adminPath.length)}`),
    );
}

export const fill = (path: string, params: Record<string, string>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

export async function tenantWithKeys(router: SharedRouter, slug: string): Promise<Tenant> {
  const operator = adminOf(router, router.adminToken);
  const id = await idOf(operator("POST", "/tenants", { slug, name: slug }));
  const path = `/tenants/${slug}`;
  await idOf(operator("POST", `${path}/credentials`, credentialBody()));
  const keys: Partial<Record<KeyKind, string>> = {};
  for (const [kind, about] of Object.entries(keyKinds)) {
    const made = await operator("POST", `${path}/keys`, { name: kind, ...about });
    expect(made.status).toBe(201);
    keys[kind as KeyKind] = String(made.get("key"));
    const its = `${path}/keys/${String(made.get("id"))}`;
    if (kind === "revoked") await operator("DELETE", its);
    // 1970. No key is made with an end in the past.
    if (kind === "expired") await operator("PATCH", its, { expiresAt: 1 });
  }
  const all = keys as Record<KeyKind, string>;
  return { slug, id, keys: all, admin: adminOf(router, all["tenant-admin"]) };
}

/** The key with the same id and another secret. */
const wrongSecret = (key: string): string => `${key.slice(0, -43)}${"A".repeat(43)}`;
const garbage = "not-a-key";

const reasonOf = (answer: Answered): unknown =>
  answer.get("error.data.reason") ?? answer.get("reason");

/** A refusal as problem+json. */
export function expectProblem(answer: Answered, status: number, reason: string): void {
  expect([answer.status, answer.get("reason"), answer.text]).toEqual([status, reason, answer.text]);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(answer.body).toMatchObject({
    type: `urn:sampling-router:refusal:${reason}`,
    title: expect.stringMatching(/\S/) as string,
    status,
    detail: expect.stringMatching(/\S/) as string,
    requestId: answer.headers.get("x-request-id"),
  });
  if (status === 401) expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer /);
}

/** @param start gives the product as it is started; the caller ends it */
export function isolationSuite(start: () => Promise<SharedRouter>): void {
  let router: SharedRouter;
  let operator: Admin;
  let rows: RowsOfTenants;
  let victim: Tenant;
  let stranger: Tenant;

  beforeAll(async () => {
    router = await start();
    operator = adminOf(router, router.adminToken);
    rows = openRows(router.stateDir);
    [victim, stranger] = await Promise.all([
      tenantWithKeys(router, "victim"),
      tenantWithKeys(router, "stranger"),
    ]);
  });
  afterAll(() => rows?.close());

  /** What the database holds once all is done that came before: an answer may go out before its last write. */
  interface Counter {
    subject: string;
    resource: string;
    bucket: number;
  }
  /** The newest bucket of each counter: others are deleted when their window has passed. */
  const withoutPast = (counters: readonly Counter[]): Counter[] =>
    counters.filter(
      ({ subject, resource, bucket }) =>
        !counters.some(
          (other) =>
            other.subject === subject && other.resource === resource && other.bucket > bucket,
        ),
    );

  const stateOf = async (tenant: Tenant): Promise<Record<string, unknown[]>> => {
    await operator("GET", `/tenants/${tenant.slug}/usage?by=key`);
    const state = await rows.of(tenant.id);
    return { ...state, counters: withoutPast((state["counters"] ?? []) as Counter[]) };
  };

  describe("the admin API", () => {
    it("has an entry here for each documented operation, and no other", async () => {
      const document = await fetch(`${router.url}/admin/v1/openapi.json`);
      expect(operationsOf(await document.json()).toSorted()).toEqual(
        Object.keys(endpoints).toSorted(),
      );
    });

    it("is watched where it writes: whatever a call changes is seen here", async () => {
      const seen = async (change: () => Promise<unknown>): Promise<string[]> => {
        const before = await stateOf(victim);
        await change();
        const after = await stateOf(victim);
        return Object.keys(after).filter(
          (table) => JSON.stringify(after[table]) !== JSON.stringify(before[table]),
        );
      };
      expect(await seen(() => newKey(victim))).toEqual(expect.arrayContaining(["api_keys", "log"]));
      expect(await seen(() => newSession(victim, router))).toContain("sessions");
      expect(await seen(() => newRequest(victim, router))).toContain("sampling_requests");
      const path = `/tenants/${victim.slug}`;
      expect(await seen(() => victim.admin("PATCH", path, { name: "Seen" }))).toContain("tenants");
      expect(await seen(() => operator("GET", path))).toEqual([]);
    });

    describe.each(Object.entries(endpoints))("%s", (operation, entry) => {
      const [method = "", path = ""] = operation.split(" ");
      const targetIn = async (tenant: Tenant): Promise<Target> =>
        (await entry.target?.(tenant, router)) ?? {};
      const call = (
        token: string | null,
        slug: string,
        { params, body }: Target,
      ): Promise<Answered> => {
        const filled = fill(path, { ...params, tenant: slug });
        if (token !== null) return adminOf(router, token)(method, filled, body);
        return withoutToken(router, method, `/admin/v1${filled}`, body);
      };

      it("is closed to whoever has no key of the tenant's administrator, and nothing changes", async () => {
        const target = await targetIn(victim);
        const before = await stateOf(victim);
        const { keys } = victim;
        const unauthorized: [string, string | null][] = [
          ["no token", null],
          ["garbage", garbage],
          ["nearly the operator's token", `${router.adminToken}x`],
          ["a wrong secret", wrongSecret(keys["tenant-admin"])],
          ["a revoked key", keys.revoked],
          ["an expired key", keys.expired],
        ];
        for (const [who, token] of unauthorized) {
          const answer = await call(token, victim.slug, target);
          expect([who, answer.status]).toEqual([who, 401]);
          expectProblem(answer, 401, "unauthorized");
        }
        expectProblem(await call(keys.sampling, victim.slug, target), 403, "forbidden");
        expect(await stateOf(victim)).toEqual(before);
      });

      if (entry.reach === "tenant") {
        it("hides a tenant from the administrator of another, and nothing changes", async () => {
          const target = await targetIn(victim);
          const before = await stateOf(victim);
          const foreign = await call(stranger.keys["tenant-admin"], victim.slug, target);
          const unknown = await call(stranger.keys["tenant-admin"], "nobody", target);
          expectProblem(foreign, 404, "not_found");
          // The refusal, to be compared: a tenant that the caller may not see and one that doesn't
          // exist have the same.
          const words = (answer: Answered, slug: string): string =>
            String(answer.get("detail")).replace(slug, "?");
          expect(words(foreign, victim.slug)).toBe(words(unknown, "nobody"));
          expect(await stateOf(victim)).toEqual(before);
        });

        it("knows no unknown tenant", async () => {
          expectProblem(
            await call(router.adminToken, "nobody", await targetIn(victim)),
            404,
            "not_found",
          );
        });
      }

      if (/\{(id|server)\}/.test(path))
        it("finds no object of another tenant under one's own", async () => {
          const target = await targetIn(victim);
          const before = await stateOf(victim);
          expectProblem(
            await call(stranger.keys["tenant-admin"], stranger.slug, target),
            404,
            "not_found",
          );
          expectProblem(await call(router.adminToken, stranger.slug, target), 404, "not_found");
          expect(await stateOf(victim)).toEqual(before);
        });

      if (entry.reach === "operator")
        it("is the operator's, not a tenant's", async () => {
          const target = await targetIn(victim);
          const before = await stateOf(victim);
          expectProblem(
            await call(victim.keys["tenant-admin"], victim.slug, target),
            403,
            "forbidden",
          );
          expect(await stateOf(victim)).toEqual(before);
        });

      if (entry.reach === "own")
        it("shows a tenant its own and no other's", async () => {
          // Both tenants have just done something, so both are on the operator's first page.
          for (const tenant of [victim, stranger])
            await tenant.admin("PATCH", `/tenants/${tenant.slug}`, { name: randomUUID() });
          const all = `${path}?limit=200`;
          const own = await victim.admin(method, all);
          expect(own.text).toContain(victim.id);
          expect(own.text).not.toContain(stranger.id);
          const everything = await operator(method, all);
          for (const { id } of [victim, stranger]) expect(everything.text).toContain(id);
        });

      // Without this test, a misspelt path would pass everything above.
      it("opens to every key that the operation is for", async () => {
        const disposable = await tenantWithKeys(router, `open-${randomUUID()}`);
        if (entry.reach !== "operator") {
          const own = await call(
            disposable.keys["tenant-admin"],
            disposable.slug,
            await targetIn(disposable),
          );
          const opens = entry.opensWith ?? entry.status;
          expect(own.status).toBe(entry.operatorOnly === true ? 403 : opens);
        }
        const target = await targetIn(disposable);
        const answer = await call(router.adminToken, disposable.slug, target);
        expect([answer.status, answer.text]).toEqual([
          entry.opensWith ?? entry.status,
          answer.text,
        ]);
      });
    });
  });

  describe("the doors of /v1", () => {
    /** What each one takes, and whether a session. */
    const doors: Record<string, { session: boolean; open(caller: Coming): Promise<Answered> }> = {
      "POST /v1/sampling, initialize": {
        session: false,
        open: (caller) => message(caller, initialize),
      },
      "POST /v1/sampling, sampling/createMessage in a session": {
        session: true,
        open: (caller) => message(caller, createMessage),
      },
      "POST /v1/sampling, ping": {
        session: true,
        open: (caller) => message(caller, { method: "ping", params: {} }),
      },
      "POST /v1/sampling, a notification": {
        session: true,
        open: (caller) =>
          post(caller, "/v1/sampling", {
            jsonrpc: "2.0",
            method: "notifications/initialized",
          }),
      },
      "POST /v1/sampling/{tenant}, initialize": {
        session: false,
        open: (caller) => message(caller, { ...initialize, path: ofVictim() }),
      },
      "POST /v1/sampling/{tenant}, sampling/createMessage in a session": {
        session: true,
        open: (caller) => message(caller, { ...createMessage, path: ofVictim() }),
      },
      "DELETE /v1/sampling/{tenant}": {
        session: true,
        open: (caller) => arrive(router, "DELETE", ofVictim(), caller),
      },
      "DELETE /v1/sampling": {
        session: true,
        open: (caller) => arrive(router, "DELETE", "/v1/sampling", caller),
      },
      "POST /v1/sampling, server/discover of the modern era": {
        session: false,
        open: (caller) => modern(caller, "server/discover", {}),
      },
      "POST /v1/sampling, sampling/createMessage of the modern era": {
        session: false,
        open: (caller) => modern(caller, "sampling/createMessage", asking("hello")),
      },
      "POST /v1/route": {
        session: false,
        open: (caller) => post(caller, "/v1/route", asking("hello")),
      },
      "POST /v1/route with a session": {
        session: true,
        open: (caller) => post(caller, "/v1/route", asking("hello")),
      },
    };
    const post = (caller: Coming, path: string, body: unknown): Promise<Answered> =>
      arrive(router, "POST", path, caller, body);
    const ofVictim = (): string => `/v1/sampling/${victim.slug}`;
    const message = (
      caller: Coming,
      { path = "/v1/sampling", ...said }: { method: string; params: unknown; path?: string },
    ): Promise<Answered> => post(caller, path, { jsonrpc: "2.0", id: 1, ...said });
    const initialize = {
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: { sampling: {} },
        clientInfo: { name: "suite", version: "1" },
      },
    };
    const createMessage = { method: "sampling/createMessage", params: asking("hello") };
    const modern = (caller: Coming, method: string, params: object): Promise<Answered> =>
      arrive(
        router,
        "POST",
        "/v1/sampling",
        caller,
        {
          jsonrpc: "2.0",
          id: 1,
          method,
          params: {
            ...params,
            _meta: {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
            },
          },
        },
        { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method },
      );

    const sessionOf = async (tenant: Tenant, kind: KeyKind = "sampling"): Promise<string> =>
      (await openSession(router, tenant.keys[kind])).sessionId ?? "";

    const chatBody = { model: "auto", messages: [{ role: "user", content: "Hello." }] };
    /** Each endpoint at a base, which names a tenant or none. */
    const modelDoors: Record<string, (base: string, caller: Coming) => Promise<Answered>> = {
      "POST /v1/chat/completions": (base, caller) =>
        post(caller, `${base}/chat/completions`, chatBody),
      "POST /v1/responses": (base, caller) =>
        post(caller, `${base}/responses`, { model: "auto", input: "Hello." }),
      "POST /v1/messages": (base, caller) =>
        post(caller, `${base}/messages`, { ...chatBody, max_tokens: 50 }),
      "POST /v1/messages/count_tokens": (base, caller) =>
        post(caller, `${base}/messages/count_tokens`, chatBody),
      "GET /v1/models": (base, caller) => arrive(router, "GET", `${base}/models`, caller),
      "GET /v1/models/{id}": (base, caller) => arrive(router, "GET", `${base}/models/auto`, caller),
    };

    it("has an entry for every model endpoint that is documented", async () => {
      const answer = await fetch(`${router.url}/admin/v1/openapi.json`);
      const { paths } = (await answer.json()) as { paths: Record<string, object> };
      const documented = Object.entries(paths)
        .filter(([path]) => !path.startsWith("/admin") && !/route|sampling|console/.test(path))
        .flatMap(([path, item]) =>
          Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
        );
      const both = (name: string): string[] => [name, name.replace("/v1", "/t/{tenant}/v1")];
      expect(Object.keys(modelDoors).flatMap(both).toSorted()).toEqual(documented.toSorted());
    });

    describe.each(Object.entries(modelDoors))("%s", (_name, open) => {
      const with_ = (token: string | null, base = "/v1"): Promise<Answered> =>
        open(base, { token, sessionId: null });
      const reasonAt = (answer: Answered): unknown => at(answer.body, "error.reason");

      it("opens to a key of its scope, below its own tenant too", async () => {
        for (const base of ["/v1", `/t/${victim.slug}/v1`]) {
          const answer = await with_(victim.keys.models, base);
          expect([answer.status, answer.text]).toEqual([200, answer.text]);
        }
      });

      it("is closed to everybody else, and leaves no trace", async () => {
        const before = await stateOf(victim);
        const { keys } = victim;
        for (const token of [
          null,
          garbage,
          router.adminToken,
          wrongSecret(keys.models),
          keys.revoked,
          keys.expired,
        ]) {
          const answer = await with_(token);
          expect([answer.status, reasonAt(answer)]).toEqual([401, "unauthorized"]);
          expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer /);
        }
        for (const token of [keys.sampling, keys["tenant-admin"]])
          expect(reasonAt(await with_(token))).toBe("forbidden");
        const base = `/t/${victim.slug}/v1`;
        const strange = await with_(stranger.keys.models, base);
        expect(reasonAt(strange)).toBe("not_found");
        expect(strange.text).not.toContain(victim.id);
        expect(await stateOf(victim)).toEqual(before);
      });
    });

    it("opens no sampling to a key for the model endpoints", async () => {
      const token = victim.keys.models;
      const answer = await message({ token, sessionId: null }, initialize);
      expect(reasonOf(answer)).toBe("forbidden");
    });

    describe.each(Object.entries(doors))("%s", (name, { session, open }) => {
      // A message without an answer is judged by its status. SDKs read the refusal of a request.
      const answersJsonRpc =
        name.startsWith("POST /v1/sampling") && !name.includes("a notification");

      it("opens to a key of its scope", async () => {
        const token = victim.keys.sampling;
        const sessionId = session ? await sessionOf(victim) : null;
        const answer = await open({ token, sessionId });
        expect([answer.status < 300, reasonOf(answer)]).toEqual([true, undefined]);
      });

      it("is closed without a key of its scope, and leaves no trace", async () => {
        const sessionId = session ? await sessionOf(victim) : null;
        const before = await stateOf(victim);
        const { keys } = victim;
        for (const token of [
          null,
          garbage,
          router.adminToken,
          wrongSecret(keys.sampling),
          keys.revoked,
          keys.expired,
        ]) {
          const answer = await open({ token, sessionId });
          expect([answer.status, reasonOf(answer)]).toEqual([401, "unauthorized"]);
          expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer /);
        }
        const unscoped = await open({ token: keys["tenant-admin"], sessionId });
        expect(reasonOf(unscoped)).toBe("forbidden");
        if (answersJsonRpc)
          expect([unscoped.status, unscoped.get("error.code")]).toEqual([200, -403]);
        else expect(unscoped.status).toBe(403);
        expect(await stateOf(victim)).toEqual(before);
      });

      if (session)
        it("knows no session of another tenant or of another key, though it lives", async () => {
          const sessionId = await sessionOf(victim);
          // Warm: the isolate remembers the session and the strangers.
          await open2xx(router, { token: victim.keys.sampling, sessionId });
          for (const token of [stranger.keys.sampling, victim.keys["another sampling"]])
            await open2xx(router, { token, sessionId: null });
          const before = await stateOf(victim);
          const strangers = await stateOf(stranger);
          for (const token of [stranger.keys.sampling, victim.keys["another sampling"]])
            for (const wrong of [sessionId, "ses_00000000000000000000000000"]) {
              const answer = await open({ token, sessionId: wrong });
              expect([answer.status, reasonOf(answer)]).toEqual([404, "session_not_found"]);
            }
          expect(await stateOf(victim)).toEqual(before);
          expect(await stateOf(stranger)).toEqual(strangers);
          await open2xx(router, { token: victim.keys.sampling, sessionId });
        });
    });
  });
}

interface Coming {
  token: string | null;
  sessionId: string | null;
}

async function arrive(
  { url }: SharedRouter,
  method: string,
  path: string,
  { token, sessionId }: Coming,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      Accept: "application/json",
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(sessionId === null ? {} : { "Mcp-Session-Id": sessionId }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...more,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answeredBy(response);
}

const withoutToken = (router: SharedRouter, method: string, path: string, body: unknown) =>
  arrive(router, method, path, { token: null, sessionId: null }, body);

async function answeredBy(response: Response): Promise<Answered> {
  const text = await response.text();
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    body = null;
  }
  return {
    status: response.status,
    headers: response.headers,
    body,
    text,
    get: (path) => at(body, path),
  };
}

/** A dry run: makes the isolate remember its caller, and leaves nothing behind. */
async function open2xx(router: SharedRouter, caller: Coming): Promise<void> {
  const answer = await arrive(router, "POST", "/v1/route", caller, asking("hello"));
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
}
