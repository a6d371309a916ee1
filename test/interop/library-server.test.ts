/**
 * `mcp-sampling-router/server` in servers written with both official SDKs, asked by clients of both, in both
 * eras, against the product as it is started.
 */
import { Client as ClientV2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as ServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import {
  createMcpHandler,
  InMemoryTransport as InMemoryV2,
  inputRequired,
  McpServer as ServerV2,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import {
  hostedSampling,
  SamplingError,
  type CreateMessageOptions,
  type HandlerContext,
  type HostedSampling,
  type HostedSamplingOptions,
  type Mode,
  type SdkServer,
} from "../../src/libraries/server/hosted-sampling.ts";
import { createTenant } from "../fakes/caller.ts";
import { faultyText, startFaultyProvider, type FaultyProvider } from "../fakes/faulty-provider.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";

const asking = (text: string) => ({
  messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
  maxTokens: 50,
});
const lookUp = { name: "look_up", inputSchema: { type: "object" as const } };
const clientsAnswer = (text: string) => ({
  role: "assistant" as const,
  model: "the client's",
  content: { type: "text" as const, text },
});

/** What a tool's handler does; its last word is the tool's text. */
type Work = (context: HandlerContext, sampling: HostedSampling, text: string) => Promise<string>;

const sampleOnce: Work = async (context, sampling, text) => {
  const { content } = await sampling.createMessage(context, asking(text));
  return content.type === "text" ? content.text : content.type;
};

let router: SharedRouter;
let provider: FaultyProvider;
let key = "";

beforeAll(async () => {
  router = await borrowRouter();
  provider = await startFaultyProvider();
  ({ key } = await createTenant(router, "library", {
    provider: "openai",
    baseUrl: provider.url("openai"),
    policy: { allowedModels: ["openai/gpt-4.1-mini"] },
  }));
});
afterAll(() => provider.stop());
beforeEach(() => {
  provider.setMode("fine");
  provider.clear();
});

const hosted = (more: Partial<HostedSamplingOptions>): HostedSampling =>
  hostedSampling({ url: router.url, key, ...more });

interface About {
  /** null: the client can't sample */
  sampling: object | null;
  mode?: Mode;
  /** the library is told the server, so that it knows the client's capabilities */
  isServerKnown?: boolean;
  work?: Work;
  /** what the client does when it is asked; absent: it answers */
  answers?: (signal: AbortSignal) => Promise<ReturnType<typeof clientsAnswer>>;
}

interface Told {
  text: string;
  /** what the client was asked */
  asked: string[];
}

const capabilitiesOf = ({ sampling }: About) => (sampling === null ? {} : { sampling });
const optionsOf = ({ mode, isServerKnown = true }: About, server: SdkServer) => ({
  ...(mode === undefined ? {} : { mode }),
  ...(isServerKnown ? { server } : {}),
});
const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? "";
const says = (text: string) => ({ content: [{ type: "text" as const, text }] });

async function withV1(about: About): Promise<Told> {
  const server = new ServerV1({ name: "v1", version: "1" });
  const sampling = hosted(optionsOf(about, server));
  const { work = sampleOnce } = about;
  server.registerTool("work", { inputSchema: { text: z.string() } }, async ({ text }, extra) =>
    says(await work(extra, sampling, text)),
  );
  const client = new ClientV1(
    { name: "v1", version: "1" },
    { capabilities: capabilitiesOf(about) },
  );
  const asked: string[] = [];
  if (about.sampling !== null)
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }, { signal }) => {
      asked.push(JSON.stringify(params));
      return about.answers?.(signal) ?? clientsAnswer("from the client");
    });
  const [here, there] = InMemoryV1.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  try {
    const result = await client.callTool({ name: "work", arguments: { text: "hello" } });
    return { text: textOf(result), asked };
  } finally {
    await client.close();
  }
}

function serverV2(about: About): ServerV2 {
  const server = new ServerV2({ name: "v2", version: "1" });
  const sampling = hosted(optionsOf(about, server));
  const { work = sampleOnce } = about;
  const inputSchema = z.object({ text: z.string() });
  const handler = async ({ text }: { text: string }, ctx: ServerContext) =>
    says(await work(ctx, sampling, text));
  server.registerTool("work", { inputSchema }, handler);
  server.registerTool("in_rounds", { inputSchema }, sampling.rounds(handler));
  return server;
}

async function callV2(client: ClientV2, about: About, tool: string): Promise<Told> {
  const asked: string[] = [];
  if (about.sampling !== null)
    client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq }) => {
      asked.push(JSON.stringify(params));
      return about.answers?.(mcpReq.signal) ?? clientsAnswer(`from the client ${asked.length}`);
    });
  client.setRequestHandler("elicitation/create", () => ({
    action: "accept",
    content: { name: "Ann" },
  }));
  const result = await client.callTool({ name: tool, arguments: { text: "hello" } });
  await client.close();
  return { text: textOf(result), asked };
}

