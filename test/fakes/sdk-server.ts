/** A server written with the official SDK v2, modern only, whose tools, prompt and resource sample. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline, Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";
import {
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  McpServer,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";

export interface SdkServer {
  url: string;
  /** every request, as it came */
  heard: { method: string; headers: Record<string, string>; text: string }[];
  /** responses that have not ended */
  open(): number;
  stop(): Promise<void>;
}

const states = createRequestStateCodec<{ step: string }>({
  key: "a key of thirty-two characters!!",
  bind: (ctx) => ctx.mcpReq.method,
});

const asking = (text: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 50,
  });
const name = inputRequired.elicit({
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
});

/** What the client's side said to an entry, as JSON; undefined: nothing yet. */
const saidTo = (ctx: ServerContext, key: string): string | undefined =>
  ctx.mcpReq.inputResponses?.[key] === undefined
    ? undefined
    : JSON.stringify(ctx.mcpReq.inputResponses[key]);
const says = (text: string) => ({ content: [{ type: "text" as const, text }] });
const stepOf = (ctx: ServerContext): string | undefined =>
  ctx.mcpReq.requestState<{ step: string }>()?.step;

function build(): McpServer {
  const server = new McpServer(
    { name: "sdk-v2", version: "1" },
    { requestState: { verify: states.verify } },
  );
  const inputSchema = z.object({ q: z.string() });
  const round = async (
    ctx: ServerContext,
    step: string,
    inputRequests: Parameters<typeof inputRequired>[0]["inputRequests"],
  ): Promise<InputRequiredResult> =>
    inputRequired({
      ...(inputRequests === undefined ? {} : { inputRequests }),
      requestState: await states.mint({ step }, ctx),
    });

  server.registerTool("ask", { inputSchema }, async ({ q }, ctx) => {
    const said = saidTo(ctx, "llm");
    return said === undefined || stepOf(ctx) !== "asked"
      ? round(ctx, "asked", { llm: asking(q) })
      : says(said);
  });
  server.registerTool("both", { inputSchema }, async ({ q }, ctx) => {
    const llm = saidTo(ctx, "llm");
    const person = saidTo(ctx, "name");
    return llm === undefined || person === undefined
      ? round(ctx, "both", { llm: asking(q), name })
      : says(`${stepOf(ctx)} ${person} ${llm}`);
  });
  server.registerTool("person-first", { inputSchema }, async ({ q }, ctx) => {
    if (stepOf(ctx) === undefined) return round(ctx, "person", { name });
    if (stepOf(ctx) === "person")
      return round(ctx, `asked ${saidTo(ctx, "name")}`, { llm: asking(q) });
    return says(`${stepOf(ctx)} ${saidTo(ctx, "llm")}`);
  });
  server.registerTool("tells", { inputSchema }, async ({ q }, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    if (progressToken !== undefined)
      await ctx.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress: stepOf(ctx) === undefined ? 1 : 2 },
      });
    return saidTo(ctx, "llm") === undefined
      ? round(ctx, "told", { llm: asking(q) })
      : says(String(saidTo(ctx, "llm")));
  });
  server.registerPrompt("written", {}, async (ctx) =>
    saidTo(ctx, "llm") === undefined
      ? round(ctx, "prompt", { llm: asking("hello") })
      : {
          messages: [{ role: "user", content: { type: "text", text: String(saidTo(ctx, "llm")) } }],
        },
  );
  server.registerResource("made", "made:it", {}, async (uri, ctx) =>
    saidTo(ctx, "llm") === undefined
      ? round(ctx, "resource", { llm: asking("hello") })
      : { contents: [{ uri: uri.href, text: String(saidTo(ctx, "llm")) }] },
  );
  return server;
}

async function answer(
  handle: (request: Request) => Promise<Response>,
  request: IncomingMessage,
  response: ServerResponse,
  heard: SdkServer["heard"],
): Promise<void> {
  const left = new AbortController();
  response.once("close", () => left.abort());
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const headers = new Headers();
  for (const [header, value] of Object.entries(request.headers)) headers.set(header, String(value));
  heard.push({
    method: request.method ?? "",
    headers: Object.fromEntries(headers),
    text: Buffer.concat(parts).toString(),
  });
  const answered = await handle(
    new Request(`http://127.0.0.1${request.url ?? "/"}`, {
      method: request.method ?? "POST",
      headers,
      signal: left.signal,
      ...(request.method === "POST" ? { body: Buffer.concat(parts) } : {}),
    }),
  );
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  // Else a stream would seem to be missing until its first event.
  response.flushHeaders();
  if (answered.body === null) response.end();
  // Ends one side when the other has gone: else a server would think that its stream is still read.
  else pipeline(Readable.fromWeb(answered.body as NodeStream), response, () => {});
}

/** Serves what answers a web request on loopback, streams included. */
export async function listenWith(
  handle: (request: Request) => Promise<Response>,
): Promise<SdkServer> {
  const heard: SdkServer["heard"] = [];
  const open = new Set<ServerResponse>();
  const http = createServer((request, response) => {
    open.add(response);
    response.once("close", () => open.delete(response));
    void answer(handle, request, response, heard);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    heard,
    open: () => open.size,
    async stop() {
      for (const response of open) response.destroy();
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      // Connections that wait for a next request would keep the server's end waiting.
      http.closeAllConnections();
      await closed;
    },
  };
}

export async function startSdkServer(
  make: () => McpServer = build,
  legacy: "reject" | "stateless" = "reject",
): Promise<SdkServer> {
  const handler = createMcpHandler(make, { legacy });
  const listening = await listenWith(handler.fetch);
  return {
    ...listening,
    async stop() {
      await Promise.all([listening.stop(), handler.close()]);
    },
  };
}
