/** The official SDKs of both eras on both sides, the router in between: the same can be done in all four pairs. */
import {
  Client as ModernClient,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { startLegacyServer, startModernServer } from "../fakes/bridged-servers.ts";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { connectThrough, proxyKey, recordsOf, register, until } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const modern = "2026-07-28";
const tenant = "bridge";
const eras = ["legacy", "modern"] as const;
type Era = (typeof eras)[number];
const pairs = eras.flatMap((client) => eras.map((server) => [client, server] as const));

let aimock: Aimock;
let router: SharedRouter;
let servers: {
  legacy: Awaited<ReturnType<typeof startLegacyServer>>;
  modern: Awaited<ReturnType<typeof startModernServer>>;
};
const urls: Record<Era, string> = { legacy: "", modern: "" };
let key = "";

beforeAll(async () => {
  aimock = await startAimock([
    { match: { userMessage: /./ }, response: { content: "Hi there!", usage: usageOf(9, 3) } },
  ]);
  router = await borrowRouter();
  servers = { legacy: await startLegacyServer(), modern: await startModernServer() };
  await createTenant(router, tenant, { provider: "openai", baseUrl: aimock.url("openai") });
  key = await proxyKey(router, tenant);
  for (const era of eras)
    urls[era] = await register(router, tenant, {
      slug: era,
      url: servers[era].url,
      bridge: "always",
    });
});
afterAll(async () => {
  await Promise.all([aimock?.stop(), servers?.legacy.stop(), servers?.modern.stop()]);
});

interface About {
  signal?: AbortSignal;
  onprogress?: (told: { progress: number; message?: string | undefined }) => void;
}
/** What both clients can do, in one spelling. */
interface Peer {
  tools(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>, about?: About): Promise<string>;
  prompt(): Promise<string>;
  read(): Promise<Record<string, unknown>>;
  resources(cursor?: string): Promise<{ names: string[]; nextCursor: string | undefined }>;
  complete(value: string): Promise<string[]>;
  instructions(): string | undefined;
  server(): unknown;
  close(): Promise<void>;
}

async function connect(era: Era, url: string, token = key, headers = {}): Promise<Peer> {
  const client =
    era === "legacy"
      ? (await connectThrough(url, token)).client
      : new ModernClient(
          { name: "modern-client", version: "1" },
          { versionNegotiation: { mode: { pin: modern } } },
        );
  if (client instanceof ModernClient)
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { Authorization: `Bearer ${token}`, ...headers } },
      }),
    );
  const ref = { type: "ref/prompt" as const, name: "written" };
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args, about = {}) {
      const params = { name, arguments: args };
      const result = await (client instanceof ModernClient
        ? client.callTool(params, about)
        : client.callTool(params, undefined, about));
      return (result.content as { text: string }[])[0]?.text ?? "";
    },
    prompt: async () =>
      JSON.stringify(await client.getPrompt({ name: "written", arguments: { name: "Ada" } })),
    read: () => client.readResource({ uri: "made:it" }),
    async resources(cursor) {
      const { resources, nextCursor } = await client.listResources(
        cursor === undefined ? {} : { cursor },
      );
      return { names: resources.map(({ name }) => name), nextCursor };
    },
    complete: async (value) =>
      (await client.complete({ ref, argument: { name: "name", value } })).completion.values,
    instructions: () => client.getInstructions(),
    server: () => client.getServerVersion(),
    close: () => client.close(),
  };
}

async function connected<T>(
  [client, server]: readonly [Era, Era],
  work: (peer: Peer) => Promise<T>,
): Promise<T> {
  const peer = await connect(client, urls[server]);
  try {
    return await work(peer);
  } finally {
    await peer.close();
  }
}

