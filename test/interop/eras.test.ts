/** The official SDKs of both eras on both sides: what the table of `docs/protocol-versions.md` says of clients and servers of different eras. */
import { randomUUID } from "node:crypto";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  ElicitRequestSchema,
  CreateMessageRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
  type ClientCapabilities,
  type ElicitRequest,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { createTenant } from "../fakes/caller.ts";
import { startLegacyServer, startModernServer } from "../fakes/era-servers.ts";
import { connectThrough, proxyKey, recordsOf, register, until } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const modern = "2026-07-28";
const tenant = "eras";

let aimock: Aimock;
let router: SharedRouter;
let servers: {
  legacy: Awaited<ReturnType<typeof startLegacyServer>>;
  modern: Awaited<ReturnType<typeof startModernServer>>;
};
const urls = { legacy: "", modern: "" };
let key = "";

beforeAll(async () => {
  aimock = await startAimock([
    { match: { userMessage: /./ }, response: { content: "Hi there!", usage: usageOf(9, 3) } },
  ]);
  router = await borrowRouter();
  servers = { legacy: await startLegacyServer(), modern: await startModernServer() };
  await createTenant(router, tenant, { provider: "openai", baseUrl: aimock.url("openai") });
  key = await proxyKey(router, tenant);
  for (const era of ["legacy", "modern"] as const)
    urls[era] = await register(router, tenant, {
      slug: era,
      url: servers[era].url,
      bridge: "always",
    });
});
afterAll(async () => {
  await Promise.all([aimock?.stop(), servers?.legacy.stop(), servers?.modern.stop()]);
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

const textOf = (result: object): string =>
  (result as { content?: { text: string }[] }).content?.[0]?.text ?? "";

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

describe("a legacy client that a modern server asks", () => {
  const everything = { elicitation: { form: {}, url: {} }, roots: {} };
  const accepts = { action: "accept" as const, content: { name: "Ada" } };
  const asking = async (
    capabilities: ClientCapabilities,
    answer: (
      params: ElicitRequest["params"],
      signal: AbortSignal,
    ) => ElicitResult | Promise<ElicitResult>,
    url = urls.modern,
  ) => {
    const proxied = await connectThrough(url, key, { capabilities });
    const asked: ElicitRequest["params"][] = [];
    if (capabilities.elicitation !== undefined)
      proxied.client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => {
        asked.push(params);
        return answer(params, signal);
      });
    const call = async (name: string, q = "q", options: RequestOptions = {}) =>
      textOf(await proxied.client.callTool({ name, arguments: { q } }, undefined, options));
    return { ...proxied, asked, call };
  };

  it("fills in forms, in the server's order", async () => {
    const { client, asked, call } = await asking(everything, ({ message }) => ({
      ...accepts,
      content: { name: message },
    }));
    expect(JSON.parse(await call("form", "first"))).toEqual([
      "kept",
      {
        b: { action: "accept", content: { name: "first" } },
        a: { action: "accept", content: { name: "next" } },
      },
    ]);
    expect(asked.map(({ message }) => message)).toEqual(["first", "next"]);
    await client.close();
  });

  it("opens pages, with an id that its revision requires", async () => {
    const { client, asked, call } = await asking(everything, () => ({ action: "decline" }));
    expect(JSON.parse(await call("url"))).toEqual({ action: "decline" });
    expect(asked).toMatchObject([
      { mode: "url", url: "https://example.com/open", elicitationId: expect.any(String) as string },
    ]);
    await client.close();
  });

  it("is asked for the rest of a round that the router samples for", async () => {
    const { client, asked, call } = await asking(everything, () => accepts);
    const said = await call("both");
    expect(said).toContain("Hi there!");
    expect(JSON.parse(said)).toMatchObject([".", { name: accepts, llm: { role: "assistant" } }]);
    expect(asked).toHaveLength(1);
    await client.close();
  });

  it("is asked nothing that it didn't declare, and nothing is sampled for such a round", async () => {
    const before = (await recordsOf(router, tenant)).length;
    const { client, call } = await asking({}, () => accepts);
    await expect(call("both")).rejects.toThrow(/capability/);
    expect((await recordsOf(router, tenant)).length).toBe(before);
    await client.close();
    const forms = await asking({ elicitation: {} }, () => accepts);
    expect(await forms.call("form")).toContain("Ada");
    await expect(forms.call("url")).rejects.toThrow(/"url"|capability/);
    await forms.client.close();
  });

  it("is refused roots, in words", async () => {
    const { client, call } = await asking(everything, () => accepts);
    await expect(call("roots")).rejects.toThrow(/roots/);
    await client.close();
  });

  it.each([
    ["client", /a client of the server's revision, or set "sampling": "router"/],
    ["deny", /sampling by this server$/],
  ])("is told in the mode %s why the server can't sample", async (sampling, why) => {
    const slug = `samples-${sampling}`;
    const url = await register(router, tenant, { slug, url: servers.modern.url, sampling });
    const { client, call } = await asking({ sampling: {} }, () => accepts, url);
    await expect(call("ask")).rejects.toThrow(why);
    await client.close();
  });

  it("ends its call with an error, which the server doesn't see", async () => {
    const { client, call } = await asking(everything, ({ message }) => {
      if (message === "next") throw new Error("no");
      return new Promise<ElicitResult>(() => {});
    });
    await expect(call("form")).rejects.toMatchObject({
      code: -32603,
      data: { reason: "input_missing" },
    });
    await client.close();
  });

  it("is asked in eight rounds at most", async () => {
    const { client, asked, call } = await asking(everything, () => accepts);
    await expect(call("endless")).rejects.toMatchObject({ code: -403 });
    expect(asked).toHaveLength(8);
    await client.close();
  });

  it("cancels its call while it is asked, and is no longer asked", async () => {
    const ended = Promise.withResolvers<void>();
    const left = new AbortController();
    const { client, call } = await asking(everything, (_, signal) => {
      signal.addEventListener("abort", () => ended.resolve());
      left.abort();
      return new Promise<ElicitResult>(() => {});
    });
    await expect(call("form", "q", { signal: left.signal })).rejects.toThrow();
    await ended.promise;
    await client.close();
  });
});

it("a legacy client's tasks are refused with a way out by a modern server", async () => {
  const { client } = await connectThrough(urls.modern, key);
  const asked = client.request({ method: "tasks/list" }, z.looseObject({}));
  await expect(asked).rejects.toThrow(/tasks\/list; .*use a client of 2026-07-28/);
  await client.close();
});

describe("changes at a modern server", () => {
  const connected = async () => {
    const proxied = await connectThrough(urls.modern, key);
    const got: string[] = [];
    const { client } = proxied;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void got.push("tools"));
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void got.push(params.uri),
    );
    // Its GET stream is open when an update arrives.
    await until(() => {
      servers.modern.toolsChanged();
      return got.length > 0;
    });
    got.length = 0;
    return { ...proxied, got };
  };

  it("reach a legacy client on its GET stream, resources once it subscribes", async () => {
    const { client, got } = await connected();
    expect(client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: true },
      resources: { subscribe: true },
    });
    servers.modern.updated("made:it");
    await client.subscribeResource({ uri: "made:it" });
    servers.modern.updated("made:it");
    servers.modern.updated("made:other");
    await until(() => got.includes("made:it"));
    await client.unsubscribeResource({ uri: "made:it" });
    servers.modern.updated("made:it");
    got.length = 0;
    await until(() => {
      servers.modern.toolsChanged();
      return got.includes("tools");
    });
    expect(new Set(got)).toEqual(new Set(["tools"]));
    await client.close();
  });

  it("are no longer listened to when the client has ended its session, or has left", async () => {
    const ended = await connected();
    await ended.transport.terminateSession();
    await until(() => servers.modern.open() === 0);
    await ended.client.close();
    const left = await connected();
    expect(servers.modern.open()).toBeGreaterThan(0);
    await left.client.close();
    await until(() => servers.modern.open() === 0);
  });
});