async function withV2(about: About, tool = "work"): Promise<Told> {
  const server = serverV2(about);
  const client = new ClientV2(
    { name: "v2", version: "1" },
    { capabilities: { ...capabilitiesOf(about), elicitation: {} } },
  );
  const [here, there] = InMemoryV2.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  return callV2(client, about, tool);
}

/** 2026-07-28, over HTTP as the SDK speaks it, without a socket between. */
async function withModern(about: About, tool = "work", bodies: string[] = []): Promise<Told> {
  const handler = createMcpHandler(() => serverV2(about), { legacy: "reject" });
  const client = new ClientV2(
    { name: "v2", version: "1" },
    {
      capabilities: { ...capabilitiesOf(about), elicitation: {} },
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    },
  );
  const transport = new StreamableHTTPClientTransport(new URL("http://server.example/mcp"), {
    fetch: async (url, init) => {
      bodies.push(String(init?.body ?? ""));
      return handler.fetch(new Request(url, init));
    },
  });
  await client.connect(transport);
  const told = await callV2(client, about, tool);
  await handler.close();
  return told;
}

const ways = [
  { name: "SDK v1", call: withV1 },
  { name: "SDK v2 in a session", call: withV2 },
] as const;

/** The client answers with a JSON-RPC error. */
const answersError = (code: number, data?: object) => async () => {
  throw Object.assign(new Error("No."), { code, data });
};
/** The client answers when the server has given up. */
const answersLate = (signal: AbortSignal) =>
  new Promise<ReturnType<typeof clientsAnswer>>((resolve) => {
    signal.addEventListener("abort", () => resolve(clientsAnswer("too late")));
  });
const refusedByRouter = { reason: "rate_limited", retryable: true, retryAfterMs: 5 };

/** What a handler catches, as its tool's text. */
const catching =
  (options: (leave: AbortController) => CreateMessageOptions): Work =>
  async (context, sampling, text) => {
    const leave = new AbortController();
    const asked = sampling.createMessage(context, asking(text), options(leave));
    setTimeout(() => leave.abort(), 20);
    const error = await asked.then(
      () => null,
      (caught: unknown) => caught,
    );
    if (!(error instanceof SamplingError)) return `no SamplingError: ${String(error)}`;
    const { reason, code, retryable, retryAfterMs, message } = error;
    return JSON.stringify({ reason, code, retryable, retryAfterMs, message });
  };

describe.each(ways)("$name", ({ call }) => {
  it.each([
    ["that its user refuses", answersError(-1), ["user_rejected", -1, false]],
    ["that it fails", answersError(-32603), ["client_failed", -32603, false]],
    ["that the params are wrong", answersError(-32602), ["invalid_params", -32602, false]],
    ["that it can't sample", answersError(-32601), ["client_out_of_reach", -32602, false]],
    ["what its router refused", answersError(-429, refusedByRouter), ["rate_limited", -429, true]],
  ])("throws a SamplingError when the client says %s", async (_name, answers, expected) => {
    const { text } = await call({ sampling: {}, answers, work: catching(() => ({})) });
    const { reason, code, retryable, message } = JSON.parse(text) as Record<string, unknown>;
    expect([reason, code, retryable]).toEqual(expected);
    expect(message).not.toContain("MCP error");
  });

  it("throws a SamplingError when the client answers too late, or nobody waits any more", async () => {
    const reasonOf = async (work: Work) =>
      JSON.parse((await call({ sampling: {}, answers: answersLate, work })).text) as object;
    expect(await reasonOf(catching(() => ({ timeoutMs: 5 })))).toMatchObject({
      reason: "timed_out",
      code: -504,
      retryable: true,
    });
    expect(await reasonOf(catching(({ signal }) => ({ signal })))).toMatchObject({
      reason: "cancelled",
      code: -499,
      retryable: false,
    });
  });

  it("asks only the client where the client can sample", async () => {
    const { text, asked } = await call({ sampling: {} });
    expect(text).toContain("from the client");
    expect(asked).toHaveLength(1);
    expect(provider.requests()).toEqual([]);
  });

  it.each([
    ["a client that can't sample", { sampling: null }],
    ["a client of which nothing is known", { sampling: {}, isServerKnown: false }],
    ["a client that can sample, in the mode router", { sampling: {}, mode: "router" as const }],
  ])("asks the router for %s", async (_name, about) => {
    const { text, asked } = await call(about);
    expect(text).toBe(faultyText);
    expect(asked).toEqual([]);
    expect(provider.requests()).toHaveLength(1);
  });

  it("asks the router for tools that the client did not declare", async () => {
    const work: Work = async (context, sampling, text) =>
      (await sampling.createMessage(context, { ...asking(text), tools: [lookUp] })).model;
    expect((await call({ sampling: {}, work })).asked).toEqual([]);
    expect(provider.requests()).toHaveLength(1);
    expect((await call({ sampling: { tools: {} }, work })).text).toBe("the client's");
    expect(provider.requests()).toHaveLength(1);
  });

  it("asks the client alone in the mode client", async () => {
    const { asked } = await call({ sampling: {}, mode: "client", isServerKnown: false });
    expect(asked).toHaveLength(1);
    expect(provider.requests()).toEqual([]);
  });
});