describe.each(pairs)("a %s client and a %s server", (...pair) => {
  const [, server] = pair;

  it("list and call tools, and the router samples", async () => {
    await connected(pair, async (peer) => {
      expect(peer.server()).toMatchObject({ name: server === "legacy" ? "fake" : "modern" });
      expect(await peer.tools()).toContain("ask");
      expect(await peer.call("echo", { q: "plain" })).toBe("plain");
      expect(await peer.call("echo", { q: 'ünï "☃"' })).toBe('ünï "☃"');
      expect(await peer.call("ask", { q: "hello" })).toContain("Hi there!");
    });
    const [record] = await recordsOf(router, tenant);
    expect(record).toMatchObject({ outcome: "succeeded", who: { tool: "ask" } });
  });

  it("have prompts, completion, resources and pages of them", async () => {
    await connected(pair, async (peer) => {
      expect(await peer.prompt()).toContain("For Ada");
      expect(await peer.complete("A")).toEqual(["Ada", "Alan"]);
      expect(await peer.read()).toMatchObject({ contents: [{ uri: "made:it", text: "It." }] });
      const first = await peer.resources();
      expect(first.names.length + (first.nextCursor === undefined ? 0 : 1)).toBe(2);
      if (first.nextCursor !== undefined)
        expect(await peer.resources(first.nextCursor)).toEqual({
          names: [first.nextCursor],
          nextCursor: undefined,
        });
    });
  });

  it("report progress", async () => {
    await connected(pair, async (peer) => {
      const told: unknown[] = [];
      const onprogress: About["onprogress"] = ({ progress, message }) =>
        void told.push([progress, message]);
      expect(await peer.call("tells", { q: "far" }, { onprogress })).toBe("told");
      expect(told).toEqual([
        [1, "far"],
        [2, "far"],
      ]);
    });
  });

  it("cancel a running call", async () => {
    const { notes } = servers[server];
    notes.length = 0;
    await connected(pair, async (peer) => {
      const left = new AbortController();
      const called = peer.call("slow", { q: "" }, { signal: left.signal });
      const failed = expect(called).rejects.toThrow();
      await until(() => notes.includes("started"));
      left.abort();
      await failed;
      await until(() => notes.includes("cancelled"));
    });
  });

  if (pair[0] !== server)
    it("get a clear error where a person would be asked", async () => {
      await connected(pair, async (peer) => {
        const said = await peer.call("person", { q: "" }).catch(String);
        expect(said).toMatch(/elicitation/i);
      });
    });
});

describe("a server that answers with a round of questions", () => {
  it.each(eras)("is called again with the answers: a %s client", async (client) => {
    await connected([client, "modern"], async (peer) => {
      expect(await peer.call("sheds", { q: "now" })).toBe("now");
    });
    const calls = servers.modern.heard.filter(({ text }) => text.includes('"sheds"')).slice(-3);
    expect(calls.map(({ text }) => /"requestState":"(\d)"/.exec(text)?.[1])).toEqual([
      undefined,
      "1",
      "2",
    ]);
  });
});

describe("a modern client's requests to a legacy server", () => {
  const initializes = (): number =>
    servers.legacy.heard.filter(({ body }) => body?.["method"] === "initialize").length;
  const sessionsSeen = (text: string): Set<string | undefined> =>
    new Set(
      servers.legacy.heard
        .filter((heard) => heard.text.includes(text))
        .map(({ headers }) => headers["mcp-session-id"]),
    );

  it("probe the server's era once, and share one session among the clients of one key", async () => {
    const url = await register(router, tenant, {
      slug: "shared",
      url: servers.legacy.url,
      bridge: "always",
    });
    const [probed, begun] = [servers.legacy.probes(), initializes()];
    for (let turn = 0; turn < 3; turn += 1) {
      const peer = await connect("modern", url);
      expect(await peer.call("echo", { q: "shared-session" })).toBe("shared-session");
      await peer.close();
    }
    expect(servers.legacy.probes() - probed).toBe(1);
    expect(initializes() - begun).toBe(1);
    expect(sessionsSeen("shared-session").size).toBe(1);
    const again = await connect("legacy", url);
    await again.close();
    expect(servers.legacy.probes() - probed).toBe(1);
  });

  it("share no session between keys, or between clients with different passed headers", async () => {
    const other = await proxyKey(router, tenant);
    const url = await register(router, tenant, {
      slug: "apart",
      url: servers.legacy.url,
      bridge: "always",
      passHeaders: ["X-Api-Key"],
    });
    for (const [token, headers] of [
      [key, {}],
      [other, {}],
      [other, { "X-Api-Key": "one" }],
      [other, { "X-Api-Key": "two" }],
      // The server is not told of it.
      [other, { "X-Api-Key": "two", "X-Team": "blue" }],
    ] as const) {
      const peer = await connect("modern", url, token, headers);
      await peer.call("echo", { q: "apart-session" });
      await peer.call("echo", { q: "apart-session" });
      await peer.close();
    }
    expect(sessionsSeen("apart-session").size).toBe(4);
  });

  it("go on in a new session when the server has forgotten the old one", async () => {
    const url = await register(router, tenant, {
      slug: "renewed",
      url: servers.legacy.url,
      bridge: "always",
    });
    const peer = await connect("modern", url);
    await peer.call("echo", { q: "renewed-session" });
    const begun = initializes();
    servers.legacy.forgetSessions();
    expect(await peer.call("ask", { q: "renewed-session" })).toContain("Hi there!");
    expect(await peer.call("echo", { q: "renewed-session" })).toBe("renewed-session");
    expect(initializes() - begun).toBe(1);
    await peer.close();
  });

  it("are sampled for on the stream that belongs to no request", async () => {
    await connected(["modern", "legacy"], async (peer) => {
      expect(await peer.call("ask_aside", { q: "aside" })).toContain("Hi there!");
    });
  });

  it("reach the server without fields of the other era", async () => {
    const { heard } = servers.legacy;
    await connected(["modern", "legacy"], async (peer) => peer.call("echo", { q: "marks" }));
    const call = heard.findLast(({ text }) => text.includes("marks"));
    expect(call?.text).not.toContain("io.modelcontextprotocol");
    expect(call?.headers).toMatchObject({ "mcp-protocol-version": "2025-11-25" });
    expect(Object.keys(call?.headers ?? {})).not.toContain("mcp-method");
  });

  it("of two clients at once are each answered to their own client", async () => {
    await connected(["modern", "legacy"], async (first) => {
      await connected(["modern", "legacy"], async (second) => {
        const said = await Promise.all(
          [first, second].flatMap((peer, who) =>
            [0, 1, 2].map((turn) => peer.call("echo", { q: `${who}-${turn}` })),
          ),
        );
        expect(said).toEqual(["0-0", "0-1", "0-2", "1-0", "1-1", "1-2"]);
      });
    });
  });
});

