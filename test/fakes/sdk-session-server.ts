/** A server written with the official SDK v2 that speaks the legacy wire: with sessions, in which it samples. */
import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  inputRequired,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
  type CreateMessageRequest,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { listenWith, type SdkServer } from "./sdk-server.ts";

export interface SdkSessionServer extends SdkServer {
  /** what its tool `later` got, after its call had ended */
  notes: string[];
}

const asking = (text: string): CreateMessageRequest["params"] => ({
  messages: [{ role: "user", content: { type: "text", text } }],
  maxTokens: 50,
});
const says = (said: unknown) => ({
  content: [{ type: "text" as const, text: JSON.stringify(said) }],
});

function build(notes: string[]): McpServer {
  const server = new McpServer({ name: "sdk-v2-sessions", version: "1" });
  const inputSchema = z.object({ text: z.string() });
  server.registerTool("ask", { inputSchema }, async ({ text }, ctx) =>
    says(await ctx.mcpReq.requestSampling(asking(text), { relatedRequestId: ctx.mcpReq.id })),
  );
  const look = { name: "look", inputSchema: { type: "object" as const } };
  server.registerTool("ask_with_tools", { inputSchema }, async ({ text }, ctx) =>
    says(await ctx.mcpReq.requestSampling({ ...asking(text), tools: [look] })),
  );
  // By default the SDK names no related request, so the message goes on the GET stream.
  server.registerTool("ask_aside", { inputSchema }, async ({ text }, ctx) =>
    says(await ctx.mcpReq.requestSampling(asking(text))),
  );
  server.registerTool("later", { inputSchema }, async ({ text }) => {
    setTimeout(() => {
      server.server.createMessage(asking(text)).then(
        (result) => notes.push(JSON.stringify(result)),
        (error: unknown) => notes.push(String(error)),
      );
    }, 300);
    return says("later");
  });
  // Written for the modern era: the SDK itself turns its rounds into sampling requests.
  server.registerTool("ask_in_rounds", { inputSchema }, async ({ text }, ctx) => {
    const step = Number(ctx.mcpReq.requestState<string>() ?? 0);
    if (step === 2) return says(ctx.mcpReq.inputResponses);
    return inputRequired({
      inputRequests: { [`q${step}`]: inputRequired.createMessage(asking(`${text} ${step}`)) },
      requestState: String(step + 1),
    });
  });
  return server;
}

/** `modern`: requests of that era are answered too, by the SDK's own handler. */
export async function startSdkSessionServer(
  also: "legacy alone" | "modern" = "legacy alone",
): Promise<SdkSessionServer> {
  const notes: string[] = [];
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const modern = createMcpHandler(() => build(notes), { legacy: "reject" });
  const begin = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await build(notes).connect(transport);
    return transport;
  };
  const listening = await listenWith(async (request) => {
    if (also === "modern" && !(await isLegacyRequest(request))) return modern.fetch(request);
    const begins = request.method === "POST" && !request.headers.has("mcp-session-id");
    if (begins && (await request.clone().text()).includes('"method":"initialize"'))
      return (await begin()).handleRequest(request);
    const transport = transports.get(request.headers.get("mcp-session-id") ?? "");
    return transport === undefined
      ? Response.json(
          { jsonrpc: "2.0", error: { code: -32000, message: "No session." }, id: null },
          { status: 400 },
        )
      : transport.handleRequest(request);
  });
  return {
    ...listening,
    notes,
    async stop() {
      await Promise.all([listening.stop(), modern.close()]);
    },
  };
}
