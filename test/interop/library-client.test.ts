/** `mcp-sampling-router/client` as the handler of clients of both official SDKs, in both eras. */
import { Client as ClientV2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as ServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  routedSampling,
  SamplingError,
  type RoutedSampling,
  type RoutedSamplingOptions,
} from "../../src/libraries/client/routed-sampling.ts";
import { createTenant } from "../fakes/caller.ts";
import { faultyText, startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { startSdkServer, type SdkServer } from "../fakes/sdk-server.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

let router: SharedRouter;
let provider: FaultyProvider;
let modernServer: SdkServer;
let key = "";

beforeAll(async () => {
  [router, provider, modernServer] = await Promise.all([
    borrowRouter(),
    startFaultyProvider(),
    startSdkServer(),
  ]);
  provider.setMode("fine");
  ({ key } = await createTenant(router, "library", {
    provider: "openai",
    baseUrl: provider.url("openai"),
    policy: { allowedModels: ["openai/gpt-4.1-mini"] },
  }));
});
afterAll(() => Promise.all([provider.stop(), modernServer.stop()]));
beforeEach(() => provider.clear());

const routed = (more: Partial<RoutedSamplingOptions> = {}): RoutedSampling =>
  routedSampling({ url: router.url, key, ...more });
const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? "";

/** The text of a tool that samples, through a client of SDK v1. */
async function throughV1({ capabilities, handleRequest }: RoutedSampling): Promise<string> {
  const server = new ServerV1({ name: "v1", version: "1" });
  server.registerTool("ask", { inputSchema: { q: z.string() } }, async ({ q }) => {
    const { content } = await server.server.createMessage({
      messages: [{ role: "user", content: { type: "text", text: q } }],
      maxTokens: 50,
    });
    return { content: [{ type: "text", text: JSON.stringify(content) }] };
  });
  const client = new ClientV1({ name: "v1", version: "1" }, { capabilities });
  client.setRequestHandler(CreateMessageRequestSchema, handleRequest);
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  const result = await client.callTool({ name: "ask", arguments: { q: "hello" } });
  await client.close();
  return textOf(result);
}

/** The same in 2026-07-28, where SDK v2 answers the server's question with the client's handler. */
async function throughV2({ capabilities, handleRequest }: RoutedSampling): Promise<string> {
  const client = new ClientV2(
    { name: "v2", version: "1" },
    { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  client.setRequestHandler("sampling/createMessage", handleRequest);
  await client.connect(new StreamableHTTPClientTransport(new URL(modernServer.url)));
  const result = await client.callTool({ name: "ask", arguments: { q: "hello" } });
  await client.close();
  return textOf(result);
}

describe.each([
  { name: "SDK v1", through: throughV1 },
  { name: "SDK v2 in 2026-07-28", through: throughV2 },
])("$name", ({ through }) => {
  it("lets the router answer the server's request", async () => {
    expect(await through(routed())).toContain(faultyText);
    expect(provider.requests()).toHaveLength(1);
  });

  it("sends the request as the user edited it", async () => {
    const asked: string[] = [];
    await through(
      routed({
        askUser: async (params) => {
          asked.push(JSON.stringify(params.messages));
          return { ...params, systemPrompt: "Answer as a pirate." };
        },
      }),
    );
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("hello");
    expect(provider.requests()[0]?.body).toContain("pirate");
  });
});

describe("a user who says no", () => {
  it("is reported to the server, and the router is not called", async () => {
    expect(await throughV1(routed({ askUser: async () => false }))).toContain(
      "User rejected sampling request",
    );
    expect(provider.requests()).toEqual([]);
  });
});

it("refuses an absent key at once", () => {
  expect(() => routedSampling({ url: router.url, key: undefined })).toThrow(
    expect.objectContaining({ name: "SamplingError", reason: "unauthorized", code: -401 }),
  );
});

describe("fulfil", () => {
  const params = {
    messages: [{ role: "user", content: { type: "text", text: "hello" } }],
    maxTokens: 50,
  };

  it("answers the sampling in a result that asks for input, and leaves the rest", async () => {
    const answers = await routed().fulfil({
      resultType: "input_required",
      inputRequests: {
        llm: { method: "sampling/createMessage", params },
        name: { method: "elicitation/create", params: {} },
      },
    });
    expect(Object.keys(answers)).toEqual(["llm"]);
    expect(answers["llm"]?.content).toEqual({ type: "text", text: faultyText });
  });

  it("throws the router's refusal", async () => {
    const result = {
      resultType: "input_required",
      inputRequests: {
        llm: { method: "sampling/createMessage", params: { ...params, maxTokens: 0 } },
      },
    };
    const thrown = await routed()
      .fulfil(result)
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(SamplingError);
    expect(thrown).toMatchObject({ reason: "invalid_params" });
  });
});