describe("a legacy client's requests to a modern server", () => {
  it("carry the headers that the server's tools ask for", async () => {
    await connected(["legacy", "modern"], async (peer) => {
      expect(await peer.call("routed", { region: "süd" })).toBe("süd");
    });
    const call = servers.modern.heard.findLast(({ text }) => text.includes("routed"));
    expect(call?.headers).toMatchObject({
      "mcp-method": "tools/call",
      "mcp-name": "routed",
      "mcp-param-region": "=?base64?c8O8ZA==?=",
    });
    expect(Object.keys(call?.headers ?? {})).not.toContain("mcp-session-id");
  });

  it("are bridged for a server that begins no session", async () => {
    const both = await startModernServer("stateless");
    const url = await register(router, tenant, { slug: "both", url: both.url });
    const peer = await connect("legacy", url);
    expect(await peer.call("ask", { q: "hello" })).toContain("Hi there!");
    await peer.close();
    await both.stop();
  });

  it("are refused once their session has ended", async () => {
    const { client, transport } = await connectThrough(urls.modern, key);
    const sessionId = transport.sessionId ?? "";
    expect(await client.ping()).toEqual({});
    await transport.terminateSession();
    await client.close();
    const gone = await fetch(urls.modern, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "Mcp-Session-Id": sessionId,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    expect(gone.status).toBe(404);
  });

  it("are refused in another key's session", async () => {
    const { client, transport } = await connectThrough(urls.modern, key);
    const other = await proxyKey(router, tenant);
    const asked = await fetch(urls.modern, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${other}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "Mcp-Session-Id": transport.sessionId ?? "",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    expect(asked.status).toBe(404);
    await client.close();
  });
});

describe("a server that may not sample", () => {
  it.each(pairs)("gets no sample through a %s client's bridge: %s", async (...pair) => {
    const [client, server] = pair;
    const slug = `deny-${client}-${server}`;
    const url = await register(router, tenant, {
      slug,
      url: servers[server].url,
      sampling: "deny",
      bridge: "always",
    });
    const before = (await recordsOf(router, tenant)).filter(
      ({ outcome }) => outcome === "succeeded",
    );
    const peer = await connect(client, url);
    expect(await peer.call("ask", { q: "hello" }).catch(String)).not.toContain("Hi there!");
    await peer.close();
    const after = (await recordsOf(router, tenant)).filter(
      ({ outcome }) => outcome === "succeeded",
    );
    expect(after.length).toBe(before.length);
  });

  it.each(["deny", "client"])(
    "is refused outside of a request, too, in the mode `%s`",
    async (sampling) => {
      const slug = `aside-${sampling}`;
      const url = await register(router, tenant, {
        slug,
        url: servers.legacy.url,
        sampling,
        bridge: "always",
      });
      const peer = await connect("modern", url);
      const refused = await peer.call("ask_aside", { q: "hello" });
      expect(refused).toContain("-403");
      if (sampling === "client") expect(refused).toContain("a client of the server's revision");
      const [record] = await recordsOf(router, tenant);
      expect(record).toMatchObject({ outcome: "refused", reason: "forbidden" });
      await peer.close();
    },
  );
});

it("the router forgets a server's era when the server's URL changes", async () => {
  const url = await register(router, tenant, {
    slug: "moving",
    url: servers.legacy.url,
    bridge: "always",
  });
  const before = await connect("modern", url);
  expect(before.server()).toMatchObject({ name: "fake" });
  await before.close();
  const admin = adminOf(router, router.adminToken);
  await admin("PATCH", `/tenants/${tenant}/servers/moving`, { url: servers.modern.url });
  // For some seconds the router goes on with the entry that it has read before: time is what is waited for.
  await until(async () => {
    const after = await connect("modern", url).catch(() => null);
    const name = (after?.server() as { name: string } | undefined)?.name;
    await after?.close();
    return name === "modern";
  });
});