describe("2026-07-28", () => {
  it("has the router answer a plain handler", async () => {
    const { text, asked } = await withModern({ sampling: {} });
    expect(text).toBe(faultyText);
    expect(asked).toEqual([]);
  });

  it("says that a plain handler in the mode client can't ask", async () => {
    const { text } = await withModern({ sampling: {}, mode: "client" });
    expect(text).toBe("In 2026-07-28 a handler asks its client inside of rounds().");
  });

  it("asks the client in rounds", async () => {
    const { text, asked } = await withModern({ sampling: {} }, "in_rounds");
    expect(text).toBe("from the client 1");
    expect(asked).toHaveLength(1);
    expect(provider.requests()).toEqual([]);
  });

  it("pays the router once, however often the handler runs", async () => {
    let runs = 0;
    const work: Work = async (context, sampling, text) => {
      runs += 1;
      const { model } = await sampling.createMessage(context, {
        ...asking(`${text} with tools`),
        tools: [lookUp],
      });
      const answers = [model];
      for (const question of ["one", "two"])
        answers.push(
          JSON.stringify((await sampling.createMessage(context, asking(question))).content),
        );
      return answers.join(" ");
    };
    const { text, asked } = await withModern({ sampling: {}, work }, "in_rounds");
    expect(runs).toBe(3);
    expect(asked.map((each) => at(each))).toEqual(["one", "two"]);
    expect(text).toMatch(/^openai\/gpt-4.1-mini .*client 1.*client 2/);
    expect(provider.requests()).toHaveLength(1);
  });

  it("asks side by side in one round", async () => {
    const bodies: string[] = [];
    const work: Work = async (context, sampling) => {
      const answers = await Promise.all(
        ["one", "two"].map((each) => sampling.createMessage(context, asking(each))),
      );
      return answers.map(({ content }) => JSON.stringify(content)).join(" ");
    };
    const { text, asked } = await withModern({ sampling: {}, work }, "in_rounds", bodies);
    expect(asked.map((each) => at(each))).toEqual(["one", "two"]);
    expect(text).toMatch(/client 1.*client 2/);
    expect(bodies.filter((body) => body.includes('"tools/call"'))).toHaveLength(2);
  });

  it("keeps a handler's own question beside the sampling", async () => {
    const work: Work = async (context, sampling) => {
      const { content } = await sampling.createMessage(context, asking("one"));
      return JSON.stringify(content);
    };
    const about: About = { sampling: {}, work };
    const handler = createMcpHandler(
      () => {
        const server = new ServerV2({ name: "v2", version: "1" });
        const sampling = hosted({});
        server.registerTool(
          "work",
          { inputSchema: z.object({ text: z.string() }) },
          sampling.rounds(async (_args: { text: string }, ctx: ServerContext) => {
            const answer = sampling.createMessage(ctx, asking("one")).catch(() => null);
            const name = ctx.mcpReq.inputResponses?.["name"];
            if (name === undefined) {
              await answer;
              return inputRequired({
                inputRequests: {
                  name: inputRequired.elicit({
                    message: "Your name?",
                    requestedSchema: { type: "object", properties: { name: { type: "string" } } },
                  }),
                },
              });
            }
            return says(`${JSON.stringify(name)} ${JSON.stringify((await answer)?.content)}`);
          }),
        );
        return server;
      },
      { legacy: "reject" },
    );
    const client = new ClientV2(
      { name: "v2", version: "1" },
      {
        capabilities: { sampling: {}, elicitation: {} },
        versionNegotiation: { mode: { pin: "2026-07-28" } },
      },
    );
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://server.example/mcp"), {
        fetch: async (url, init) => handler.fetch(new Request(url, init)),
      }),
    );
    const { text } = await callV2(client, about, "work");
    expect(text).toMatch(/Ann.*from the client 1/);
  });

  it("refuses a changed state, and the state of another request", async () => {
    const handler = createMcpHandler(() => serverV2({ sampling: {} }), { legacy: "reject" });
    const send = async (text: string, more: object) => {
      const answer = await handler.fetch(
        new Request("http://server.example/mcp", {
          method: "POST",
          headers: {
            "Content-Type": "application/json",
            Accept: "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": "in_rounds",
          },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: {
              name: "in_rounds",
              arguments: { text },
              _meta: {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
                "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
              },
              ...more,
            },
          }),
        }),
      );
      const body = await answer.text();
      return JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? body) as { result: Asked };
    };
    interface Asked {
      requestState: string;
      inputRequests: object;
      content: { text: string }[];
    }
    const { result } = await send("hello", {});
    const [name = ""] = Object.keys(result.inputRequests);
    const inputResponses = { [name]: clientsAnswer("forged or not") };
    const state = result.requestState;
    const changed = `${state.slice(0, -2)}${state.endsWith("AA") ? "BB" : "AA"}`;
    const refused = "requestState does not belong to this request.";
    expect(textOf((await send("hello", { inputResponses, requestState: changed })).result)).toBe(
      refused,
    );
    expect(textOf((await send("other", { inputResponses, requestState: state })).result)).toBe(
      refused,
    );
    expect(textOf((await send("hello", { inputResponses, requestState: state })).result)).toBe(
      "forged or not",
    );
    await handler.close();
  });
});

