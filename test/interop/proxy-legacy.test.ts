/** Servers of both official SDKs that speak the legacy wire, clients of both, the router in between. */
import { Client as ClientV2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { createTenant } from "../fakes/caller.ts";
import { startSdkServer, type FakeServer } from "../fakes/mcp-servers.ts";
import { connectThrough, proxyKey, recordsOf, register, until } from "../fakes/proxied.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { startSdkSessionServer, type SdkSessionServer } from "../fakes/sdk-session-server.ts";

const tenant = "sessions";
const versions = ["v1", "v2"] as const;
type Version = (typeof versions)[number];
const streams = ["opens a GET stream", "opens none"] as const;
type Stream = (typeof streams)[number];
const pairs = versions.flatMap((server) =>
  versions.flatMap((client) => streams.map((stream) => [server, client, stream] as const)),
);

let aimock: Aimock;
let router: SharedRouter;
let servers: { v1: FakeServer; v2: SdkSessionServer; both: SdkSessionServer };
let key = "";
const urls = { v1: "", v2: "", both: "" };

beforeAll(async () => {
  aimock = await startAimock([
    { match: { userMessage: /./ }, response: { content: "Hi there!", usage: usageOf(9, 3) } },
  ]);
  router = await borrowRouter();
  servers = {
    v1: await startSdkServer(),
    v2: await startSdkSessionServer(),
    both: await startSdkSessionServer("modern"),
  };
  await createTenant(router, tenant, { provider: "openai", baseUrl: aimock.url("openai") });
  key = await proxyKey(router, tenant);
  for (const name of ["v1", "v2", "both"] as const)
    urls[name] = await register(router, tenant, { slug: name, url: servers[name].url });
});
afterAll(async () => {
  await Promise.all([aimock?.stop(), ...Object.values(servers ?? {}).map((each) => each.stop())]);
});

interface Peer {
  call(name: string, text: string): Promise<string>;
  tools(): Promise<string[]>;
  close(): Promise<void>;
}

/** A client that declares no sampling at all. */
async function connect(version: Version, url: string, stream: Stream): Promise<Peer> {
  const fetchFor: typeof fetch = async (input, init) =>
    stream === "opens none" && init?.method === "GET"
      ? new Response(null, { status: 405 })
      : fetch(input, init);
  if (version === "v1") {
    const { client, call } = await connectThrough(url, key, { fetch: fetchFor });
    return {
      call,
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      close: () => client.close(),
    };
  }
  const client = new ClientV2({ name: "proxied", version: "8" }, { capabilities: {} });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
      fetch: fetchFor,
    }),
  );
  return {
    async call(name, text) {
      const { content } = await client.callTool({ name, arguments: { text } });
      return (content as { text: string }[])[0]?.text ?? "";
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    close: () => client.close(),
  };
}

const newest = async () => (await recordsOf(router, tenant))[0];
const initializesOf = ({ heard }: { heard: { text: string }[] }) =>
  heard.filter(({ text }) => text.includes('"method":"initialize"'));

describe.each(pairs)(
  "a server of SDK %s, a client of SDK %s that %s",
  (server, version, stream) => {
    it("samples within the call and outside of it", async () => {
      const { heard } = servers[server];
      heard.length = 0;
      const peer = await connect(version, urls[server], stream);
      expect(await peer.tools()).toContain("ask");
      // Told of sampling on behalf of a client that has none.
      expect(JSON.parse(initializesOf({ heard })[0]?.text ?? "")).toMatchObject({
        params: { protocolVersion: "2025-11-25", capabilities: { sampling: { tools: {} } } },
      });
      const opened = heard.filter(({ method }) => method === "GET").length;
      expect(await peer.call("ask", "inside")).toContain("Hi there!");
      expect(await newest()).toMatchObject({
        outcome: "succeeded",
        who: { tool: "ask", revision: "2025-11-25", clientName: "proxied" },
      });
      expect(await peer.call("ask_with_tools", "with tools")).toContain("Hi there!");
      expect(await peer.call("ask_aside", "outside")).toContain("Hi there!");
      expect(await newest()).toMatchObject({ outcome: "succeeded", who: { tool: null } });
      // Where the client has a stream, the router opens none beside it.
      const now = heard.filter(({ method }) => method === "GET").length;
      if (stream === "opens none") expect(now).toBeGreaterThan(opened);
      else expect(now).toBe(1);
      await peer.close();
    });
  },
);

describe("a server of SDK v2 with sessions", () => {
  it("samples when no request runs, on the client's GET stream", async () => {
    const { notes, heard } = servers.v2;
    notes.length = 0;
    heard.length = 0;
    const peer = await connect("v2", urls.v2, "opens a GET stream");
    await until(() => heard.some(({ method }) => method === "GET"));
    expect(await peer.call("later", "when it is quiet")).toContain("later");
    await until(() => notes.length === 1);
    expect(notes[0]).toContain("Hi there!");
    await peer.close();
  });

  it.each(versions)(
    "has tools of the modern era that work for a client of SDK %s",
    async (version) => {
      const before = (await recordsOf(router, tenant)).length;
      const peer = await connect(version, urls.v2, "opens a GET stream");
      const said = await peer.call("ask_in_rounds", "round");
      expect(said).toContain("q1");
      expect(said).toContain("Hi there!");
      expect(await recordsOf(router, tenant)).toHaveLength(before + 2);
      await peer.close();
    },
  );

  it("is reached directly by legacy clients where the server speaks both eras", async () => {
    const { heard } = servers.both;
    for (const version of versions) {
      heard.length = 0;
      const peer = await connect(version, urls.both, "opens none");
      for (const tool of ["ask", "ask_aside", "ask_in_rounds"])
        expect(await peer.call(tool, "both")).toContain("Hi there!");
      // The session is the server's own, and its wire is the client's.
      const calls = heard.filter(({ text }) => text.includes('"tools/call"'));
      expect(calls).toHaveLength(3);
      for (const { headers, text } of calls) {
        expect(headers["mcp-protocol-version"]).toBe("2025-11-25");
        expect(headers["mcp-session-id"]).toMatch(/^[0-9a-f-]{36}$/);
        expect(text).not.toContain("io.modelcontextprotocol");
      }
      await peer.close();
    }
  });
});
