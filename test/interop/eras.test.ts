/** The official SDKs of both eras on both sides: what the table of `docs/protocol-versions.md` says of clients and servers of different eras. */
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTenant } from "../fakes/caller.ts";
import { startLegacyServer, startModernServer } from "../fakes/era-servers.ts";
import { connectThrough, proxyKey, register } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const modern = "2026-07-28";
const tenant = "eras";

let router: SharedRouter;
let servers: {
  legacy: Awaited<ReturnType<typeof startLegacyServer>>;
  modern: Awaited<ReturnType<typeof startModernServer>>;
};
const urls = { legacy: "", modern: "" };
let key = "";

beforeAll(async () => {
  router = await borrowRouter();
  servers = { legacy: await startLegacyServer(), modern: await startModernServer() };
  await createTenant(router, tenant, { provider: "openai", baseUrl: "http://127.0.0.1:9" });
  key = await proxyKey(router, tenant);
  for (const era of ["legacy", "modern"] as const)
    urls[era] = await register(router, tenant, {
      slug: era,
      url: servers[era].url,
      bridge: "always",
    });
});
afterAll(async () => {
  await Promise.all([servers?.legacy.stop(), servers?.modern.stop()]);
});

async function connectModern(
  url: string,
  about: { token?: string; capabilities?: Record<string, object> } = {},
): Promise<ModernClient> {
  const client = new ModernClient(
    { name: "modern-client", version: "1" },
    { versionNegotiation: { mode: { pin: modern } }, capabilities: about.capabilities ?? {} },
  );
  await client.connect(
    new ModernTransport(new URL(url), {
      requestInit: { headers: { Authorization: `Bearer ${about.token ?? key}` } },
    }),
  );
  return client;
}

const textOf = (result: { content?: unknown }): string =>
  (result.content as { text: string }[])[0]?.text ?? "";

describe("a legacy client before a modern server", () => {
  it("gets log messages of the level that it set", async () => {
    const { client } = await connectThrough(urls.modern, key);
    const got: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      got.push([params.level, params.data]);
    });
    expect(client.getServerCapabilities()).toMatchObject({ logging: {} });
    const logs = async (q: string): Promise<unknown[]> => {
      got.length = 0;
      await client.callTool({ name: "logs", arguments: { q } });
      return [...got];
    };
    const [debug, warning, error] = [
      ["debug", "x"],
      ["warning", "x"],
      ["error", "x"],
    ];
    expect(await logs("x")).toEqual([warning, error]);
    await client.setLoggingLevel("error");
    expect(await logs("x")).toEqual([error]);
    await client.setLoggingLevel("debug");
    expect(await logs("x")).toEqual([debug, warning, error]);
    await client.close();
  });
});

describe("a modern client before a legacy server", () => {
  it("gets log messages of the level that its request asks for", async () => {
    const client = await connectModern(urls.legacy);
    const got: unknown[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => {
      got.push(params.level);
    });
    expect(client.getServerCapabilities()).toMatchObject({ logging: {} });
    const logs = async (level: string | null): Promise<unknown[]> => {
      got.length = 0;
      const result = await client.callTool({
        name: "logs",
        arguments: { q: "x" },
        ...(level !== null && { _meta: { "io.modelcontextprotocol/logLevel": level } }),
      });
      expect(textOf(result)).toBe("logged");
      return [...got];
    };
    expect(await logs("error")).toEqual(["error"]);
    expect(await logs("debug")).toEqual(["debug", "warning", "error"]);
    expect(await logs(null)).toEqual([]);
    await client.close();
  });
});
