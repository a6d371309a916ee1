/**
 * Servers that do what examples of the official TypeScript SDK do, written anew: `resources`,
 * `custom-methods`, `extension-capabilities`, `schema-validators`, `elicitation` and `dual-era` of
 * modelcontextprotocol/typescript-sdk at 3924de99df834302d89f5997a1b64ca268282284. All know both eras;
 * only `elicitation` begins sessions with older clients.
 */
import { randomUUID } from "node:crypto";
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  isLegacyRequest,
  McpServer,
  ResourceTemplate,
  UrlElicitationRequiredError,
  WebStandardStreamableHTTPServerTransport,
  type McpRequestContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { listenWith, type SdkServer } from "./sdk-server.ts";

const says = (text: string) => ({ content: [{ type: "text" as const, text }] });
const counterUri = "counter://value";

/** A document, a template, and a counter that can be watched. */
function resources() {
  let counter = 0;
  const build = (): McpServer => {
    const server = new McpServer(
      { name: "resources", version: "1" },
      { capabilities: { resources: { subscribe: true, listChanged: true } } },
    );
    server.registerResource("app", "config://app", {}, async ({ href }) => ({
      contents: [{ uri: href, text: '{"feature":true}' }],
    }));
    const template = new ResourceTemplate("greeting://{name}", { list: undefined });
    server.registerResource("greeting", template, {}, async ({ href }, { name }) => ({
      contents: [{ uri: href, text: `Hello, ${String(name)}!` }],
    }));
    server.registerResource("counter", counterUri, {}, async ({ href }) => ({
      contents: [{ uri: href, text: String(counter) }],
    }));
    for (const method of ["resources/subscribe", "resources/unsubscribe"] as const)
      server.server.setRequestHandler(method, () => ({}));
    server.registerTool("increment", {}, async () => {
      counter += 1;
      handler.notify.resourceUpdated(counterUri);
      return says(String(counter));
    });
    return server;
  };
  const handler = createMcpHandler(build);
  return handler;
}

/** A method of its own, with notifications of its own. */
const customMethods = () =>
  createMcpHandler(() => {
    const mcp = new McpServer({ name: "acme-search", version: "1" });
    const params = z.object({ query: z.string(), limit: z.number().int() });
    const result = z.object({ items: z.array(z.string()) });
    mcp.server.setRequestHandler("acme/search", { params, result }, async (asked, ctx) => {
      const tell = (stage: string): Promise<void> =>
        ctx.mcpReq.notify({ method: "acme/searchProgress", params: { stage } });
      await tell("start");
      const items = Array.from({ length: asked.limit }, (_, at) => `${asked.query}-${at}`);
      await tell("done");
      return { items };
    });
    return mcp;
  });

export const flags = { flags: ["dark-mode", "beta-search"] };
const extensionCapabilities = () =>
  createMcpHandler(() => {
    const mcp = new McpServer({ name: "extensions", version: "1" });
    mcp.server.registerCapabilities({ extensions: { "com.example/feature-flags": flags } });
    return mcp;
  });

/** Schemas of inputs and outputs; one output is an array. */
const schemaValidators = () =>
  createMcpHandler(() => {
    const server = new McpServer({ name: "schemas", version: "1" });
    const inputSchema = z.object({ city: z.string() });
    server.registerTool(
      "greet",
      { inputSchema: z.object({ name: z.string() }) },
      async ({ name }) => says(`Hello, ${name}!`),
    );
    const outputSchema = z.object({ city: z.string(), celsius: z.number() });
    server.registerTool("get-weather", { inputSchema, outputSchema }, async ({ city }) => {
      const structuredContent = { city, celsius: 21 };
      return { ...says(JSON.stringify(structuredContent)), structuredContent };
    });
    const forecast = z.object({ hour: z.string(), celsius: z.number() });
    server.registerTool(
      "list-forecasts",
      { inputSchema, outputSchema: z.array(forecast) },
      async () => ({ content: [], structuredContent: [{ hour: "09:00", celsius: 18 }] }),
    );
    return server;
  });

const dualEra = () =>
  createMcpHandler((ctx) => {
    const server = new McpServer({ name: "dual", version: "1" }, { instructions: "Greets." });
    server.registerTool(
      "greet",
      { inputSchema: z.object({ name: z.string() }) },
      async ({ name }) => says(`Hello, ${name}! (${ctx.era})`),
    );
    return server;
  });

