/**
 * What the scenarios of the official conformance suite ask of a server: tools, prompts and resources by the
 * names they call. Written once for both eras: the SDK turns a question of `inputRequired` into a request
 * where a client is legacy.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  completable,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type CallToolResult,
  type ClientCapabilities,
  type ContentBlock,
  type InputRequests,
  type InputRequiredResult,
  type McpHttpHandler,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import schema from "../fixtures/conformance/schema-2020-12.json" with { type: "json" };

type Schema = Parameters<typeof fromJsonSchema>[0];
type Answer = CallToolResult | InputRequiredResult;
type Asks = (args: Record<string, string>, ctx: ServerContext) => InputRequests;
/** tells open subscriptions that a list has changed */
export type Notify = McpHttpHandler["notify"];

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const text = (said: string) => ({ type: "text" as const, text: said });
const image = { type: "image" as const, data: pixel, mimeType: "image/png" };
const audio = { type: "audio" as const, data: silence, mimeType: "audio/wav" };
const embedded = (uri: string, mimeType: string, said: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: said },
});
const says = (said: string): CallToolResult => ({ content: [text(said)] });
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

const object = (properties: Record<string, unknown>): Schema =>
  ({ type: "object", properties, required: Object.keys(properties) }) as Schema;
const string = { type: "string" };
const elicit = (message: string, properties: Record<string, unknown>) =>
  ({
    method: "elicitation/create",
    params: { mode: "form", message, requestedSchema: object(properties) },
  }) as InputRequests[string];
const sample = (question: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: text(question) }],
    maxTokens: 100,
  });
const titled = [1, 2, 3].map((n) => ({ const: `value${n}`, title: `Value ${n}` }));
const options = ["option1", "option2", "option3"];

/** Tools that only answer, and their blocks. */
const answering: Record<string, ContentBlock[]> = {
  test_simple_text: [text("Plain.")],
  test_image_content: [image],
  test_audio_content: [audio],
  test_embedded_resource: [embedded("test://embedded-resource", "text/plain", "Inside.")],
  test_multiple_content_types: [
    text("Several:"),
    image,
    embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  ],
  json_schema_2020_12_tool: [text("A schema.")],
  test_x_mcp_header: [text("A header.")],
};

/** What tools take that take anything. */
const taking: Record<string, Schema> = {
  test_sampling: object({ prompt: string }),
  test_elicitation: object({ message: string }),
  test_x_mcp_header: object({ region: { type: "string", "x-mcp-header": "Region" } }),
  json_schema_2020_12_tool: schema,
};

/** Tools that ask the client's side, and repeat what it said. */
const asking: Record<string, Asks> = {
  test_sampling: ({ prompt = "" }) => ({ llm: sample(prompt) }),
  test_missing_capability: () => ({ llm: sample("Are you there?") }),
  test_elicitation: ({ message = "" }) => ({
    person: elicit(message, { username: string, email: string }),
  }),
  test_streaming_elicitation: () => ({ person: elicit("Name?", { name: string }) }),
  test_elicitation_sep1034_defaults: () => ({
    person: elicit("Defaults.", {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    }),
  }),
  test_elicitation_sep1330_enums: () => ({
    person: elicit("Choices.", {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titled },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["One", "Two", "Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: titled } },
    }),
  }),
  test_input_required_result_elicitation: () => ({
    user_name: elicit("Your name?", { name: string }),
  }),
  test_input_required_result_sampling: () => ({ capital_question: sample("Capital of France?") }),
  test_input_required_result_list_roots: () => ({ client_roots: inputRequired.listRoots() }),
  test_input_required_result_request_state: () => ({
    confirm: elicit("Sure?", { ok: { type: "boolean" } }),
  }),
  test_input_required_result_tampered_state: () => ({
    confirm: elicit("Sure?", { ok: { type: "boolean" } }),
  }),
  test_input_required_result_multiple_inputs: () => ({
    user_name: elicit("Your name?", { name: string }),
    greeting: sample("Greet me."),
    client_roots: inputRequired.listRoots(),
  }),
  test_input_required_result_capabilities: (_, { mcpReq }) => {
    const envelope: Record<string, unknown> = { ...mcpReq.envelope };
    const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
    return {
      ...(declared?.sampling === undefined ? {} : { llm: sample("Anything.") }),
      ...(declared?.elicitation === undefined ? {} : { person: elicit("Name?", { name: string }) }),
    };
  },
};

const states = createRequestStateCodec<{ step: number }>({
  key: "a key of thirty-two characters!!",
  bind: (ctx) => ctx.mcpReq.method,
});
const stepOf = (ctx: ServerContext): number =>
  ctx.mcpReq.requestState<{ step: number }>()?.step ?? 0;

/** Tools whose questions travel with a state. */
const keepsState = (name: string): boolean => /state|multiple/.test(name);

async function asked(name: string, asks: InputRequests, ctx: ServerContext): Promise<Answer> {
  const given = ctx.mcpReq.inputResponses ?? {};
  const open = Object.keys(asks).some((key) => !Object.hasOwn(given, key));
  const stateful = keepsState(name);
  if (!open && (!stateful || stepOf(ctx) === 1))
    return says(`${stateful ? "state-ok " : ""}${JSON.stringify(given)}`);
  return inputRequired({
    inputRequests: asks,
    ...(stateful ? { requestState: await states.mint({ step: 1 }, ctx) } : {}),
  });
}

