/** Bodies that break off, and bodies that are nested too deep: refused, and no fault of the router in its log. */
import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { maxLevels, maxMessageLevels } from "../../src/domain/depth.ts";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { borrowRouter, printedByRouter, type SharedRouter } from "../fakes/shared-router.ts";

let router: SharedRouter;
let key: string;

beforeAll(async () => {
  router = await borrowRouter();
  ({ key } = await createTenant(router, "broken-off", { provider: "demo" }));
});

const json = "application/json";

/** Sends the head and a part of the body, and leaves. */
const breakOff = (head: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(router.url);
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      const [line, ...headers] = head;
      socket.write([line, `Host: ${host}`, ...headers, "", "5\r\n12345\r\n"].join("\r\n"), () =>
        // The router reads the beginning of the body first.
        setImmediate(() => socket.destroy()),
      );
    });
    socket.on("error", reject);
    socket.on("close", () => resolve());
  });

describe("a body that breaks off", () => {
  const lengths = ["Content-Length: 40", "Content-Length: 200000", "Transfer-Encoding: chunked"];
  it.each([
    ["POST /v1/sampling", () => key],
    ["POST /mcp/broken-off/none", () => key],
    ["POST /admin/v1/tenants", () => router.adminToken],
    ["PATCH /admin/v1/tenants/broken-off", () => router.adminToken],
    ["POST /console/session", () => null],
  ])("logs no fault of the router: %s", async (target, token) => {
    const bearer = token();
    const [method = "", path = ""] = target.split(" ");
    const about = [
      `Content-Type: ${json}`,
      `Origin: ${router.url}`,
      ...(bearer === null ? [] : [`Authorization: Bearer ${bearer}`]),
    ];
    for (const length of lengths) await breakOff([`${method} ${path} HTTP/1.1`, ...about, length]);
    // The router has met the end of each before it answers what comes later.
    for (let count = 0; count < 3; count += 1) await (await fetch(`${router.url}/health`)).text();
    expect(await printedByRouter()).not.toContain("internal");
  });
});

describe("a PATCH of the admin API", () => {
  it.each([
    ["arrays", "[", "]"],
    ["objects", '{"a":', "}"],
  ])("that is nested deeper than a message may be is refused: %s", async (_, open, close) => {
    const depth = 20_000;
    const inner = open === "[" ? "" : "1";
    const deep = `{"name":${open.repeat(depth)}${inner}${close.repeat(depth)}}`;
    const answer = await fetch(`${router.url}/admin/v1/tenants/broken-off/policy`, {
      method: "PATCH",
      headers: { Authorization: `Bearer ${router.adminToken}`, "Content-Type": json },
      body: deep,
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      detail: expect.stringContaining(`${maxMessageLevels}`),
    });
    expect(await printedByRouter()).not.toContain("internal");
    const tenant = await adminOf(router, router.adminToken)("GET", "/tenants/broken-off");
    expect(tenant.status).toBe(200);
  });
});

// Serializing deeper ones failed, and hashing them kept the other tenants waiting.
describe("a call", () => {
  let keys: Record<"sampling" | "models", string>;
  beforeAll(async () => {
    const body = { name: "models", scopes: ["models"] };
    const made = await adminOf(router, router.adminToken)("POST", "/tenants/broken-off/keys", body);
    keys = { sampling: key, models: String(made.get("key")) };
    await adminOf(router, router.adminToken)("PATCH", "/tenants/broken-off/policy", {
      capture: "full",
    });
  });
  const send = (path: string, scope: "sampling" | "models", levels: number) =>
    fetch(`${router.url}/v1/${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${keys[scope]}`, "Content-Type": json },
      // The body is one level more.
      body: `{"model":"auto","max_tokens":9,"input":"hi","messages":[],"metadata":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`,
    });

  it.each([
    ["chat/completions", "models", maxLevels],
    ["responses", "models", maxLevels],
    ["messages", "models", maxLevels],
    ["messages/count_tokens", "models", maxLevels],
    ["route", "sampling", maxMessageLevels],
  ] as const)("of %s is refused beyond its deepest level", async (path, scope, deepest) => {
    const answer = await send(path, scope, deepest + 1);
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining(`Nested deeper than ${deepest} levels.`),
    ]);
    expect(await (await send(path, scope, deepest)).text()).not.toContain("Nested");
    expect(await printedByRouter()).not.toContain("internal");
  });

  it("of the deepest level is answered, also where its content is captured", async () => {
    const answer = await send("responses", "models", maxLevels);
    expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
  });
});
