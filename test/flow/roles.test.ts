/** Each role against each action of the admin API, as the OpenAPI document lists them. */
import { beforeAll, describe, expect, it } from "vitest";
import { adminOf, asking, openSession, type Answered } from "../fakes/caller.ts";
import { openApiDocument } from "../fakes/openapi-document.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { undocumented } from "../fakes/undocumented.ts";
import {
  endpoints,
  expectProblem,
  fill,
  operationsOf,
  tenantWithKeys,
  type Tenant,
} from "./isolation.ts";

const roles = ["viewer", "auditor", "approver", "admin"] as const;
type Role = (typeof roles)[number];

/** The rule in words of the contract, and not in those of the code. */
function mayCall(role: Role, operation: string): boolean {
  if (role === "admin") return true;
  if (/\/(seals|requests\/export)$/.test(operation)) return role === "auditor";
  if (/^(?:GET|POST) .*\/approvals\/\{id\}$/.test(operation)) return role === "approver";
  return operation.startsWith("GET ") || /\/(replay|dry-run)$/.test(operation);
}

const isOperators = (operation: string): boolean =>
  endpoints[operation]?.reach === "operator" || endpoints[operation]?.operatorOnly === true;

interface Described {
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}
const document = await openApiDocument();
const operations = operationsOf(document);

let router: SharedRouter;
let tenant: Tenant;
const keys: Partial<Record<Role, string>> = {};
const keyOf = async (scopes: string[]): Promise<Answered> =>
  adminOf(router, router.adminToken)("POST", `/tenants/${tenant.slug}/keys`, {
    name: scopes.join(" "),
    scopes,
  });

beforeAll(async () => {
  router = await borrowRouter();
  tenant = await tenantWithKeys(router, "roles");
  for (const role of roles) {
    const made = await keyOf([role]);
    expect(made.status).toBe(201);
    keys[role] = String(made.get("key"));
  }
});

it("is a test of every operation that there is", () => {
  expect(operations.toSorted()).toEqual(Object.keys(endpoints).toSorted());
  expect(operations.length).toBeGreaterThan(40);
});

describe.each(operations)("%s", (operation) => {
  const entry = endpoints[operation];
  const [method = "", path = ""] = operation.split(" ");

  it.each(roles)("by the role %s", async (role) => {
    const { params, body } = (await entry?.target?.(tenant, router)) ?? {};
    const filled = fill(path, { ...params, tenant: tenant.slug });
    const answer = await adminOf(router, keys[role] ?? "")(method, filled, body);
    if (mayCall(role, operation) && !isOperators(operation))
      expect([answer.status, answer.text]).toEqual([
        entry?.opensWith ?? entry?.status,
        answer.text,
      ]);
    else expectProblem(answer, 403, "forbidden");
  });

  it("names its roles in the document, and whether it is the operator's alone", () => {
    const { paths } = document as { paths: Record<string, Record<string, object>> };
    const described = paths[`/admin/v1${path}`]?.[method.toLowerCase()];
    expect(described).toMatchObject({
      "x-roles": roles.filter((role) => mayCall(role, operation)),
      "x-reach": isOperators(operation) ? "operator" : "tenant",
    });
  });
});

/** After the roles have made things of every kind. */
it("answers nothing that the document does not name", async () => {
  const admin = adminOf(router, router.adminToken);
  const { paths } = document as { paths: Record<string, Record<string, Described>> };
  const found: string[] = [];
  for (const operation of operations.filter((each) => each.startsWith("GET "))) {
    const path = operation.slice("GET ".length);
    const content = paths[`/admin/v1${path}`]?.["get"]?.responses["200"]?.content;
    const schema = content?.["application/json"]?.schema;
    if (schema === undefined) continue;
    const { params } = (await endpoints[operation]?.target?.(tenant, router)) ?? {};
    const answer = await admin("GET", fill(path, { ...params, tenant: tenant.slug }));
    expect([operation, answer.status]).toEqual([operation, 200]);
    const unnamed = undocumented(document, { schemas: [schema], value: answer.body });
    found.push(...new Set(unnamed.map((member) => `${operation} ${member}`)));
  }
  expect(found).toEqual([]);
});

it("a key that was cut off is an unknown key", async () => {
  const answer = await adminOf(router, "srk_wrong")("GET", "/tenants");
  expect(answer.get("detail")).toBe("Unauthorized: Unknown API key.");
});

