/** What all operations of the REST API share: queries, methods, times, money, and their own document. */
import addFormats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, it } from "vitest";
import { withOwnResponses } from "../fakes/openapi-document.ts";
import { adminOf, asking, callOnce, createTenant, type Answered } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { expectProblem, fill } from "./isolation.ts";

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  parameters?: { name: string; in: string }[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}
interface Document {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: object;
}

let router: SharedRouter;
let key: string;
let document: Document;
let admin: ReturnType<typeof adminOf>;

beforeAll(async () => {
  router = await borrowRouter();
  admin = adminOf(router, router.adminToken);
  ({ key } = await createTenant(router, "api", { provider: "demo" }));
  const answer = await fetch(`${router.url}/admin/v1/openapi.json`);
  document = withOwnResponses((await answer.json()) as Document);
  for (const text of ["one", "two"])
    expect((await callOnce(router, key, asking(text))).get("result")).toBeDefined();
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
/** A value for every parameter in a path, of things that exist or could. */
const values = { tenant: "api", id: "x", server: "x", provider: "demo", model: "x" };
const lengthOf = (answer: Answered): number => (answer.get("data") as unknown[]).length;

describe("a query", () => {
  it("with a misspelt filter is refused and not ignored, so that nobody exports everything", async () => {
    const misspelt = await admin("GET", "/tenants/api/requests/export?outcom=failed");
    expectProblem(misspelt, 400, "invalid_params");
    expect(misspelt.get("path")).toBe("outcom");
  });

  it("with an unknown parameter is refused by every operation", async () => {
    const all = operations().filter(({ path }) => path.startsWith("/admin/v1"));
    expect(all.length).toBeGreaterThan(35);
    for (const { path, method, operation } of all) {
      const target = `${fill(path, values).slice("/admin/v1".length)}?nobody=1`;
      // Queries are read before bodies are.
      const body = ["post", "put", "patch"].includes(method) ? {} : undefined;
      const answer = await admin(method.toUpperCase(), target, body);
      expect([operation.operationId, answer.status, answer.get("path")]).toEqual([
        operation.operationId,
        400,
        "nobody",
      ]);
    }
  });

  it("that gives one filter twice is refused", async () => {
    expectProblem(
      await admin("GET", "/tenants/api/requests?outcome=failed&outcome=refused"),
      400,
      "invalid_params",
    );
  });
});

describe("a method that a path doesn't have", () => {
  const allMethods = ["get", "post", "put", "patch", "delete"];

  it("is 405 with the methods that there are, on every path of the document", async () => {
    for (const [path, item] of Object.entries(document.paths)) {
      const wrong = allMethods.filter((method) => item[method] === undefined);
      for (const method of wrong) {
        const response = await fetch(`${router.url}${fill(path, values)}`, {
          method: method.toUpperCase(),
          headers: { Authorization: `Bearer ${router.adminToken}`, "Content-Type": "text/plain" },
        });
        const allow = (response.headers.get("allow") ?? "").toLowerCase().split(", ");
        expect([method, path, response.status]).toEqual([method, path, 405]);
        expect(allow.toSorted()).toEqual(
          // `/requests/export` is also a path that could name a request.
          expect.arrayContaining(allMethods.filter((each) => item[each] !== undefined).toSorted()),
        );
        expect(allow).not.toContain(method);
      }
    }
  });

  it.each([
    ["POST", "/health", "GET"],
    ["PUT", "/console", "GET"],
    ["DELETE", "/.well-known/sampling-router/audit-keys.json", "GET"],
    ["GET", "/v1/route", "POST"],
    ["PATCH", "/admin/v1/openapi.json", "GET"],
  ])("is 405 for %s %s, with Allow: %s", async (method, path, allow) => {
    const response = await fetch(`${router.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${router.adminToken}` },
    });
    expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
  });

  it("stays 404 where there is no such path", async () => {
    expectProblem(await admin("POST", "/nothing/here", {}), 404, "not_found");
  });
});

