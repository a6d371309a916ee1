/**
 * What a server samples through the proxy, in both eras. Its client's tags do not shape it, and null means
 * absent.
 */
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  CreateMessageResultWithToolsSchema,
  type ClientCapabilities,
  type CreateMessageRequest,
  type McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { formatSentences, verbositySentences } from "../../src/domain/sampling/shaping.ts";
import { adminOf, asking, at, createTenant } from "../fakes/caller.ts";
import { faultyText, startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { startSdkServer, type FakeServer } from "../fakes/mcp-servers.ts";
import { connectThrough, modernMeta, proxyKey, register, sendModern } from "../fakes/proxied.ts";
import { startRawServer, type RawServer } from "../fakes/raw-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const eras = ["legacy", "modern"] as const;
type Era = (typeof eras)[number];
const features = ["agent", "format=json", "verbosity=compact", "format=xml"];
const tags: ClientCapabilities = {
  extensions: { "io.modelcontextprotocol/content-negotiation": { version: "1.0", features } },
};
/** With a price, so that the record has a cost. The server is never told the cost. */
const models = [{ id: "one", tools: true, inputUsdPerMTok: 1, outputUsdPerMTok: 1 }];
const rules = [
  { when: ["format=json"], set: { systemPromptSuffix: "The client reads data." } },
  { when: ["human"], set: { format: "markdown" } },
];

let provider: FaultyProvider;
let router: SharedRouter;
let servers: { legacy: FakeServer; modern: RawServer };
let admin: ReturnType<typeof adminOf>;
const keys: Record<string, string> = {};

/** Samples with the params that it is called with, and says what it got. */
function samples(server: McpServer): void {
  server.registerTool("ask", { inputSchema: { text: z.string() } }, async ({ text }, extra) => {
    const params = JSON.parse(text) as CreateMessageRequest["params"];
    const said = await extra
      .sendRequest({ method: "sampling/createMessage", params }, CreateMessageResultWithToolsSchema)
      .catch(({ code, message, data }: McpError) => ({ code, message, data }));
    return { content: [{ type: "text", text: JSON.stringify(said) }] };
  });
}

beforeAll(async () => {
  provider = await startFaultyProvider({ slowMs: 4_000 });
  router = await borrowRouter();
  admin = adminOf(router, router.adminToken);
  servers = { legacy: await startSdkServer({ build: samples }), modern: await startRawServer() };
  servers.modern.handle(({ json: { id, params } }, reply) => {
    const answered = params?.inputResponses?.["llm"];
    const asked = JSON.parse(String(at(params, "arguments.text"))) as unknown;
    const entry = { method: "sampling/createMessage", params: asked };
    const result =
      answered === undefined
        ? { resultType: "input_required", inputRequests: { llm: entry } }
        : { resultType: "complete", content: [{ type: "text", text: JSON.stringify(answered) }] };
    reply.json({ jsonrpc: "2.0", id, result });
  });
  for (const [slug, policy] of [
    ["plain", {}],
    ["ruled", { rules }],
  ] as const) {
    const baseUrl = provider.url("openai-compatible");
    await createTenant(router, slug, { provider: "openai-compatible", baseUrl, models, policy });
    keys[slug] = await proxyKey(router, slug);
    for (const era of eras) await register(router, slug, { slug: era, url: servers[era].url });
  }
});
afterAll(async () => {
  await Promise.all([servers?.legacy.stop(), servers?.modern.stop(), provider?.stop()]);
});
beforeEach(() => provider.clear());

/** The answer that the server got. */
async function sampledBy(era: Era, tenant: string, params: object): Promise<unknown> {
  const url = `${router.url}/mcp/${tenant}/${era}`;
  const key = keys[tenant] ?? "";
  const text = JSON.stringify(params);
  if (era === "modern") {
    const response = await sendModern(url, key, {
      params: { name: "ask", arguments: { text }, _meta: modernMeta(tags) },
      headers: { Accept: "application/json" },
    });
    return JSON.parse(String(at(await response.json(), "result.content.0.text")));
  }
  const { client, call } = await connectThrough(url, key, { capabilities: tags });
  try {
    return JSON.parse(await call("ask", text));
  } finally {
    await client.close();
  }
}

interface Sent {
  messages: { role: string; content: unknown }[];
  response_format?: unknown;
}
const sent = (): Sent => {
  const [request, ...more] = provider.requests();
  expect(more).toEqual([]);
  return JSON.parse(request?.body ?? "null") as Sent;
};
const systemOf = ({ messages }: Sent): unknown =>
  messages.find(({ role }) => role === "system")?.content;
const newestOf = async (tenant: string): Promise<Record<string, unknown>> => {
  const page = await admin("GET", `/tenants/${tenant}/requests?limit=1`);
  const [{ id } = { id: "" }] = page.get("data") as { id: string }[];
  return (await admin("GET", `/tenants/${tenant}/requests/${id}`)).body as Record<string, unknown>;
};

describe.each(eras)("a server's sampling, %s", (era) => {
  // The answer is prose, which would be a fault if JSON were asked for.
  it("is not shaped by the format and the verbosity of the server's client", async () => {
    const answered = await sampledBy(era, "plain", asking("hello", { systemPrompt: "Be kind." }));
    expect(answered).toMatchObject({ content: { type: "text", text: faultyText } });
    const body = sent();
    expect(systemOf(body)).toBe("Be kind.");
    expect(body).not.toHaveProperty("response_format");
    expect((await newestOf("plain"))["decision"]).toMatchObject({
      negotiation: {
        features: ["agent", "format=json", "verbosity=compact"],
        ignored: ["format=xml"],
        format: null,
        verbosity: null,
        rules: [],
      },
    });
  });

  it("is shaped by the tenant's rules, which read all tags", async () => {
    await sampledBy(era, "ruled", asking("hello", { systemPrompt: "Be kind." }));
    const system = systemOf(sent());
    expect(system).toBe("Be kind.\n\nThe client reads data.");
    for (const sentence of [formatSentences.json, verbositySentences.compact])
      expect(system).not.toContain(sentence);
    expect((await newestOf("ruled"))["decision"]).toMatchObject({
      negotiation: { format: null, rules: [0] },
    });
  });

  it("reads null as absent, while the server's own bytes stay", async () => {
    const params = asking("hello", {
      systemPrompt: null,
      temperature: null,
      stopSequences: null,
      includeContext: null,
      modelPreferences: { hints: null, costPriority: null },
      metadata: null,
    });
    expect(await sampledBy(era, "plain", asking("hello"))).toMatchObject({ role: "assistant" });
    const bare = sent();
    provider.clear();
    expect(await sampledBy(era, "plain", params)).toMatchObject({ role: "assistant" });
    expect(sent()).toEqual(bare);
    // The client's own message went to the server as it came.
    const heard = era === "legacy" ? servers.legacy.heard : servers.modern.requests();
    const texts = heard.map(({ text }) => text);
    expect(texts.some((text) => text.includes(JSON.stringify(JSON.stringify(params))))).toBe(true);
  });

  it("tells the server neither its cost nor its client's tags", async () => {
    const answered = JSON.stringify(await sampledBy(era, "plain", asking("hello")));
    for (const word of ["sampling-router/decision", "costUsd", "format=", "ignored"])
      expect(answered).not.toContain(word);
  });
});