describe("without a context", () => {
  it("asks the router in the mode router, and says so in the others", async () => {
    const { content } = await hosted({ mode: "router" }).createMessage(asking("hello"));
    expect(content).toEqual({ type: "text", text: faultyText });
    await expect(hosted({}).createMessage(asking("hello"))).rejects.toMatchObject({
      reason: "client_out_of_reach",
    });
  });

  it("gives each refusal its reason", async () => {
    const routerAlone = (more: Partial<HostedSamplingOptions>) =>
      hosted({ mode: "router", ...more });
    await expect(routerAlone({ key: "srk_x" }).createMessage(asking("a"))).rejects.toMatchObject({
      name: "SamplingError",
      reason: "unauthorized",
      retryable: false,
    });
    await expect(
      routerAlone({}).createMessage({ ...asking("a"), maxTokens: 0 }),
    ).rejects.toMatchObject({ reason: "invalid_params", code: -32602 });
    await expect(
      routerAlone({ url: "http://127.0.0.1:1" }).createMessage(asking("a"), { timeoutMs: 400 }),
    ).rejects.toMatchObject({ reason: "timed_out", retryable: true });
  });

  it.each([undefined, ""])("refuses the key %j at once", (absent) => {
    expect(() => hosted({ key: absent })).toThrow(
      expect.objectContaining({ name: "SamplingError", reason: "unauthorized", code: -401 }),
    );
  });

  it("follows no redirect, and takes no answer from one", async () => {
    // Workers knows "follow" and "manual" alone, and refuses "error".
    const modes: unknown[] = [];
    const redirecting: typeof fetch = async (_url, init) => {
      modes.push(init?.redirect);
      const result = { role: "assistant", model: "m", content: { type: "text", text: "a" } };
      const headers = {
        Location: "https://elsewhere.example/",
        "Content-Type": "application/json",
      };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, result });
      return new Response(body, { status: 307, headers });
    };
    const asked = hosted({ mode: "router", fetch: redirecting }).createMessage(asking("a"), {
      timeoutMs: 200,
    });
    await expect(asked).rejects.toMatchObject({ name: "SamplingError" });
    expect(new Set(modes)).toEqual(new Set(["manual"]));
  });

  it("ends when its signal aborts", async () => {
    provider.setMode("slow");
    const leave = new AbortController();
    const asked = hosted({ mode: "router" }).createMessage(asking("a"), { signal: leave.signal });
    setTimeout(() => leave.abort(), 100);
    await expect(asked).rejects.toMatchObject({ reason: "cancelled" });
  });

  it("pays once when the answer was lost on the way", async () => {
    let tries = 0;
    const losing: typeof fetch = async (url, init) => {
      const answer = await fetch(url, init);
      await answer.clone().text();
      tries += 1;
      if (tries === 1) throw new TypeError("fetch failed");
      return answer;
    };
    const { content } = await hosted({ mode: "router", fetch: losing }).createMessage(asking("a"));
    expect(content).toEqual({ type: "text", text: faultyText });
    expect(tries).toBe(2);
    expect(provider.requests()).toHaveLength(1);
  });
});

/** Last, since a model that failed so is left alone for a while. */
describe("a provider that fails", () => {
  it("is named, with the record's id", async () => {
    provider.setMode("rejected");
    const failed = await hosted({ mode: "router" })
      .createMessage(asking("a"))
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(SamplingError);
    expect(failed).toMatchObject({ reason: "provider_failed", code: -502 });
    expect((failed as SamplingError).requestId).toMatch(/^req_/);
  });
});

/** The text that a client was asked. */
function at(params: string): string {
  const { messages } = JSON.parse(params) as { messages: { content: { text: string } }[] };
  return messages[0]?.content.text ?? "";
}