describe("a time", () => {
  const countFrom = async (from: string): Promise<number> =>
    lengthOf(await admin("GET", `/tenants/api/requests?from=${from}`));

  it.each([
    ["ms since the epoch", (at: Date) => String(at.getTime())],
    ["ISO 8601 in UTC", (at: Date) => at.toISOString()],
    ["ISO 8601 without a fraction", (at: Date) => `${at.toISOString().slice(0, 19)}Z`],
    ["ISO 8601 without seconds", (at: Date) => `${at.toISOString().slice(0, 16)}Z`],
    [
      "ISO 8601 in another zone, unencoded plus and all",
      (at: Date) => `${new Date(at.getTime() + 3_600_000).toISOString().slice(0, 19)}+01:00`,
    ],
  ])("comes as %s", async (_, spelt) => {
    expect(await countFrom(spelt(new Date(Date.now() - 600_000)))).toBe(2);
    expect(await countFrom(spelt(new Date(Date.now() + 600_000)))).toBe(0);
  });

  it("comes as a date, which begins at midnight UTC", async () => {
    const dayMs = 86_400_000;
    const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    expect(await countFrom(day(Date.now() - dayMs))).toBe(2);
    expect(await countFrom(day(Date.now() + dayMs))).toBe(0);
  });

  it.each([
    "yesterday",
    "",
    "1.5",
    "-1",
    "2026-02-30",
    "2026-11-21T25:00:00Z",
    // Without a zone, this could be any nine o'clock.
    "2026-11-21T09:00:00",
    "1969-12-31",
    "9999999999999999",
  ])("is not %j", async (from) => {
    const answer = await admin("GET", `/tenants/api/usage?from=${from}`);
    expectProblem(answer, 400, "invalid_params");
    expect(answer.get("path")).toBe("from");
  });

  it("in a body is read the same way, and answered as ms", async () => {
    const create = async (expiresAt: unknown) =>
      admin("POST", "/tenants/api/keys", { name: "k", scopes: ["sampling"], expiresAt });
    expect((await create("2100-01-01T01:00:00+01:00")).get("expiresAt")).toBe(4_102_444_800_000);
    expect((await create(4_102_444_800_000)).get("expiresAt")).toBe(4_102_444_800_000);
    expect((await create(null)).get("expiresAt")).toBeNull();
    expectProblem(await create("soon"), 400, "invalid_params");
  });
});

describe("money", () => {
  it("is USD in usage and in records", async () => {
    const priced = { inputUsdPerMTok: 1_000, outputUsdPerMTok: 1_000 };
    await admin("PUT", "/tenants/api/models/demo/demo-large", priced);
    const hinted = { modelPreferences: { hints: [{ name: "demo-large" }] } };
    const answer = await callOnce(router, key, asking("three", hinted));
    const costUsd = Number(
      answer.get("result._meta")?.["sampling-router/decision" as never]?.["costUsd"],
    );
    expect(costUsd).toBeGreaterThan(0);
    const [newest] = (await admin("GET", "/tenants/api/requests?limit=1")).get("data") as object[];
    expect(newest).toMatchObject({ costUsd, costMicroUsd: Math.round(costUsd * 1e6) });
    const rows = (await admin("GET", "/tenants/api/usage?bucket=day")).get("data") as object[];
    const total = rows.reduce((sum, row) => sum + (row as { costUsd: number }).costUsd, 0);
    expect(total).toBeCloseTo(costUsd, 9);
    expect(JSON.stringify(rows)).not.toContain("MicroUsd");
  });
});

