/**
 * What we emit, against the specification's own schema of each revision: envelopes and results of every
 * kind of answer. The schemas in `test/fixtures/mcp-schema` are copies of the published ones.
 */
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Reason } from "../../src/domain/refusals.ts";
import { startAimock, usageOf, type Aimock } from "../fakes/aimock.ts";
import { asking, at, createTenant } from "../fakes/caller.ts";
import { borrowRouter, type SharedRouter } from "../fakes/shared-router.ts";
import { answerAt } from "../fakes/wire-answers.ts";
import { sendJson, startWireServer, type WireServer } from "../fakes/wire-server.ts";
import { weatherTool } from "../fixtures/interop/client.ts";
import { png } from "../fixtures/providers/calls.ts";

const legacy = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
const modern = "2026-07-28";
const revisions = [...legacy, modern] as const;
type Revision = (typeof revisions)[number];

interface SchemaFile {
  $schema: string;
  definitions?: Record<string, { required?: string[] }>;
  $defs?: Record<string, { required?: string[] }>;
}

const loaded = new Map(
  revisions.map((revision) => {
    const file = new URL(`../fixtures/mcp-schema/${revision}.json`, import.meta.url);
    const schema = JSON.parse(readFileSync(file, "utf8")) as SchemaFile;
    // The newer ones are written in another dialect of JSON Schema.
    const ajv = schema.$schema.includes("2020-12")
      ? new Ajv2020({ strict: false, allErrors: true })
      : new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(schema, revision);
    return [revision, { schema, ajv }] as const;
  }),
);

