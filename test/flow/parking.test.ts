/** Parked calls whose client never comes back, or whose process dies or shuts down. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTenant } from "../fakes/caller.ts";
import { startLegacyServer } from "../fakes/era-servers.ts";
import { modernMeta, proxyKey, register, sendModern, until } from "../fakes/proxied.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { messagesOf, type Message } from "../fakes/sse-messages.ts";
import { onOneHost } from "../setup/on-both-hosts.ts";

const env = {
  MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  ADMIN_TOKEN: "operator-token-of-the-tests",
};
let router: Router;
let server: Awaited<ReturnType<typeof startLegacyServer>>;
let key = "";
let url = "";

beforeAll(async () => {
  server = await startLegacyServer();
  router = await startRouter({ env: { ...env, PARKED_SECONDS: "2" } });
  await createTenant(router, "parks", { provider: "openai", baseUrl: "http://127.0.0.1:9" });
  key = await proxyKey(router, "parks");
  url = await register(router, "parks", {
    slug: "s",
    url: server.url,
    bridge: "always",
    parking: true,
  });
});
afterAll(async () => {
  await Promise.all([router?.stop(), server?.stop()]);
});
beforeEach(() => {
  server.heard.length = 0;
});

const send = async (more: object = {}): Promise<Message> => {
  const params = {
    name: "form",
    arguments: { q: "q" },
    ...more,
    _meta: modernMeta({ elicitation: {} }),
  };
  const response = await sendModern(url, key, { method: "tools/call", params });
  return (await messagesOf(response).next()).value ?? {};
};
const inputResponses = { "sampling-router/question": { action: "accept", content: {} } };
const calls = (): number => server.heard.filter(({ text }) => text.includes("tools/call")).length;

it("a client that never comes back: the server hears cancel and a cancellation, and its session ends", async () => {
  const asked = await send();
  const requestState = asked.result?.["requestState"];
  await until(() => server.heard.some(({ method }) => method === "DELETE"));
  const texts = server.heard.map(({ text }) => text);
  expect(texts.filter((text) => text.includes('"action":"cancel"'))).toHaveLength(1);
  expect(texts.filter((text) => text.includes("notifications/cancelled"))).toHaveLength(1);
  expect((await send({ requestState, inputResponses })).error).toMatchObject({ code: -32602 });
  expect(calls()).toBe(1);
});

it("a process that is killed: its client hears that the call may have run, and nothing runs again", async () => {
  const { stateDir } = router;
  const restarted = async (): Promise<void> => {
    await router.kill9();
    router = await startRouter({ env, stateDir });
    url = `${router.url}/mcp/parks/s`;
  };
  await restarted();
  const asked = await send();
  const requestState = asked.result?.["requestState"];
  await restarted();
  const lost = await send({ requestState, inputResponses });
  expect(lost.error?.["message"]).toContain("may have taken effect, and isn't repeated");
  expect(calls()).toBe(1);
});

// Cloudflare gives no notice of a reset.
onOneHost(() => {
  it("a shutdown: the server hears cancel, and the process waits for nobody", async () => {
    const { stateDir } = router;
    await router.kill9();
    router = await startRouter({ env, stateDir });
    url = `${router.url}/mcp/parks/s`;
    await send();
    expect(await router.stop()).toBe(0);
    expect(server.heard.some(({ text }) => text.includes('"action":"cancel"'))).toBe(true);
    expect(server.heard.some(({ method }) => method === "DELETE")).toBe(true);
    expect(router.output()).not.toContain('"event":"cut"');
  });
});
