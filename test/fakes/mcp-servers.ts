/** MCP servers to stand the proxy before: the official example, ones of the official SDK, and scripted ones. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  StreamableHTTPServerTransport,
  type EventStore,
} from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CreateMessageResultSchema,
  CreateMessageResultWithToolsSchema,
  type CreateMessageRequest,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { isProbe } from "./raw-server.ts";
import { freePort, whenGone } from "./sqld.ts";
import { fromSource } from "../setup/from-source.ts";

/** One request as it came over the wire. */
export interface Heard {
  method: string;
  /** names in lower case */
  headers: Record<string, string>;
  text: string;
  bytes: Buffer;
  /** parsed; null: no JSON */
  body: Record<string, unknown> | null;
}

export interface FakeServer {
  url: string;
  /** all but the router's own questions after its era */
  heard: Heard[];
  /** how many of those there were */
  probes(): number;
  stop(): Promise<void>;
}

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse, heard: Heard) => Promise<void>,
): Promise<FakeServer> {
  const heard: Heard[] = [];
  let probes = 0;
  const server = createServer((request, response) => {
    const run = async (): Promise<void> => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
      const bytes = Buffer.concat(chunks);
      const text = bytes.toString("utf8");
      const headers: Record<string, string> = {};
      for (const [name, value] of Object.entries(request.headers))
        if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
      let body: Record<string, unknown> | null = null;
      try {
        body = JSON.parse(text) as Record<string, unknown>;
      } catch {
        body = null;
      }
      const entry = { method: request.method ?? "", headers, text, bytes, body };
      if (isProbe(body)) probes += 1;
      else heard.push(entry);
      await handle(request, response, entry);
    };
    run().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    heard,
    probes: () => probes,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers every request by a function: for what no SDK would do. */
export const startScriptedServer = (
  answer: (heard: Heard, response: ServerResponse) => Promise<void> | void,
): Promise<FakeServer> =>
  listen(async (_request, response, heard) => {
    if (isProbe(heard.body)) response.writeHead(404).end();
    else await answer(heard, response);
  });

const asked = (text: string, more: object = {}): CreateMessageRequest["params"] => ({
  messages: [{ role: "user", content: { type: "text", text } }],
  maxTokens: 50,
  ...more,
});

const said = (result: unknown) => ({
  content: [{ type: "text" as const, text: JSON.stringify(result) }],
});

function toolsOn(server: McpServer): void {
  const inputSchema = { text: z.string() };
  server.registerTool("echo", { inputSchema }, async ({ text }) => said(text));
  server.registerTool("ask", { inputSchema }, async ({ text }, extra) =>
    said(
      await extra.sendRequest(
        { method: "sampling/createMessage", params: asked(text) },
        CreateMessageResultSchema,
        { signal: extra.signal },
      ),
    ),
  );
  server.registerTool("ask_with_tools", { inputSchema }, async ({ text }, extra) => {
    const tool = { name: "t", inputSchema: { type: "object" as const } };
    return said(
      await extra.sendRequest(
        { method: "sampling/createMessage", params: asked(text, { tools: [tool] }) },
        CreateMessageResultWithToolsSchema,
      ),
    );
  });
  // A message without a related request goes on the GET stream.
  server.registerTool("ask_aside", { inputSchema }, async ({ text }, extra) =>
    said(await server.server.createMessage(asked(text), { signal: extra.signal })),
  );
  server.registerTool("ask_then_give_up", { inputSchema }, async ({ text }, extra) => {
    try {
      return said(
        await extra.sendRequest(
          { method: "sampling/createMessage", params: asked(text) },
          CreateMessageResultSchema,
          { timeout: 700 },
        ),
      );
    } catch (error) {
      return said(String(error));
    }
  });
}

/** Keeps every event, as servers do that let clients resume. */
export function createEventStore(): EventStore {
  const events: { id: string; stream: string; message: JSONRPCMessage }[] = [];
  return {
    async storeEvent(stream, message) {
      const id = `${stream}_${events.length}`;
      events.push({ id, stream, message });
      return id;
    },
    async replayEventsAfter(last, { send }) {
      const from = events.findIndex(({ id }) => id === last);
      const stream = events[from]?.stream ?? "";
      for (const event of events.slice(from + 1))
        if (event.stream === stream) await send(event.id, event.message);
      return stream;
    },
  };
}

/**
 * A server of the official SDK, v1, with a session for each client. Its tools: `echo`; `ask`, which
 * samples on the stream of its call; `ask_aside`, which samples on the GET stream; `ask_then_give_up`.
 */
export async function startSdkServer(
  options: {
    /** refuses `initialize` when its capabilities hold a sampling field that it doesn't know */
    strict?: boolean;
    /** gives events ids and lets clients resume */
    resumable?: boolean;
    /** gives it other tools */
    build?: (server: McpServer) => void;
  } = {},
): Promise<FakeServer & { forgetSessions(): void }> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const begin = async (): Promise<StreamableHTTPServerTransport> => {
    const server = new McpServer({ name: "fake", version: "1" });
    (options.build ?? toolsOn)(server);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      ...(options.resumable === true ? { eventStore: createEventStore() } : {}),
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await server.connect(transport);
    return transport;
  };
  const listening = await listen(async (request, response, { headers, body }) => {
    const refuse = (status: number, message: string, code = -32000): void => {
      response.writeHead(status, { "content-type": "application/json" });
      const id = body?.["id"] ?? null;
      response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
    };
    const isInitialize = body?.["method"] === "initialize";
    if (isInitialize && options.strict === true) {
      const { capabilities } = body["params"] as { capabilities: Record<string, object> };
      if (Object.keys(capabilities["sampling"] ?? {}).length > 0)
        return refuse(200, "Unrecognized key in sampling", -32602);
    }
    const id = headers["mcp-session-id"];
    let transport = id === undefined ? undefined : transports.get(id);
    if (isInitialize) transport = await begin();
    if (transport === undefined) return refuse(404, "Session not found");
    await transport.handleRequest(request, response, body ?? undefined);
  });
  return { ...listening, forgetSessions: () => transports.clear() };
}

/**
 * `@modelcontextprotocol/server-everything`. One of its tools prints the environment, so start it without
 * secrets in the environment.
 */
export async function startEverything(): Promise<{ url: string; stop(): Promise<void> }> {
  const root = join(import.meta.dirname, "..", "..", "node_modules");
  const port = await freePort();
  const child = spawn(
    join(root, "node", "bin", "node"),
    [
      join(root, "@modelcontextprotocol", "server-everything", "dist", "index.js"),
      "streamableHttp",
    ],
    { env: { PORT: String(port), ...fromSource }, stdio: ["ignore", "pipe", "pipe"] },
  );
  const dismiss = whenGone(`kill -9 "$1"`, String(child.pid));
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => {
      dismiss();
      resolve();
    });
  });
  const until = performance.now() + 20_000;
  while (!printed.includes("listening on port")) {
    if (performance.now() > until) {
      child.kill("SIGKILL");
      throw new Error(`server-everything did not start:\n${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