/** What is wrong with a value by a definition of a revision; empty: nothing. */
function complaints(revision: Revision, definition: string, value: unknown): string[] {
  const { schema, ajv } = loaded.get(revision) ?? { schema: { $schema: "" }, ajv: new Ajv() };
  const place = schema.$defs === undefined ? "definitions" : "$defs";
  const validate = ajv.getSchema(`${revision}#/${place}/${definition}`);
  if (validate === undefined) throw new Error(`${revision} has no ${definition}.`);
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ""}`);
}

const has = (revision: Revision, definition: string): boolean => {
  const { schema } = loaded.get(revision) ?? { schema: {} as Partial<SchemaFile> };
  return definition in (schema.$defs ?? schema.definitions ?? {});
};

const answerEnvelope = (revision: Revision): string =>
  has(revision, "JSONRPCResultResponse") ? "JSONRPCResultResponse" : "JSONRPCResponse";
const errorEnvelope = (revision: Revision): string =>
  has(revision, "JSONRPCErrorResponse") ? "JSONRPCErrorResponse" : "JSONRPCError";

interface Emitted {
  status: number;
  headers: Headers;
  /** every message in it, in order */
  messages: unknown[];
  type: string;
  text: string;
}

const usage = usageOf(21, 5);
const capabilities = { sampling: { tools: {}, supportedModalities: ["text", "image", "audio"] } };
const mixed = "sampling-router/outputModalities";
const failing = "unheard of";

let aimock: Aimock;
let painter: WireServer;
let router: SharedRouter;
let key = "";
let limitedKey = "";
let imageKey = "";

/** Gemini's wire with an image in the answer, which aimock doesn't paint. */
const startPainter = (): Promise<WireServer> =>
  startWireServer({
    answers(_request, response) {
      const said = { text: "Here: ", draws: true, inputTokens: 12, outputTokens: 5 };
      sendJson(response, 200, answerAt("google", said));
    },
  });

beforeAll(async () => {
  const call = (id: string, city: string) => ({
    id,
    name: weatherTool.name,
    arguments: JSON.stringify({ city }),
  });
  aimock = await startAimock([
    {
      match: { userMessage: "one tool" },
      response: { toolCalls: [call("call_1", "Ghent")], usage },
    },
    {
      match: { userMessage: "two tools" },
      response: { toolCalls: [call("call_1", "Ghent"), call("call_2", "Bruges")], usage },
    },
    {
      match: { userMessage: "cut me off" },
      response: { content: "Once", finishReason: "length", usage },
    },
    { match: { userMessage: "hello" }, response: { content: "Hi there! 👋 é", usage } },
  ]);
  painter = await startPainter();
  router = await borrowRouter();
  const openai = { provider: "openai", baseUrl: aimock.url("openai") };
  const policy = { allowedModels: ["openai/gpt-4.1-mini"], toolRounds: 0 };
  ({ key } = await createTenant(router, "schema", { ...openai, policy }));
  ({ key: limitedKey } = await createTenant(router, "schema-limited", {
    ...openai,
    policy: { ...policy, limits: { requestsPerMinute: 1 } },
  }));
  ({ key: imageKey } = await createTenant(router, "schema-image", {
    provider: "google",
    baseUrl: painter.url("google"),
    policy: { allowedModels: ["google/gemini-3.1-flash-image"] },
  }));
});
afterAll(async () => {
  await aimock.stop();
  await painter.stop();
});

async function post(
  body: unknown,
  about: { token?: string; headers?: Record<string, string> } = {},
): Promise<Emitted> {
  const response = await fetch(`${router.url}/v1/sampling`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${about.token ?? key}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...about.headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  const messages = type.startsWith("text/event-stream")
    ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? "") as unknown)
    : text === ""
      ? []
      : [JSON.parse(text) as unknown].flat();
  return { status: response.status, headers: response.headers, messages, type, text };
}

let lastId = 0;
const nextId = (): number | string => ((lastId += 1) % 2 === 0 ? lastId : `id-${lastId}`);

/** A caller of a revision, whichever its era. */
interface Caller {
  revision: Revision;
  send(method: string, params: object, more?: Headed): Promise<Emitted & { id: number | string }>;
}
interface Headed {
  headers?: Record<string, string>;
  /** modern only: another `_meta` */
  meta?: object;
}

const initialize = (revision: string, declared: object) => ({
  jsonrpc: "2.0",
  id: nextId(),
  method: "initialize",
  params: {
    protocolVersion: revision,
    capabilities: declared,
    clientInfo: { name: "test", version: "1" },
  },
});

async function callerOf(
  revision: Revision,
  about: { token?: string; declared?: object } = {},
): Promise<Caller> {
  const declared = about.declared ?? capabilities;
  const token = about.token ?? key;
  if (revision === modern) {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": modern,
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": declared,
    };
    return {
      revision,
      async send(method, params, more = {}) {
        const id = nextId();
        const body = {
          jsonrpc: "2.0",
          id,
          method,
          params: { ...params, _meta: more.meta ?? meta },
        };
        const headers = { "MCP-Protocol-Version": modern, "Mcp-Method": method, ...more.headers };
        return { id, ...(await post(body, { token, headers })) };
      },
    };
  }
  const begun = await post(initialize(revision, declared), { token });
  const session = {
    "Mcp-Session-Id": begun.headers.get("mcp-session-id") ?? "",
    ...(revision >= "2025-06-18" ? { "MCP-Protocol-Version": revision } : {}),
  };
  return {
    revision,
    async send(method, params, more = {}) {
      const id = nextId();
      const body = { jsonrpc: "2.0", id, method, params };
      return { id, ...(await post(body, { token, headers: { ...session, ...more.headers } })) };
    },
  };
}

function expectResult(revision: Revision, emitted: Emitted, id: unknown, definition: string): void {
  expect(emitted.status, emitted.text).toBe(200);
  expect(emitted.messages).toHaveLength(1);
  const [message] = emitted.messages;
  expect(at(message, "id")).toBe(id);
  expect(complaints(revision, answerEnvelope(revision), message)).toEqual([]);
  expect(complaints(revision, "Result", at(message, "result"))).toEqual([]);
  expect(complaints(revision, definition, at(message, "result"))).toEqual([]);
  // Neither of the two, nor both.
  expect(message).not.toHaveProperty("error");
}

function expectError(revision: Revision, emitted: Emitted, id: unknown, reason: Reason): void {
  expect(emitted.messages).toHaveLength(1);
  const [message] = emitted.messages;
  expect(at(message, "error.data.reason"), emitted.text).toBe(reason);
  expect(at(message, "id")).toBe(id);
  expect(complaints(revision, errorEnvelope(revision), message)).toEqual([]);
  expect(message).not.toHaveProperty("result");
}

const tools = [weatherTool];
const sampling = "sampling/createMessage";

/** Calls that are answered, with the definition of their results. */
const answered: {
  name: string;
  since?: Revision;
  token?: () => string;
  params: object;
  wanted: object;
}[] = [
  {
    name: "a text",
    params: asking("hello", { systemPrompt: "Be brief.", temperature: 0.5 }),
    wanted: { content: { type: "text", text: "Hi there! 👋 é" }, stopReason: "endTurn" },
  },
  {
    name: "a text that was cut off",
    params: asking("cut me off"),
    wanted: { content: { type: "text", text: "Once" }, stopReason: "maxTokens" },
  },
  {
    name: "an image",
    token: () => imageKey,
    params: asking("paint", { metadata: { [mixed]: ["image"] } }),
    wanted: {
      content: { type: "image", mimeType: "image/png", data: png },
      _meta: { "sampling-router/omitted": ["text"] },
    },
  },
  {
    name: "one tool use",
    since: "2025-11-25",
    params: asking("one tool", { tools }),
    wanted: { content: { type: "tool_use", id: "call_1" }, stopReason: "toolUse" },
  },
  {
    name: "two tool uses",
    since: "2025-11-25",
    params: asking("two tools", { tools, toolChoice: { mode: "required" } }),
    wanted: { content: [{ id: "call_1" }, { id: "call_2" }], stopReason: "toolUse" },
  },
  {
    name: "a text where tools were offered",
    since: "2025-11-25",
    params: asking("hello", { tools }),
    wanted: { content: { type: "text" }, stopReason: "endTurn" },
  },
];

const toolTurns = [
  { role: "user", content: { type: "text", text: "one tool" } },
  { role: "assistant", content: { type: "tool_use", id: "a", name: "look", input: {} } },
  {
    role: "user",
    content: { type: "tool_result", toolUseId: "a", content: [{ type: "text", text: "x" }] },
  },
];

/** Calls that are refused although the message itself is in order. */
const refused: {
  reason: Reason;
  since?: Revision;
  declared?: object;
  method?: string;
  params: object;
}[] = [
  { reason: "invalid_params", params: asking("hello", { maxTokens: -1 }) },
  { reason: "capability_missing", declared: { sampling: {} }, params: asking("hello", { tools }) },
  { reason: "capability_missing", declared: {}, params: asking("hello") },
  {
    reason: "capability_missing",
    declared: { sampling: {} },
    params: asking("hello", { metadata: { [mixed]: ["image"] } }),
  },
  // No provider reads this format.
  {
    reason: "no_eligible_model",
    params: {
      messages: [
        {
          role: "user",
          content: { type: "image", data: btoa("<svg/>"), mimeType: "image/svg+xml" },
        },
      ],
      maxTokens: 10,
    },
  },
  // No round of tools is allowed by this tenant's policy.
  {
    reason: "forbidden",
    since: "2025-11-25",
    params: { messages: toolTurns, maxTokens: 10, tools },
  },
  { reason: "provider_failed", params: asking(failing) },
  { reason: "method_not_found", method: "tools/list", params: {} },
];

describe.each(revisions)("%s", (revision) => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await callerOf(revision);
  });

  it.each(answered.filter(({ since }) => since === undefined || revision >= since))(
    "answers $name as its schema says, as a stream and as JSON",
    async ({ params, wanted, token }) => {
      const one = token === undefined ? caller : await callerOf(revision, { token: token() });
      for (const accept of ["application/json, text/event-stream", "application/json"]) {
        const emitted = await one.send(sampling, params, { headers: { Accept: accept } });
        expect(emitted.type).toBe(accept.split(", ").at(-1));
        expectResult(revision, emitted, emitted.id, "CreateMessageResult");
        expect(at(emitted.messages[0], "result")).toMatchObject(wanted);
      }
    },
  );

  it.each(refused.filter(({ since }) => since === undefined || revision >= since))(
    "refuses with $reason as its schema says",
    async ({ reason, declared, method, params }) => {
      const one = declared === undefined ? caller : await callerOf(revision, { declared });
      const emitted = await one.send(method ?? sampling, params);
      expectError(revision, emitted, emitted.id, reason);
      const required = at(emitted.messages[0], "error.data.requiredCapabilities");
      if (required !== undefined)
        expect(complaints(revision, "ClientCapabilities", required)).toEqual([]);
    },
  );

  it("refuses a tool where the revision has none, by a capability that its schema has not", async () => {
    const emitted = await caller.send(sampling, asking("hello", { tools }));
    if (revision < "2025-11-25") expectError(revision, emitted, emitted.id, "capability_missing");
    else expectResult(revision, emitted, emitted.id, "CreateMessageResult");
  });

  it("refuses over a limit as its schema says", async () => {
    const limited = await callerOf(revision, { token: limitedKey });
    // The window is shared by all revisions: whoever comes first is answered.
    await limited.send(sampling, asking("hello"));
    const emitted = await limited.send(sampling, asking("hello"));
    expectError(revision, emitted, emitted.id, "rate_limited");
  });

  it("refuses an unknown key with the id of the message", async () => {
    const body = { jsonrpc: "2.0", id: nextId(), method: sampling, params: asking("hello") };
    const emitted = await post(body, { token: "nonsense" });
    expect(emitted.status).toBe(401);
    expectError(revision, emitted, body.id, "unauthorized");
  });

  it("refuses a message that is none with its id", async () => {
    const body = { jsonrpc: "1.0", id: nextId(), method: "ping" };
    const emitted = await post(body);
    expect(emitted.status).toBe(400);
    expectError(revision, emitted, body.id, "invalid_request");
  });

  it.each([
    ["parse_error", "{nope", {}],
    ["invalid_request", '{"jsonrpc":"2.0","method":7}', {}],
    ["not_acceptable", "{}", { Accept: "text/html" }],
    ["unsupported_media_type", "{}", { "Content-Type": "text/plain" }],
  ] as const)("leaves the id out where none is known: %s", async (reason, body, headers) => {
    const emitted = await post(body, { headers });
    expect(emitted.status).toBeGreaterThanOrEqual(400);
    const [message] = emitted.messages;
    expect(at(message, "error.data.reason")).toBe(reason);
    expect(message).not.toHaveProperty("id");
    // The schemas before 2025-11-25 require an id in every error, and know no null; Streamable HTTP of
    // the same revisions speaks of "a JSON-RPC error response that has no id". With one it is valid.
    const judged = revision < "2025-11-25" ? { ...(message as object), id: 0 } : message;
    expect(complaints(revision, errorEnvelope(revision), judged)).toEqual([]);
  });
});

describe.each(legacy)("%s", (revision) => {
  it("begins a session as its schema says", async () => {
    const body = initialize(revision, capabilities);
    const emitted = await post(body);
    expectResult(revision, emitted, body.id, "InitializeResult");
    expect(at(emitted.messages[0], "result.protocolVersion")).toBe(revision);
  });

  it("answers a ping as its schema says", async () => {
    const emitted = await (await callerOf(revision)).send("ping", {});
    expectResult(revision, emitted, emitted.id, "EmptyResult");
    expect(at(emitted.messages[0], "result")).toEqual({});
  });

  it("acknowledges a notification without a body", async () => {
    const begun = await post(initialize(revision, capabilities));
    const session = { "Mcp-Session-Id": begun.headers.get("mcp-session-id") ?? "" };
    const body = { jsonrpc: "2.0", method: "notifications/initialized" };
    const emitted = await post(body, { headers: session });
    expect([emitted.status, emitted.text]).toEqual([202, ""]);
  });

  it("refuses an initialize that says nothing", async () => {
    const body = { jsonrpc: "2.0", id: nextId(), method: "initialize", params: {} };
    expectError(revision, await post(body), body.id, "invalid_params");
  });

  it("refuses a session that nobody knows, and none", async () => {
    const body = { jsonrpc: "2.0", id: nextId(), method: "ping" };
    const unknown = { "Mcp-Session-Id": "ses_00000000000000000000000000" };
    expectError(revision, await post(body, { headers: unknown }), body.id, "session_not_found");
    expectError(revision, await post(body), body.id, "session_required");
  });
});

describe("2024-11-05", () => {
  it("is not answered with audio, which its schema has no block for", async () => {
    const caller = await callerOf("2024-11-05");
    const params = asking("hello", { metadata: { [mixed]: ["audio"] } });
    const emitted = await caller.send(sampling, params);
    expectError("2024-11-05", emitted, emitted.id, "invalid_params");
  });
});

describe("2025-03-26", () => {
  const revision = "2025-03-26";

  it("answers a batch as its schema says, each message by its id", async () => {
    const begun = await post(initialize(revision, capabilities));
    const session = { "Mcp-Session-Id": begun.headers.get("mcp-session-id") ?? "" };
    const message = (id: unknown, method: string, params: object) => ({
      jsonrpc: "2.0",
      id,
      method,
      params,
    });
    const emitted = await post(
      [
        message(1, "ping", {}),
        message("two", sampling, asking("hello")),
        message(3, sampling, asking("hello", { maxTokens: -1 })),
        { jsonrpc: "2.0", method: "notifications/initialized" },
        message(4, "tools/list", {}),
        message(5, "initialize", {}),
        { jsonrpc: "1.0", id: 6, method: "ping" },
        message(7, sampling, asking(failing)),
      ],
      { headers: session },
    );
    expect(emitted.status).toBe(200);
    expect(complaints(revision, "JSONRPCBatchResponse", emitted.messages)).toEqual([]);
    const said = emitted.messages.map((one) => [
      at(one, "id"),
      at(one, "error.data.reason") ?? "result",
    ]);
    expect(said).toEqual([
      [1, "result"],
      ["two", "result"],
      [3, "invalid_params"],
      [4, "method_not_found"],
      [5, "invalid_request"],
      [6, "invalid_request"],
      [7, "provider_failed"],
    ]);
    expect(complaints(revision, "CreateMessageResult", at(emitted.messages[1], "result"))).toEqual(
      [],
    );
  });

  it("acknowledges a batch of notifications without a body", async () => {
    const begun = await post(initialize(revision, capabilities));
    const session = { "Mcp-Session-Id": begun.headers.get("mcp-session-id") ?? "" };
    const one = { jsonrpc: "2.0", method: "notifications/initialized" };
    const emitted = await post([one, one], { headers: session });
    expect([emitted.status, emitted.text]).toEqual([202, ""]);
  });
});

describe(modern, () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await callerOf(modern);
  });

  it("is discovered as its schema says", async () => {
    const emitted = await caller.send("server/discover", {});
    expectResult(modern, emitted, emitted.id, "DiscoverResult");
    expect(complaints(modern, "DiscoverResultResponse", emitted.messages[0])).toEqual([]);
  });

  it("says in every result that it is complete", async () => {
    for (const [method, params] of [
      ["server/discover", {}],
      [sampling, asking("hello")],
      ["sampling-router/createMessage", asking("hello")],
    ] as const) {
      const emitted = await caller.send(method, params);
      expect(at(emitted.messages[0], "result.resultType")).toBe("complete");
    }
  });

  it("spells the errors that the specification names as it does", async () => {
    const named: [string, Emitted][] = [
      [
        "MissingRequiredClientCapabilityError",
        await (await callerOf(modern, { declared: {} })).send(sampling, asking("hello")),
      ],
      [
        "HeaderMismatchError",
        await caller.send(sampling, asking("hello"), { headers: { "Mcp-Method": "ping" } }),
      ],
      [
        "UnsupportedProtocolVersionError",
        await caller.send(sampling, asking("hello"), {
          headers: { "MCP-Protocol-Version": "2099-01-01" },
          meta: {
            "io.modelcontextprotocol/protocolVersion": "2099-01-01",
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        }),
      ],
    ];
    for (const [definition, emitted] of named) {
      expect([emitted.status, complaints(modern, definition, emitted.messages[0])]).toEqual([
        400,
        [],
      ]);
    }
    const inner: [string, Emitted][] = [
      ["MethodNotFoundError", await caller.send("ping", {})],
      ["InvalidParamsError", await caller.send(sampling, {})],
      ["InvalidParamsError", await caller.send(sampling, asking("hello"), { meta: {} })],
      ["ParseError", await post("{nope")],
      ["InvalidRequestError", await post("7")],
    ];
    for (const [definition, emitted] of inner)
      expect([
        definition,
        complaints(modern, definition, at(emitted.messages[0], "error")),
      ]).toEqual([definition, []]);
  });
});

describe("the schemas themselves", () => {
  const valid: [string, Record<string, unknown>][] = [
    [
      "CreateMessageResult",
      { role: "assistant", model: "m", content: { type: "text", text: "x" } },
    ],
    [
      "InitializeResult",
      { protocolVersion: "x", capabilities: {}, serverInfo: { name: "x", version: "1" } },
    ],
    [
      "DiscoverResult",
      {
        resultType: "complete",
        supportedVersions: ["x"],
        capabilities: {},
        ttlMs: 0,
        cacheScope: "private",
      },
    ],
  ];

  it.each(revisions)("of %s do refuse what is wrong", (revision) => {
    for (const [definition, value] of valid) {
      if (!has(revision, definition)) continue;
      expect([definition, complaints(revision, definition, value)]).toEqual([definition, []]);
      for (const missing of Object.keys(value)) {
        const { [missing]: _, ...partial } = value;
        expect(complaints(revision, definition, partial)).not.toEqual([]);
      }
    }
    expect(complaints(revision, answerEnvelope(revision), { jsonrpc: "2.0", id: 1 })).not.toEqual(
      [],
    );
    expect(complaints(revision, errorEnvelope(revision), { jsonrpc: "2.0", id: 1 })).not.toEqual(
      [],
    );
  });
});
