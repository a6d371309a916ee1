/** Bodies that break off, and bodies that are nested too deep: refused, and no fault of the router in its log. */
import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { maxMessageLevels } from "../../src/domain/depth.ts";
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