const form = (name: string) => ({
  type: "object" as const,
  properties: { [name]: { type: "string" as const, title: name } },
  required: [name],
});

/** Asks a person: one form, two in a row, a page to open; to older clients by requests of its own. */
function elicitationServer({ era }: Pick<McpRequestContext, "era">): McpServer {
  const server = new McpServer({ name: "elicitation", version: "1" });
  server.registerTool("register_user", {}, async (ctx) => {
    const asked = { message: "Who are you?", requestedSchema: form("username") };
    if (era === "legacy") {
      const { action, content } = await ctx.mcpReq.elicitInput({ mode: "form", ...asked });
      return says(action === "accept" ? `registered ${String(content?.["username"])}` : action);
    }
    const said = ctx.mcpReq.inputResponses?.["form"] as { action?: string } | undefined;
    if (said === undefined)
      return inputRequired({ inputRequests: { form: inputRequired.elicit(asked) } });
    const content = acceptedContent<{ username: string }>(ctx.mcpReq.inputResponses, "form");
    return says(content === undefined ? String(said.action) : `registered ${content.username}`);
  });
  server.registerTool("plan_trip", {}, async (ctx) => {
    const where = { message: "Where to?", requestedSchema: form("destination") };
    const when = { message: "When?", requestedSchema: form("departure") };
    if (era === "legacy") {
      const first = await ctx.mcpReq.elicitInput({ mode: "form", ...where });
      const second = await ctx.mcpReq.elicitInput({ mode: "form", ...when });
      return says(
        `${String(first.content?.["destination"])} ${String(second.content?.["departure"])}`,
      );
    }
    const { inputResponses } = ctx.mcpReq;
    const dates = acceptedContent<{ departure: string }>(inputResponses, "when");
    const place =
      ctx.mcpReq.requestState<string>() ??
      acceptedContent<{ destination: string }>(inputResponses, "where")?.destination;
    if (place === undefined)
      return inputRequired({ inputRequests: { where: inputRequired.elicit(where) } });
    return dates === undefined
      ? inputRequired({ requestState: place, inputRequests: { when: inputRequired.elicit(when) } })
      : says(`${place} ${dates.departure}`);
  });
  server.registerTool("link_account", {}, async (ctx) => {
    const page = { message: "Sign in", url: "https://example.com/authorize" };
    if (era === "legacy") {
      const elicitationId = randomUUID();
      const complete = server.server.createElicitationCompletionNotifier(elicitationId, {
        relatedRequestId: ctx.mcpReq.id,
      });
      setTimeout(() => void complete(), 50);
      const { action } = await ctx.mcpReq.elicitInput({ mode: "url", ...page, elicitationId });
      return says(action);
    }
    const said = ctx.mcpReq.inputResponses?.["auth"] as { action?: string } | undefined;
    return said === undefined
      ? inputRequired({ inputRequests: { auth: inputRequired.elicitUrl(page) } })
      : says(String(said.action));
  });
  server.registerTool("confirm_payment", {}, async () => {
    const [message, url] = ["Confirm", "https://example.com/confirm"];
    throw new UrlElicitationRequiredError([{ mode: "url", message, url, elicitationId: "e" }]);
  });
  return server;
}

/** With a session for each older client, in which it asks. */
function elicitation() {
  const modern = createMcpHandler(elicitationServer, { legacy: "reject" });
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return {
    close: () => modern.close(),
    async fetch(request: Request): Promise<Response> {
      if (!(await isLegacyRequest(request))) return modern.fetch(request);
      const known = transports.get(request.headers.get("mcp-session-id") ?? "");
      if (known !== undefined) return known.handleRequest(request);
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => void transports.set(id, transport),
      });
      await elicitationServer({ era: "legacy" }).connect(transport);
      return transport.handleRequest(request);
    },
  };
}

const examples = {
  resources,
  "custom-methods": customMethods,
  "extension-capabilities": extensionCapabilities,
  "schema-validators": schemaValidators,
  elicitation,
  "dual-era": dualEra,
} as const;
export type Example = keyof typeof examples;
export const exampleNames = Object.keys(examples) as Example[];

export async function startExample(name: Example): Promise<SdkServer> {
  const handler = examples[name]();
  const listening = await listenWith((request) => handler.fetch(request));
  return {
    ...listening,
    async stop() {
      await Promise.all([listening.stop(), handler.close()]);
    },
  };
}