describe("a list", () => {
  it("is CSV where the caller asks for it, wherever the description offers that", async () => {
    const lists = operations().filter(
      ({ method, operation }) =>
        method === "get" &&
        operation.operationId !== "exportRequests" &&
        operation.parameters?.some(({ name }) => name === "format"),
    );
    const ids = lists.map(({ operation }) => operation.operationId);
    expect(ids).toEqual(
      expect.arrayContaining(["readUsage", "listEvents", "listKeys", "readLimits", "listTenants"]),
    );
    for (const { path, operation } of lists) {
      const target = fill(path, values).slice("/admin/v1".length);
      const answer = await admin("GET", `${target}?format=csv`);
      expect([operation.operationId, answer.status, answer.headers.get("content-type")]).toEqual([
        operation.operationId,
        200,
        "text/csv; charset=utf-8",
      ]);
      const accepted = await admin("GET", target, undefined, { Accept: "text/csv" });
      expect(accepted.text.split("\r\n")[0]).toBe(answer.text.split("\r\n")[0]);
    }
  });

  it("gives a spreadsheet no formula in CSV", async () => {
    await admin("POST", "/tenants/api/keys", { name: '=cmd|"x"', scopes: ["sampling"] });
    const answer = await admin("GET", "/tenants/api/keys?format=csv");
    expect(answer.text).toContain(`"'=cmd|""x""",`);
    expect((await admin("GET", "/tenants/api/keys?format=xlsx")).status).toBe(400);
  });
});

describe("openapi.json", () => {
  it("names this server, whole paths, and every operation once", () => {
    expect(document.servers).toEqual([{ url: router.url }]);
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations()) {
      expect(path).toMatch(/^\/(admin\/v1|v1|t|console)\//);
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
      expect(operation.summary).toMatch(/\S/);
      expect(operation.description).toMatch(/\S.*\.$/);
      expect(operation.description).not.toBe(operation.summary);
    }
    expect(ids).toEqual(expect.arrayContaining(["routeSampling", "sample"]));
  });

  /** The answer is one that the document describes for the operation. */
  const check = (path: string, method: string, answer: Answered): void => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const content = document.paths[path]?.[method]?.responses[String(answer.status)]?.content;
    const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
    const media = content?.[type];
    expect([path, answer.status, type, media]).toEqual([
      path,
      answer.status,
      type,
      expect.anything(),
    ]);
    const fits = ajv.validate({ ...media?.schema, components: document.components }, answer.body);
    expect([path, fits, ajv.errors]).toEqual([path, true, null]);
  };
  const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${router.url}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
      body,
    });
    const parsed = (await response.json()) as unknown;
    return { status: response.status, headers: response.headers, body: parsed } as Answered;
  };

  it("describes the real answers: each fits its schema", async () => {
    const refused = await callOnce(router, key, asking("hello", { maxTokens: 1e9 }));
    check("/v1/sampling", "post", refused);
    const admins = "/admin/v1/tenants/{tenant}";
    for (const path of [
      "",
      "/keys",
      "/credentials",
      "/models",
      "/requests",
      "/usage",
      "/policy",
      "/seals",
    ])
      check(`${admins}${path}`, "get", await admin("GET", `/tenants/api${path}`));
    check(`${admins}/usage`, "get", await admin("GET", "/tenants/api/usage?from=x"));
    check("/v1/sampling", "post", await callOnce(router, key, asking("four")));
    check("/v1/sampling", "post", await callOnce(router, key, { maxTokens: 0 }));
    check("/v1/route", "post", await post("/v1/route", JSON.stringify(asking("five"))));
    check("/v1/route", "post", await post("/v1/route", '{"maxTokens":0}'));
  });

  it.each([
    ["/v1/sampling", 403, { Origin: "https://elsewhere.example" }],
    ["/v1/sampling", 406, { Accept: "text/html" }],
    ["/v1/sampling", 415, { "Content-Type": "text/plain" }],
    ["/v1/sampling/{tenant}", 403, { Origin: "https://elsewhere.example" }],
    ["/v1/route", 403, { Origin: "https://elsewhere.example" }],
    ["/v1/route", 404, { "Mcp-Session-Id": "nobody" }],
  ])("describes that %s answers %i to %j", async (path, status, headers) => {
    const body = JSON.stringify(asking("hello"));
    const answer = await post(fill(path, values), body, headers);
    expect(answer.status).toBe(status);
    check(path, "post", answer);
  });

  it.each(["/v1/sampling", "/v1/route"])(
    "describes that %s answers 413 to a body that is too large",
    async (path) => {
      const answer = await post(path, " ".repeat(13 * 1024 * 1024));
      expect(answer.status).toBe(413);
      check(path, "post", answer);
    },
  );
});