describe("changes at a legacy server", () => {
  it("reach each listener of a modern client, as far as the server offers them", async () => {
    const client = await connectModern(urls.legacy);
    const got: string[] = [];
    client.setNotificationHandler("notifications/tools/list_changed", () => void got.push("tools"));
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void got.push(params.uri),
    );
    const before = servers.legacy.sessions();
    const all = await client.listen({
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ["made:it", "unknown:it"],
    });
    expect(all.honoredFilter).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ["made:it"],
    });
    servers.legacy.toolsChanged();
    servers.legacy.updated("made:it");
    await until(() => got.length === 2);
    expect(got.toSorted()).toEqual(["made:it", "tools"]);
    const resources = await client.listen({ resourceSubscriptions: ["made:it"] });
    got.length = 0;
    servers.legacy.toolsChanged();
    await until(() => got.length > 0);
    await all.close();
    await resources.close();
    await until(() => servers.legacy.sessions() === before);
    expect(got).toEqual(["tools"]);
    await client.close();
  });

  it("are not promised where the server offers none", async () => {
    const client = await connectModern(urls.legacy);
    const nothing = await client.listen({ promptsListChanged: true });
    expect(nothing.honoredFilter).toEqual({});
    await nothing.closed;
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

  it("opens a page that the server needs, and comes back until its user is done", async () => {
    const opened: string[] = [];
    const client = await connectModern(urls.legacy, { capabilities: { elicitation: { url: {} } } });
    client.setRequestHandler("elicitation/create", ({ params }) => {
      opened.push(JSON.stringify(params));
      return { action: "accept" };
    });
    const account = (q: string) => client.callTool({ name: "account", arguments: { q } });
    // The first call asks, the second one is early, and the third one is after the page.
    expect(textOf(await account(randomUUID()))).toBe("connected after 3");
    expect(opened.map((text) => JSON.parse(text) as object)).toMatchObject([
      { mode: "url", url: "https://example.com/open" },
    ]);
    client.setRequestHandler("elicitation/create", () => ({ action: "decline" }));
    await expect(account(randomUUID())).rejects.toThrow(/didn't open/);
    await client.close();
    const unable = await connectModern(urls.legacy);
    const refused = unable.callTool({ name: "account", arguments: { q: randomUUID() } });
    await expect(refused).rejects.toMatchObject({ code: -32042 });
    await unable.close();
  });

  it("has no questions, roots or sampling of its own, and the server knows", async () => {
    const client = await connectModern(urls.legacy, {
      capabilities: { elicitation: { form: {}, url: {} }, roots: {}, sampling: {} },
    });
    for (const name of ["form", "url", "roots"]) {
      const refused = textOf(await client.callTool({ name, arguments: { q: "" } }));
      expect(refused).toMatch(/doesn't translate such requests.*: use a client of both eras/);
      expect(refused.includes('"parking": true')).toBe(name !== "roots");
    }
    expect(textOf(await client.callTool({ name: "ask", arguments: { q: "" } }))).toContain(
      "Hi there!",
    );
    await client.close();
  });

  it("is refused other requests with a way out", async () => {
    const client = await connectModern(urls.legacy);
    const asked = client.request({ method: "acme/tasks" }, z.looseObject({}));
    await expect(asked).rejects.toThrow(/acme\/tasks; .*use a client of both eras/);
    await client.close();
  });
});

describe("a client and a server of one era", () => {
  const answers = {
    form: { action: "accept" as const, content: { name: "Ada" } },
    roots: { roots: [{ uri: "file:///ada" }] },
    ask: {
      role: "assistant" as const,
      model: "own",
      content: { type: "text" as const, text: "mine" },
    },
  };
  const capabilities = { elicitation: { form: {}, url: {} }, roots: {}, sampling: {} };
  const expected = { form: "Ada", url: "accept", roots: "file:///ada", ask: "mine" };

  it("legacy: pass questions, roots and sampling", async () => {
    const url = await register(router, tenant, {
      slug: "passes-legacy",
      url: servers.legacy.url,
      sampling: "client",
    });
    const { client } = await connectThrough(url, key, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, () => answers.form);
    client.setRequestHandler(ListRootsRequestSchema, () => answers.roots);
    client.setRequestHandler(CreateMessageRequestSchema, () => answers.ask);
    for (const [name, text] of Object.entries(expected))
      expect(textOf(await client.callTool({ name, arguments: { q: "" } }))).toContain(text);
    await client.close();
  });

  it("modern: pass questions, roots and sampling", async () => {
    const url = await register(router, tenant, {
      slug: "passes-modern",
      url: servers.modern.url,
      sampling: "client",
    });
    const client = await connectModern(url, { capabilities });
    client.setRequestHandler("elicitation/create", () => answers.form);
    client.setRequestHandler("roots/list", () => answers.roots);
    client.setRequestHandler("sampling/createMessage", () => answers.ask);
    for (const [name, text] of Object.entries(expected))
      expect(textOf(await client.callTool({ name, arguments: { q: "" } }))).toContain(text);
    await client.close();
  });

  it("legacy: pass log levels and changes", async () => {
    const { client } = await connectThrough(urls.legacy, key);
    const got: string[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      got.push(params.level);
    });
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      got.push(params.uri);
    });
    await client.setLoggingLevel("error");
    await client.callTool({ name: "logs", arguments: { q: "" } });
    expect(got).toEqual(["error"]);
    await client.subscribeResource({ uri: "made:it" });
    await until(() => {
      servers.legacy.updated("made:it");
      return got.includes("made:it");
    });
    await client.close();
  });

  it("modern: pass log levels and changes", async () => {
    const client = await connectModern(urls.modern);
    const got: string[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => {
      got.push(params.level);
    });
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      got.push(params.uri);
    });
    const _meta = { "io.modelcontextprotocol/logLevel": "error" };
    await client.callTool({ name: "logs", arguments: { q: "" }, _meta });
    expect(got).toEqual(["error"]);
    const { honoredFilter, close } = await client.listen({ resourceSubscriptions: ["made:it"] });
    expect(honoredFilter).toEqual({ resourceSubscriptions: ["made:it"] });
    servers.modern.updated("made:it");
    await until(() => got.includes("made:it"));
    await close();
    await client.close();
  });
});
