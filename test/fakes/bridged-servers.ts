/** The same server twice, of either era, with one of everything that crosses between them. */
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import type { McpServer as LegacyServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListResourcesRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import {
  completable as completableV2,
  inputRequired,
  McpServer,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { startSdkServer as startLegacy } from "./mcp-servers.ts";
import { startSdkServer as startModern } from "./sdk-server.ts";

const says = (text: string) => ({ content: [{ type: "text" as const, text }] });
const names = (from: string) => ["Ada", "Alan", "Bob"].filter((name) => name.startsWith(from));
const sampling = (text: string) => ({
  messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
  maxTokens: 50,
});
const page = (cursor: string | undefined) =>
  cursor === undefined
    ? { resources: [{ uri: "made:it", name: "made" }], nextCursor: "more" }
    : { resources: [{ uri: "made:more", name: cursor }] };
const question = {
  message: "Your name?",
  requestedSchema: { type: "object" as const, properties: { name: { type: "string" as const } } },
};

/** What the server's tool `slow` received: `started`, then `cancelled`. */
export interface Noted {
  notes: string[];
}

const untilAborted = (signal: AbortSignal, notes: string[]): Promise<void> => {
  notes.push("started");
  return new Promise((resolve) => {
    const done = (): void => {
      notes.push("cancelled");
      resolve();
    };
    if (signal.aborted) done();
    else signal.addEventListener("abort", done);
  });
};

function legacySurface(server: LegacyServer, notes: string[]): void {
  const inputSchema = { q: z.string() };
  server.registerTool("echo", { inputSchema }, async ({ q }) => says(q));
  server.registerTool("ask", { inputSchema }, async ({ q }, extra) =>
    says(
      JSON.stringify(
        await extra.sendRequest(
          { method: "sampling/createMessage", params: sampling(q) },
          CreateMessageResultSchema,
        ),
      ),
    ),
  );
  server.registerTool("ask_aside", { inputSchema }, async ({ q }) =>
    says(JSON.stringify(await server.server.createMessage(sampling(q)))),
  );
  server.registerTool("person", { inputSchema }, async (_, extra) =>
    says(
      JSON.stringify(
        await extra.sendRequest(
          { method: "elicitation/create", params: { mode: "form", ...question } },
          ElicitResultSchema,
        ),
      ),
    ),
  );
  server.registerTool("tells", { inputSchema }, async ({ q }, extra) => {
    const progressToken = extra._meta?.progressToken;
    if (progressToken !== undefined)
      for (const progress of [1, 2])
        await extra.sendNotification({
          method: "notifications/progress",
          params: { progressToken, progress, message: q },
        });
    return says("told");
  });
  server.registerTool("slow", { inputSchema }, async (_, { signal }) => {
    await untilAborted(signal, notes);
    return says("never heard");
  });
  server.registerPrompt(
    "written",
    { argsSchema: { name: completable(z.string(), names) } },
    ({ name }) => ({
      messages: [{ role: "user", content: { type: "text", text: `For ${name}` } }],
    }),
  );
  server.registerResource("made", "made:it", {}, (uri) => ({
    contents: [{ uri: uri.href, text: "It." }],
  }));
  server.server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => page(params?.cursor));
}

function modernServer(notes: string[]): McpServer {
  const server = new McpServer({ name: "modern", version: "2" }, { instructions: "Be kind." });
  const inputSchema = z.object({ q: z.string() });
  server.registerTool("echo", { inputSchema }, async ({ q }) => says(q));
  server.registerTool("ask", { inputSchema }, async ({ q }, ctx) => {
    const said = ctx.mcpReq.inputResponses?.["llm"];
    return said === undefined
      ? inputRequired({ inputRequests: { llm: inputRequired.createMessage(sampling(q)) } })
      : says(JSON.stringify(said));
  });
  server.registerTool("sheds", { inputSchema }, async ({ q }, ctx) => {
    const turn = Number(ctx.mcpReq.requestState<string>() ?? 0);
    return turn === 2 ? says(q) : inputRequired({ requestState: String(turn + 1) });
  });
  server.registerTool("person", { inputSchema }, async (_, ctx) => {
    const said = ctx.mcpReq.inputResponses?.["name"];
    return said === undefined
      ? inputRequired({ inputRequests: { name: inputRequired.elicit(question) } })
      : says(JSON.stringify(said));
  });
  server.registerTool("tells", { inputSchema }, async ({ q }, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    if (progressToken !== undefined)
      for (const progress of [1, 2])
        await ctx.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, message: q },
        });
    return says("told");
  });
  server.registerTool("slow", { inputSchema }, async (_, ctx) => {
    await untilAborted(ctx.mcpReq.signal, notes);
    return says("never heard");
  });
  server.registerTool(
    "routed",
    { inputSchema: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }) },
    async ({ region }) => says(region),
  );
  server.registerPrompt(
    "written",
    { argsSchema: z.object({ name: completableV2(z.string(), names) }) },
    async ({ name }) => ({
      messages: [{ role: "user", content: { type: "text", text: `For ${name}` } }],
    }),
  );
  server.registerResource("made", "made:it", {}, async (uri) => ({
    contents: [{ uri: uri.href, text: "It." }],
  }));
  server.server.setRequestHandler("resources/list", ({ params }) => page(params?.cursor));
  return server;
}

export async function startLegacyServer() {
  const notes: string[] = [];
  const server = await startLegacy({ build: (built) => legacySurface(built, notes) });
  return { ...server, notes };
}

/** `stateless`: it also answers legacy clients, but begins no session with them. */
export async function startModernServer(legacy: "reject" | "stateless" = "reject") {
  const notes: string[] = [];
  const server = await startModern(() => modernServer(notes), legacy);
  return { ...server, notes };
}