/** Tools that do something else. */
const doing: Record<string, (ctx: ServerContext, notify: Notify) => Promise<Answer> | Answer> = {
  test_error_handling() {
    throw new Error("As it should.");
  },
  async test_tool_with_progress({ mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 };
      await mcpReq.notify({ method: "notifications/progress", params });
      await pause();
    }
    return says("Done.");
  },
  async test_tool_with_logging({ mcpReq }) {
    for (const what of ["started", "works", "ends"]) {
      await mcpReq.log("info", what);
      await pause();
    }
    return says("Logged.");
  },
  async test_logging_tool({ mcpReq }) {
    await mcpReq.log("info", "only for those who asked");
    return says("Logged.");
  },
  async test_reconnection({ http }) {
    http?.closeSSE?.();
    await pause();
    return says("Found again.");
  },
  test_trigger_tool_change(_, notify) {
    notify.toolsChanged();
    return says("Changed.");
  },
  test_trigger_prompt_change(_, notify) {
    notify.promptsChanged();
    return says("Changed.");
  },
  async test_input_required_result_multi_round(ctx) {
    const step = stepOf(ctx) + 1;
    const answered = ctx.mcpReq.inputResponses?.[`step${step - 1}`];
    if (step > 2 && answered !== undefined) return says("All said.");
    return inputRequired({
      inputRequests: { [`step${step}`]: elicit(`Step ${step}?`, { said: string }) },
      requestState: await states.mint({ step }, ctx),
    });
  },
};

function promptsOn(server: McpServer): void {
  const user = (content: ContentBlock) => ({ role: "user" as const, content });
  const description = "A prompt.";
  server.registerPrompt("test_simple_prompt", { description }, () => ({
    messages: [user(text("Simple."))],
  }));
  const argument = completable(z.string(), (from) =>
    ["paris", "park", "party"].filter((word) => word.startsWith(from)),
  );
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description, argsSchema: z.object({ arg1: argument, arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [user(text(`arg1='${arg1}', arg2='${arg2}'`))] }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description, argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({ messages: [user(embedded(resourceUri, "text/plain", "Inside."))] }),
  );
  server.registerPrompt("test_prompt_with_image", { description }, () => ({
    messages: [user(image), user(text("Look."))],
  }));
  server.registerPrompt("test_input_required_result_prompt", { description }, (ctx) => {
    const given = ctx.mcpReq.inputResponses?.["user_context"];
    const inputRequests = { user_context: elicit("Context?", { context: string }) };
    return given === undefined
      ? inputRequired({ inputRequests })
      : { messages: [user(text(JSON.stringify(given)))] };
  });
}

function resourcesOn(server: McpServer): void {
  const fixed = {
    "static-text": { mimeType: "text/plain", text: "Static." },
    "static-binary": { mimeType: "image/png", blob: pixel },
    "watched-resource": { mimeType: "text/plain", text: "Watched." },
  };
  for (const [name, content] of Object.entries(fixed)) {
    const { mimeType } = content;
    server.registerResource(
      name,
      `test://${name}`,
      { description: name, mimeType },
      ({ href }) => ({
        contents: [{ uri: href, ...content }],
      }),
    );
  }
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "By id.", mimeType: "application/json" },
    ({ href }, { id }) => ({
      contents: [{ uri: href, mimeType: "application/json", text: JSON.stringify({ id }) }],
    }),
  );
  // Only legacy clients ask for these.
  for (const method of ["resources/subscribe", "resources/unsubscribe"] as const)
    server.server.setRequestHandler(method, () => ({}));
}

const inputSchemas = new Map<string, ReturnType<typeof fromJsonSchema<Record<string, string>>>>();

/** Compiled once: a server is made for each request of 2026-07-28, and its thirty schemas would take most of the time. */
function inputSchemaOf(name: string) {
  const known = inputSchemas.get(name);
  if (known !== undefined) return known;
  const compiled = fromJsonSchema<Record<string, string>>(taking[name] ?? object({}));
  inputSchemas.set(name, compiled);
  return compiled;
}

export function conformanceSurface(notify: Notify): McpServer {
  const server = new McpServer(
    { name: "conformance", version: "1" },
    {
      capabilities: { logging: {}, resources: { subscribe: true } },
      requestState: { verify: states.verify },
    },
  );
  const tool = (
    name: string,
    run: (args: Record<string, string>, ctx: ServerContext) => Promise<Answer> | Answer,
  ): void => {
    server.registerTool(name, { description: name, inputSchema: inputSchemaOf(name) }, run);
  };
  for (const [name, content] of Object.entries(answering)) tool(name, () => ({ content }));
  for (const [name, asks] of Object.entries(asking))
    tool(name, (args, ctx) => asked(name, asks(args, ctx), ctx));
  for (const [name, act] of Object.entries(doing)) tool(name, (_, ctx) => act(ctx, notify));
  promptsOn(server);
  resourcesOn(server);
  return server;
}
