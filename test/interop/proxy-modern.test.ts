/** The official SDK v2 on both sides, the router in between: nobody knows that it is there. */
import { Client, ProtocolError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { adminOf, createTenant } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { startSdkServer, type SdkServer } from "../fakes/sdk-server.ts";

const modern = "2026-07-28";
let aimock: Aimock;
let router: SharedRouter;
let server: SdkServer;
let key = "";
let keyId = "";
let admin: ReturnType<typeof adminOf>;

beforeAll(async () => {
  [aimock, router, server] = await Promise.all([
    startAimock([
      { match: { userMessage: "hello" }, response: { content: "Hi there!", usage: usageOf(9, 3) } },
    ]),
    borrowRouter(),
    startSdkServer(),
  ]);
  admin = adminOf(router, router.adminToken);
  await createTenant(router, "sdk", {
    provider: "openai",
    baseUrl: aimock.url("openai"),
    policy: { allowedModels: ["openai/gpt-4.1-mini"] },
  });
  for (const sampling of ["router", "deny", "client-then-router"])
    expect(
      (await admin("POST", "/tenants/sdk/servers", { slug: sampling, url: server.url, sampling }))
        .status,
    ).toBe(201);
  const made = await admin("POST", "/tenants/sdk/keys", { name: "p", scopes: ["proxy"] });
  key = String(made.get("key"));
  keyId = String(made.get("id"));
});
afterAll(async () => {
  await Promise.all([aimock?.stop(), server?.stop()]);
});
beforeEach(() => aimock.clear());

/** A client that elicits, and samples only if told to. */
async function connected<T>(
  about: { server?: string; samples?: boolean },
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(
    { name: "sdk-client", version: "1" },
    {
      capabilities: { elicitation: {}, ...(about.samples === true ? { sampling: {} } : {}) },
      versionNegotiation: { mode: { pin: modern } },
    },
  );
  client.setRequestHandler("elicitation/create", () => ({
    action: "accept",
    content: { name: "Ada" },
  }));
  if (about.samples === true)
    client.setRequestHandler("sampling/createMessage", () => ({
      role: "assistant",
      content: { type: "text", text: "by the client" },
      model: "client",
    }));
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`/mcp/sdk/${about.server ?? "router"}`, router.url), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    }),
  );
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? "";
const tool = (name: string) => ({ name, arguments: { q: "hello" } });

describe("a client that declares no sampling", () => {
  it("is served by a server that demands it", async () => {
    await connected({}, async (client) => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("ask");
      expect(textOf(await client.callTool(tool("ask")))).toContain("Hi there!");
      const prompt = await client.getPrompt({ name: "written" });
      expect(JSON.stringify(prompt)).toContain("Hi there!");
      const resource = await client.readResource({ uri: "made:it" });
      expect(JSON.stringify(resource)).toContain("Hi there!");
      expect(resource).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    });
    const page = await admin("GET", `/tenants/sdk/requests?key=${keyId}&limit=3`);
    const records = page.get("data") as { who: { tool: string | null; clientName: string } }[];
    expect(records.map(({ who }) => [who.tool, who.clientName])).toEqual([
      [null, "sdk-client"],
      [null, "sdk-client"],
      ["ask", "sdk-client"],
    ]);
  });

  it("is asked its own questions, in the same round or in another", async () => {
    await connected({}, async (client) => {
      const both = textOf(await client.callTool(tool("both")));
      expect(both).toContain("both");
      expect(both).toContain("Ada");
      expect(both).toContain("Hi there!");
      const then = textOf(await client.callTool(tool("person-first")));
      expect(then).toContain("Ada");
      expect(then).toContain("Hi there!");
    });
  });

  it("receives progress in every round", async () => {
    const progress: number[] = [];
    await connected({}, async (client) => {
      const result = await client.callTool(tool("tells"), {
        onprogress: (told) => progress.push(told.progress),
      });
      expect(textOf(result)).toContain("Hi there!");
    });
    expect(progress).toEqual([1, 2]);
  });

  it("is refused in the mode deny as without the router", async () => {
    const refused = await connected({ server: "deny" }, (client) =>
      client.callTool(tool("ask")).then(
        () => null,
        (error: unknown) => error,
      ),
    );
    expect(refused).toBeInstanceOf(ProtocolError);
    expect(refused).toMatchObject({ code: -32021 });
  });
});

describe("a client that samples", () => {
  it("answers for itself by `client-then-router`, and never by `router`", async () => {
    const asked = (name: string) =>
      connected({ server: name, samples: true }, (client) => client.callTool(tool("ask")));
    expect(textOf(await asked("client-then-router"))).toContain("by the client");
    expect(textOf(await asked("router"))).toContain("Hi there!");
  });
});
