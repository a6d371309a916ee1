/** Servers of either era, of the official SDKs, whose tools ask and tell what a client of the other era may get. */
import type { McpServer as LegacyServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { AnySchema } from "@modelcontextprotocol/sdk/server/zod-compat.js";
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UrlElicitationRequiredError,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { startSdkServer as startLegacy } from "./mcp-servers.ts";
import { listenWith, type SdkServer } from "./sdk-server.ts";

const says = (text: string) => ({ content: [{ type: "text" as const, text }] });
const inputSchema = { q: z.string() };
const logged = ["debug", "warning", "error"] as const;

const form = (message: string) => ({
  message,
  requestedSchema: { type: "object" as const, properties: { name: { type: "string" as const } } },
});
const page = (message: string) => ({ message, url: "https://example.com/open" });

const sampling = (text: string) => ({
  messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
  maxTokens: 50,
});
/** Calls of the tool `account`, by its argument. */
const accounts = new Map<string, number>();
const neededCalls = 2;
/** What lets a call of the tool `gated` go on after its answer, by its argument. */
export const gates = new Map<string, () => void>();

/** A legacy server's sessions, and what each subscribed to. */
type Sessions = Map<LegacyServer, Set<string>>;

function legacyTools(server: LegacyServer, sessions: Sessions): void {
  const subscribed = new Set<string>();
  sessions.set(server, subscribed);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- not an event target
  server.server.onclose = () => void sessions.delete(server);
  server.server.registerCapabilities({ logging: {}, resources: { subscribe: true } });
  let from = 0;
  server.server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    from = logged.findIndex((level) => level === params.level);
    return {};
  });
  server.registerResource("made", "made:it", {}, (uri) => ({
    contents: [{ uri: uri.href, text: "It." }],
  }));
  server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    if (!params.uri.startsWith("made:")) throw new Error("unknown");
    subscribed.add(params.uri);
    return {};
  });
  const asks = (name: string, request: () => ServerRequest, schema: AnySchema) =>
    server.registerTool(name, { inputSchema }, async (_, extra) =>
      says(JSON.stringify(await extra.sendRequest(request(), schema))),
    );
  const elicitation = (params: object): ServerRequest =>
    ({ method: "elicitation/create", params }) as ServerRequest;
  asks("form", () => elicitation({ mode: "form", ...form("q") }), ElicitResultSchema);
  asks(
    "url",
    () => elicitation({ mode: "url", elicitationId: "e1", ...page("q") }),
    ElicitResultSchema,
  );
  server.registerTool("twice", { inputSchema }, async ({ q }, extra) => {
    const said = [];
    for (let turn = 0; turn < 2; turn += 1)
      said.push(
        await extra.sendRequest(elicitation({ mode: "form", ...form(q) }), ElicitResultSchema),
      );
    return says(JSON.stringify(said));
  });
  server.registerTool("gated", { inputSchema }, async ({ q }, extra) => {
    const request = elicitation({ mode: "form", ...form(q) });
    const said = await extra.sendRequest(request, ElicitResultSchema);
    await new Promise<void>((resolve) => void gates.set(q, resolve));
    return says(JSON.stringify(said));
  });
  server.registerTool(
    "waits",
    { inputSchema },
    (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(says("late")))),
  );
  asks("roots", () => ({ method: "roots/list" }), ListRootsResultSchema);
  asks(
    "ask",
    () => ({ method: "sampling/createMessage", params: sampling("q") }),
    CreateMessageResultSchema,
  );
  // Needs a page that its user opens while the client waits.
  server.registerTool("account", { inputSchema }, async ({ q }) => {
    const calls = (accounts.get(q) ?? 0) + 1;
    accounts.set(q, calls);
    if (calls <= neededCalls)
      throw new UrlElicitationRequiredError([{ mode: "url", elicitationId: q, ...page(q) }]);
    return says(`connected after ${calls}`);
  });
  server.registerTool("logs", { inputSchema }, async ({ q }, extra) => {
    for (const level of logged.slice(from))
      await extra.sendNotification({
        method: "notifications/message",
        params: { level, data: q },
      });
    return says("logged");
  });
}

