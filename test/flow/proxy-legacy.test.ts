/** Any client, any sampling server of the legacy era: by changing an URL. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { createTenant } from "../fakes/caller.ts";
import {
  startEverything,
  startSdkServer,
  type FakeServer,
  type Heard,
} from "../fakes/mcp-servers.ts";
import { connectThrough, proxyKey, recordsOf, register, until } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

let aimock: Aimock;
let router: SharedRouter;
let everything: Awaited<ReturnType<typeof startEverything>>;
let server: FakeServer;
let strict: FakeServer;
let key = "";
const tenant = "proxy-legacy";

beforeAll(async () => {
  aimock = await startAimock([
    {
      match: { userMessage: /./ },
      response: { content: "The provider's text.", usage: usageOf(21, 5) },
    },
  ]);
  router = await borrowRouter();
  await createTenant(router, tenant, { provider: "openai", baseUrl: aimock.url("openai") });
  key = await proxyKey(router, tenant);
  everything = await startEverything();
  server = await startSdkServer();
  strict = await startSdkServer({ strict: true });
});
afterAll(async () => {
  await Promise.all([everything?.stop(), server?.stop(), strict?.stop(), aimock?.stop()]);
});

const initializesOf = ({ heard }: FakeServer): Heard[] =>
  heard.filter(({ body }) => body?.["method"] === "initialize");
const toldIn = (heard: Heard | undefined): unknown =>
  (heard?.body?.["params"] as { capabilities: unknown } | undefined)?.capabilities;

describe("server-everything behind the router", () => {
  it("samples for a client that declared none", async () => {
    const url = await register(router, tenant, { slug: "everything", url: everything.url });
    const direct = await connectThrough(everything.url, "none");
    const names = async (from: typeof direct): Promise<string[]> =>
      (await from.client.listTools()).tools.map(({ name }) => name);
    expect(await names(direct)).not.toContain("trigger-sampling-request");
    await direct.client.close();

    const through = await connectThrough(url, key);
    expect(await names(through)).toContain("trigger-sampling-request");
    const result = await through.client.callTool({
      name: "trigger-sampling-request",
      arguments: { prompt: "hello", maxTokens: 20 },
    });
    expect(JSON.stringify(result)).toContain("The provider's text.");
    const [record] = await recordsOf(router, tenant);
    expect(record).toMatchObject({
      outcome: "succeeded",
      who: {
        serverId: expect.stringMatching(/^srv_/),
        sessionId: expect.stringMatching(/^ses_/),
        tool: "trigger-sampling-request",
        clientName: "proxied",
        clientVersion: "7",
        revision: "2025-11-25",
      },
    });
    await through.transport.terminateSession();
    await through.client.close();
  });
});

describe("a server of the SDK behind the router", () => {
  it("samples on the stream of a call, and sees no more advertised than the router can do", async () => {
    const url = await register(router, tenant, { slug: "post", url: server.url });
    server.heard.length = 0;
    const through = await connectThrough(url, key, {
      capabilities: { roots: { listChanged: true } },
    });
    expect(toldIn(initializesOf(server)[0])).toEqual({
      roots: { listChanged: true },
      sampling: { tools: {} },
    });
    expect(await through.call("echo", "plain")).toContain("plain");
    expect(await through.call("ask", "a question")).toContain("The provider's text.");
    const answer = server.heard.find(({ text }) => text.includes("The provider's text."));
    expect(answer?.headers).toMatchObject({
      "mcp-session-id": through.transport.sessionId,
      "mcp-protocol-version": "2025-11-25",
    });
    // What the call cost is the tenant's business, and no server's.
    expect(answer?.text).not.toMatch(/decision|costMicroUsd/);
    // Neither key nor cookie of the client's reaches the server.
    for (const { headers } of server.heard) expect(JSON.stringify(headers)).not.toContain("srk_");
    await through.client.close();
  });

  it("samples on the GET stream that the client opened", async () => {
    const url = await register(router, tenant, { slug: "get", url: server.url });
    const through = await connectThrough(url, key);
    // Of this session: the client of the test before may still be on its way out.
    const streams = (): Heard[] =>
      server.heard.filter(
        ({ method, headers }) =>
          method === "GET" && headers["mcp-session-id"] === through.transport.sessionId,
      );
    await until(() => streams().length > 0);
    expect(await through.call("ask_aside", "aside")).toContain("The provider's text.");
    const [record] = await recordsOf(router, tenant);
    expect(record?.who).toMatchObject({ tool: null, clientName: "proxied" });
    // There is one stream, the client's: the router opens none beside it.
    expect(streams()).toHaveLength(1);
    await through.client.close();
  });

  it("sees the bare form advertised once it has refused more, and the router remembers that", async () => {
    const url = await register(router, tenant, { slug: "strict", url: strict.url });
    const first = await connectThrough(url, key);
    expect(initializesOf(strict).map(toldIn)).toEqual([
      { sampling: { tools: {} } },
      { sampling: {} },
    ]);
    expect(await first.call("ask", "strictly")).toContain("The provider's text.");
    await first.client.close();
    const second = await connectThrough(url, await proxyKey(router, tenant));
    expect(initializesOf(strict).map(toldIn).slice(2)).toEqual([{ sampling: {} }]);
    await second.client.close();
  });
});
