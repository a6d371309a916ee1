/** Arguments that are nested without end are refused in words, and never an internal error. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answered, createTenant } from "../fakes/caller.ts";
import { modernMeta, proxyKey, register, sendModern } from "../fakes/proxied.ts";
import { startRawServer, type RawServer } from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const tenant = "depth";
let router: SharedRouter;
let server: RawServer;
let key = "";

beforeAll(async () => {
  [router, server] = await Promise.all([borrowRouter(), startRawServer()]);
  await createTenant(router, tenant, { provider: "demo" });
  key = await proxyKey(router, tenant);
  // The server asks for sampling, so that the request's identity is made of its arguments.
  server.handle(({ json }, reply) => {
    const messages = [{ role: "user", content: { type: "text", text: "hi" } }];
    const entry = { method: "sampling/createMessage", params: { messages, maxTokens: 9 } };
    const asked = { resultType: "input_required", inputRequests: { a: entry } };
    const done = { resultType: "complete", content: [{ type: "text", text: "done" }] };
    const result = json.params?.inputResponses === undefined ? asked : done;
    reply.json({ jsonrpc: "2.0", id: json.id, result });
  });
});
afterAll(async () => {
  await server?.stop();
});

const callOf = (levels: number): string => {
  const nested = `${"[".repeat(levels)}1${"]".repeat(levels)}`;
  const meta = JSON.stringify(modernMeta({}));
  return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":{"a":${nested}},"_meta":${meta}}}`;
};

describe.each(["router", "client-then-router", "deny"])("in the mode %s", (sampling) => {
  it.each([300, 20_000])("arguments of %i levels are refused", async (levels) => {
    const url = await register(router, tenant, {
      slug: `s-${sampling}-${levels}`,
      url: server.url,
      sampling,
    });
    const params = { name: "t" };
    const answer = await sendModern(url, key, { params, text: callOf(levels) });
    expect((await answered(answer)).body).toMatchObject({
      id: 7,
      error: { code: -32602, data: { reason: "invalid_params", path: "params" } },
    });
  });
});

it("arguments of a million levels are refused before anything is made of them", async () => {
  const url = await register(router, tenant, { slug: "endless", url: server.url });
  const text = callOf(1_000_000);
  const answer = await answered(await sendModern(url, key, { params: { name: "t" }, text }));
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ reason: "bad_request" });
  expect(answer.text).toContain("members and elements");
});

it("arguments of 200 levels are answered", async () => {
  const url = await register(router, tenant, { slug: "fine", url: server.url });
  const answer = await sendModern(url, key, { params: { name: "t" }, text: callOf(200) });
  expect(await answer.text()).toContain("done");
});