it("a token of no form is neither the operator's token nor an API key", async () => {
  const answer = await adminOf(router, "wrong")("GET", "/tenants");
  expect(answer.get("detail")).toBe(
    "Unauthorized: Neither the operator's token nor an API key, which begins with srk_.",
  );
});

it("captured content is the admin's alone to read", async () => {
  const admin = adminOf(router, router.adminToken);
  const policy = { capture: "full" };
  const put = await admin("PUT", `/tenants/${tenant.slug}/policy`, policy);
  expect([put.status, put.text]).toEqual([200, put.text]);
  const session = await openSession(router, tenant.keys.sampling);
  const answer = await session.sample(asking("a secret of the tenant's"));
  const id = answer.headers.get("x-request-id") ?? "";
  for (const role of roles) {
    const read = await adminOf(router, keys[role] ?? "")(
      "GET",
      `/tenants/${tenant.slug}/requests/${id}`,
    );
    expect([role, read.status, read.text.includes("a secret of the tenant's")]).toEqual([
      role,
      200,
      role === "admin",
    ]);
  }
});

describe("a key", () => {
  it("has one role at most, and tenant-admin is the admin's older name", async () => {
    expect((await keyOf(["sampling", "auditor"])).status).toBe(201);
    expect((await keyOf(["admin", "tenant-admin"])).status).toBe(201);
    for (const scopes of [
      ["viewer", "auditor"],
      ["approver", "tenant-admin"],
      ["sampling", "viewer", "admin"],
    ]) {
      const refused = await keyOf(scopes);
      expectProblem(refused, 400, "invalid_params");
      expect([refused.get("path"), refused.get("detail")]).toEqual([
        "scopes",
        expect.stringContaining("At most one role"),
      ]);
    }
  });

  it("with a role alone samples nothing", async () => {
    for (const role of roles) {
      const answer = await fetch(`${router.url}/v1/route`, {
        method: "POST",
        headers: { Authorization: `Bearer ${keys[role] ?? ""}` },
        body: JSON.stringify(asking("hello")),
      });
      expect([role, answer.status]).toEqual([role, 403]);
    }
  });

  it("sees the path of a webhook only where the role may change a policy", async () => {
    const operator = adminOf(router, router.adminToken);
    const path = `/tenants/${tenant.slug}`;
    const secret = "T000/B000/canary";
    const webhookUrl = `https://hooks.example.com/${secret}?token=canary`;
    await operator("PATCH", `${path}/policy`, { alerts: { receivers: [{ webhookUrl }] } });
    const rule = { mode: "request", webhookUrl };
    await operator("POST", `${path}/servers`, {
      slug: "hooked",
      url: "https://mcp.example.com/mcp",
      sampling: "router",
      policy: { approval: rule },
    });
    for (const role of roles)
      for (const shown of ["", "/policy", "/servers", "/servers/hooked", "/events", "/webhooks"]) {
        const { status, text } = await adminOf(router, keys[role] ?? "")("GET", path + shown);
        expect([role, shown, status]).toEqual([role, shown, 200]);
        const isThere = role === "admin" && shown !== "/webhooks" && /hooks\.example/.test(text);
        expect([role, shown, text.includes("canary")]).toEqual([role, shown, isThere]);
        if (shown.startsWith("/servers") || shown === "/policy")
          expect(text).toContain("https://hooks.example.com/");
      }
    await operator("DELETE", `${path}/servers/hooked`);
    await operator("PATCH", `${path}/policy`, { alerts: null });
  });

  it("with a role signs in to the console as that role, and its cookie may no more", async () => {
    const signedIn = await fetch(`${router.url}/console/session`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: router.url },
      body: JSON.stringify({ key: keys.viewer }),
    });
    const { csrf, actor } = (await signedIn.json()) as { csrf: string; actor: object };
    expect(actor).toEqual({
      kind: "key",
      id: expect.stringMatching(/^key_/),
      role: "viewer",
      name: "viewer",
      tenant: tenant.slug,
    });
    const headers = {
      Cookie: signedIn.headers.get("set-cookie")?.split(";")[0] ?? "",
      Origin: router.url,
      "X-CSRF-Token": csrf,
      "Content-Type": "application/json",
    };
    const at = `${router.url}/admin/v1/tenants/${tenant.slug}`;
    expect((await fetch(at, { headers })).status).toBe(200);
    const change = { method: "PATCH", headers, body: JSON.stringify({ name: "Viewed" }) };
    expect((await fetch(at, change)).status).toBe(403);
  });
});