function modernServer(): McpServer {
  const server = new McpServer(
    { name: "modern", version: "2" },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  );
  server.registerTool("logs", { inputSchema: z.object(inputSchema) }, async ({ q }, ctx) => {
    for (const level of logged) await ctx.mcpReq.log(level, q);
    return says("logged");
  });
  server.registerResource("made", "made:it", {}, async (uri) => ({
    contents: [{ uri: uri.href, text: "It." }],
  }));
  server.registerTool("form", { inputSchema: z.object(inputSchema) }, async ({ q }, ctx) => {
    const said = ctx.mcpReq.inputResponses;
    if (said === undefined || Object.keys(said).length === 0)
      return inputRequired({
        inputRequests: { b: inputRequired.elicit(form(q)), a: inputRequired.elicit(form("next")) },
        requestState: "kept",
      });
    return says(JSON.stringify([ctx.mcpReq.requestState<string>(), said]));
  });
  server.registerTool("url", { inputSchema: z.object(inputSchema) }, async ({ q }, ctx) => {
    const said = ctx.mcpReq.inputResponses?.["u"];
    return said === undefined
      ? inputRequired({ inputRequests: { u: inputRequired.elicitUrl(page(q)) } })
      : says(JSON.stringify(said));
  });
  server.registerTool("roots", { inputSchema: z.object(inputSchema) }, async (_, ctx) => {
    const said = ctx.mcpReq.inputResponses?.["r"];
    return said === undefined
      ? inputRequired({ inputRequests: { r: inputRequired.listRoots() } })
      : says(JSON.stringify(said));
  });
  server.registerTool("ask", { inputSchema: z.object(inputSchema) }, async ({ q }, ctx) => {
    const said = ctx.mcpReq.inputResponses?.["llm"];
    return said === undefined
      ? inputRequired({ inputRequests: { llm: inputRequired.createMessage(sampling(q)) } })
      : says(JSON.stringify(said));
  });
  // Samples and asks in one round.
  server.registerTool("both", { inputSchema: z.object(inputSchema) }, async ({ q }, ctx) => {
    const said = ctx.mcpReq.inputResponses ?? {};
    const before = ctx.mcpReq.requestState<string>() ?? "";
    if (said["llm"] === undefined)
      return inputRequired({
        inputRequests: {
          llm: inputRequired.createMessage(sampling(q)),
          name: inputRequired.elicit(form(q)),
        },
        requestState: `${before}.`,
      });
    return says(JSON.stringify([before, said]));
  });
  server.registerTool("endless", { inputSchema: z.object(inputSchema) }, async ({ q }) =>
    inputRequired({ inputRequests: { name: inputRequired.elicit(form(q)) } }),
  );
  return server;
}

/** Tells everybody who listens. */
interface Changing {
  toolsChanged(): void;
  updated(uri: string): void;
}

export async function startLegacyServer(): Promise<
  Awaited<ReturnType<typeof startLegacy>> & Changing & { sessions(): number }
> {
  const sessions: Sessions = new Map();
  const server = await startLegacy({ build: (built) => legacyTools(built, sessions) });
  return {
    ...server,
    sessions: () => sessions.size,
    toolsChanged() {
      for (const each of sessions.keys()) each.sendToolListChanged();
    },
    updated(uri) {
      for (const [each, subscribed] of sessions)
        if (subscribed.has(uri)) void each.server.sendResourceUpdated({ uri });
    },
  };
}

export async function startModernServer(): Promise<SdkServer & Changing> {
  const handler = createMcpHandler(modernServer, { legacy: "reject" });
  const listening = await listenWith(handler.fetch);
  return {
    ...listening,
    toolsChanged: () => handler.notify.toolsChanged(),
    updated: (uri) => handler.notify.resourceUpdated(uri),
    async stop() {
      await Promise.all([listening.stop(), handler.close()]);
    },
  };
}
