/**
 * Providers that refuse what the real ones refuse: each limit is a row, with the page or error that says so. A body
 * that breaks none is answered. The rules of `src/domain/wires/` are not read here, so that a wrong one shows.
 */
import { isObject, own, type JsonObject, type JsonValue } from "../../src/domain/json.ts";

export const strictWires = [
  { wire: "openai-chat", provider: "openai", model: "gpt-4o-mini" },
  { wire: "openai-responses", provider: "openai", model: "gpt-5-pro" },
  { wire: "anthropic", provider: "anthropic", model: "claude-sonnet-4-6" },
  { wire: "google", provider: "google", model: "gemini-2.5-flash" },
  { wire: "mistral", provider: "mistral", model: "mistral-large-latest" },
  { wire: "groq", provider: "groq", model: "llama-3.3-70b-versatile" },
  { wire: "deepseek", provider: "deepseek", model: "deepseek-chat" },
  { wire: "compatible", provider: "vllm", model: "qwen3-32b" },
] as const;
export type StrictWire = (typeof strictWires)[number]["wire"];

interface Limit {
  wires: readonly StrictWire[];
  source: string;
  /** what the provider says; null: the body is within the limit */
  breaks: (body: JsonObject) => string | null;
}

const list = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? (value as JsonObject[]).filter(isObject) : [];
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Every schema in a schema. */
function* schemasIn(value: JsonValue | undefined): Generator<JsonObject> {
  if (!isObject(value)) return;
  yield value;
  for (const key of ["properties", "$defs", "definitions"])
    for (const each of Object.values(own(value, key) ?? {})) yield* schemasIn(each as JsonValue);
  for (const key of ["items", "additionalProperties"]) yield* schemasIn(own(value, key));
  for (const key of ["anyOf", "oneOf", "allOf"])
    for (const each of list(own(value, key))) yield* schemasIn(each);
}

interface SentTool {
  name: string;
  schema: JsonObject;
}

function toolsIn(body: JsonObject): SentTool[] {
  return list(body["tools"]).flatMap((tool): SentTool[] => {
    const declared = list(own(tool, "functionDeclarations"));
    if (declared.length > 0)
      return declared.map((each) => ({
        name: text(each["name"]),
        schema: (own(each, "parametersJsonSchema") ?? {}) as JsonObject,
      }));
    const of = (own(tool, "function") ?? tool) as JsonObject;
    const schema = own(of, "parameters") ?? own(of, "input_schema") ?? {};
    return [{ name: text(of["name"]), schema: schema as JsonObject }];
  });
}

const messagesIn = (body: JsonObject): JsonObject[] =>
  list(body["messages"] ?? body["input"] ?? body["contents"]);
const partsIn = (message: JsonObject): JsonObject[] => list(message["content"] ?? message["parts"]);

/** Names of tools in the history. */
const usedIn = (body: JsonObject): string[] =>
  messagesIn(body).flatMap((message) => [
    ...list(message["tool_calls"]).map((use) => text(own(own(use, "function"), "name"))),
    ...(message["type"] === "function_call" ? [text(message["name"])] : []),
    ...partsIn(message).flatMap((part) => {
      if (part["type"] === "tool_use") return [text(part["name"])];
      const called = own(part, "functionCall") ?? own(part, "functionResponse");
      return called === undefined ? [] : [text(own(called, "name"))];
    }),
  ]);

const idsIn = (body: JsonObject): string[] =>
  messagesIn(body).flatMap((message) => [
    ...list(message["tool_calls"]).map((use) => text(use["id"])),
    ...("tool_call_id" in message ? [text(message["tool_call_id"])] : []),
    ...("call_id" in message ? [text(message["call_id"])] : []),
    ...partsIn(message).flatMap((part) => {
      const id = part["type"] === "tool_use" ? part["id"] : part["tool_use_id"];
      return id === undefined ? [] : [text(id)];
    }),
  ]);

const name =
  (pattern: RegExp) =>
  (body: JsonObject): string | null => {
    const bad = [...toolsIn(body).map((tool) => tool.name), ...usedIn(body)].find(
      (each) => !pattern.test(each),
    );
    return bad === undefined ? null : `Invalid tool name '${bad}': expected ${pattern.source}`;
  };
const id =
  (pattern: RegExp) =>
  (body: JsonObject): string | null => {
    const bad = idsIn(body).find((each) => !pattern.test(each));
    return bad === undefined ? null : `Invalid tool call id '${bad}': expected ${pattern.source}`;
  };
const atMost =
  (most: number) =>
  (body: JsonObject): string | null =>
    toolsIn(body).length > most ? `Expected at most ${most} tools` : null;

const rolesIn = (body: JsonObject): string[] =>
  messagesIn(body).flatMap(({ role }) =>
    typeof role === "string" && role !== "system" && role !== "developer" ? [role] : [],
  );

const isBlank = (value: unknown): boolean => typeof value === "string" && value.trim() === "";

/** Media types of the images in a body, with the first characters of their base64. */
function imagesIn(value: unknown): { type: string; data: string }[] {
  if (Array.isArray(value)) return value.flatMap(imagesIn);
  if (!isObject(value)) return [];
  const type = own(value, "media_type") ?? own(value, "mimeType");
  const data = own(value, "data");
  if (typeof type === "string" && typeof data === "string") return [{ type, data }];
  const found = typeof value["url"] === "string" ? value["url"] : text(value["image_url"]);
  const url = /^data:([^;]+);base64,(.*)$/s.exec(found);
  if (url !== null) return [{ type: url[1] ?? "", data: url[2] ?? "" }];
  return Object.values(value).flatMap(imagesIn);
}

const heads: Record<string, string> = {
  "image/png": "iVBORw0KGgo",
  "image/jpeg": "/9j/",
  "image/gif": "R0lGOD",
  "image/webp": "UklGR",
};

const images =
  (formats: readonly string[]) =>
  (body: JsonObject): string | null => {
    const bad = imagesIn(messagesIn(body)).find(
      ({ type, data }) =>
        (type.startsWith("image/") || type.startsWith("IMAGE")) &&
        (!formats.includes(type) || !data.startsWith(heads[type] ?? "")),
    );
    return bad === undefined ? null : `Unsupported image: ${bad.type}`;
  };

const openaiName = name(/^[a-zA-Z0-9_-]{1,64}$/);
const chatWires = ["openai-chat", "mistral", "groq", "deepseek", "compatible"] as const;
const all: readonly StrictWire[] = strictWires.map(({ wire }) => wire);

export const limits: readonly Limit[] = [
  {
    wires: all,
    source: "RFC 8259, section 8.1: text is UTF-8, which has no lone surrogates",
    breaks: (body) =>
      /(?<!\\)\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])/i.test(JSON.stringify(body))
        ? "no low surrogate in string"
        : null,
  },
  {
    wires: ["openai-chat", "openai-responses", "mistral", "groq", "deepseek", "compatible"],
    source: "https://platform.openai.com/docs/api-reference/chat/create#tools",
    breaks: openaiName,
  },
  {
    wires: ["anthropic"],
    source: "https://docs.claude.com/en/api/messages#body-tools-name",
    breaks: name(/^[a-zA-Z0-9_-]{1,128}$/),
  },
  {
    wires: ["google"],
    source: "https://ai.google.dev/api/caching#FunctionDeclaration",
    breaks: name(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/),
  },
  {
    wires: ["openai-chat", "openai-responses", "groq", "deepseek"],
    source: "https://platform.openai.com/docs/api-reference/chat/create#tools",
    breaks: atMost(128),
  },
  {
    wires: all,
    source: "error of the endpoint: tools: Tool names must be unique",
    breaks: (body) => {
      const names = toolsIn(body).map((tool) => tool.name);
      return new Set(names).size < names.length ? "Tool names must be unique." : null;
    },
  },
  {
    wires: ["openai-chat"],
    source: "error of the endpoint: string_above_max_length, tool_calls[].id, 40",
    breaks: id(/^.{1,40}$/su),
  },
  {
    wires: ["openai-responses"],
    source: "error of the endpoint: string_above_max_length, input[].call_id, 64",
    breaks: id(/^.{1,64}$/su),
  },
  {
    wires: ["anthropic"],
    source: "error of the endpoint: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    breaks: id(/^[a-zA-Z0-9_-]+$/),
  },
  {
    wires: ["mistral"],
    source: "error of the endpoint: Tool call id has to be a-z, A-Z, 0-9, with a length of 9",
    breaks: id(/^[a-zA-Z0-9]{9}$/),
  },
  {
    wires: ["openai-chat", "openai-responses", "groq", "mistral", "deepseek", "compatible"],
    source: "error of the endpoint: invalid_function_parameters",
    breaks: (body) => {
      for (const { name: of, schema } of toolsIn(body)) {
        if (schema["type"] !== "object") return `Invalid schema for function '${of}': type`;
        if (!isObject(schema["properties"])) return "object schema missing properties";
        if (["anyOf", "oneOf", "allOf", "enum", "not"].some((key) => key in schema))
          return "schema must not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level";
        for (const each of schemasIn(schema))
          if (each["type"] === "array" && each["items"] === undefined)
            return "array schema missing items";
      }
      return null;
    },
  },
  {
    wires: ["anthropic"],
    source: "error of the endpoint: input_schema: JSON schema is invalid (draft 2020-12)",
    breaks: (body) => {
      for (const { schema } of toolsIn(body)) {
        if (schema["type"] !== "object") return "input_schema.type: Input should be 'object'";
        if (["anyOf", "oneOf", "allOf"].some((key) => key in schema))
          return "input_schema does not support oneOf, allOf, or anyOf at the top level";
        for (const each of schemasIn(schema)) {
          if (typeof each["exclusiveMinimum"] === "boolean" || Array.isArray(each["items"]))
            return "JSON schema is invalid. It must match JSON Schema draft 2020-12";
          const bad = Object.keys(own(each, "properties") ?? {}).find(
            (key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key),
          );
          if (bad !== undefined)
            return "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'";
        }
      }
      return null;
    },
  },
  {
    wires: ["google"],
    source: "https://ai.google.dev/api/caching#Schema",
    breaks: (body) => {
      const known = new Set(["enum", "date-time", "float", "double", "int32", "int64"]);
      for (const { schema } of toolsIn(body))
        for (const { format } of schemasIn(schema))
          if (typeof format === "string" && !known.has(format))
            return `only 'enum' and 'date-time' are supported, not '${format}'`;
      return null;
    },
  },
  {
    wires: ["anthropic"],
    source: "error of the endpoint: text content blocks must contain non-whitespace text",
    breaks: (body) => {
      for (const message of messagesIn(body)) {
        const parts = partsIn(message);
        if (parts.length === 0 && isBlank(message["content"])) return "content must not be empty";
        if (Array.isArray(message["content"]) && parts.length === 0) return "content is empty";
        for (const part of parts) {
          if (part["type"] === "text" && isBlank(part["text"]))
            return "text content blocks must contain non-whitespace text";
          const content = part["content"];
          const isEmpty = content === "" || (Array.isArray(content) && content.length === 0);
          if (part["type"] === "tool_result" && part["is_error"] === true && isEmpty)
            return "content cannot be empty if `is_error` is true";
        }
      }
      return null;
    },
  },
  {
    wires: ["google"],
    source: "error of the endpoint: contents.parts must not be empty",
    breaks: (body) => {
      for (const message of messagesIn(body)) {
        const parts = partsIn(message);
        if (parts.length === 0) return "contents.parts must not be empty";
        if (parts.some((part) => part["text"] === "")) return "must have a text parameter";
      }
      return null;
    },
  },
  {
    wires: ["mistral"],
    source: "error of the endpoint: Assistant message must have either content or tool_calls",
    breaks: (body) =>
      messagesIn(body).some(
        (message) =>
          message["role"] === "assistant" &&
          (message["content"] ?? "") === "" &&
          list(message["tool_calls"]).length === 0,
      )
        ? "Assistant message must have either content or tool_calls, but not none."
        : null,
  },
  {
    wires: ["anthropic"],
    source: "error of the endpoint: stop_sequences: each stop sequence must contain non-whitespace",
    breaks: ({ stop_sequences: stops }) =>
      Array.isArray(stops) && stops.some(isBlank)
        ? "stop_sequences: each stop sequence must contain non-whitespace"
        : null,
  },
  {
    wires: ["google", ...chatWires],
    source: "https://ai.google.dev/api/generate-content#generationconfig",
    breaks: (body) => {
      const stops = own(body["generationConfig"], "stopSequences") ?? body["stop"];
      return Array.isArray(stops) && stops.includes("") ? "stop sequence must not be empty" : null;
    },
  },
  {
    wires: ["anthropic", "compatible"],
    source: "error of the endpoint: first message must use the user role",
    breaks: (body) =>
      rolesIn(body)[0] === "user" ? null : 'messages: first message must use the "user" role',
  },
  {
    wires: ["google"],
    source: "error of the endpoint: function call turn comes immediately after a user turn",
    breaks: (body) => {
      const [first] = messagesIn(body);
      return first !== undefined && partsIn(first).some((part) => "functionCall" in part)
        ? "Please ensure that function call turn comes immediately after a user turn"
        : null;
    },
  },
  {
    wires: ["compatible", "deepseek"],
    source:
      "vLLM chat template: Conversation roles must alternate user/assistant/user/assistant/...",
    breaks: (body) => {
      const roles = rolesIn(body);
      return roles.some((role, at) => role !== "tool" && role === roles[at - 1])
        ? "Conversation roles must alternate user/assistant/user/assistant/..."
        : null;
    },
  },
  {
    wires: ["mistral"],
    source: "error of the endpoint: Unexpected role 'user' after role 'tool'",
    breaks: (body) => {
      const roles = rolesIn(body);
      return roles.some((role, at) => role === "user" && roles[at - 1] === "tool")
        ? "Unexpected role 'user' after role 'tool'"
        : null;
    },
  },
  {
    wires: ["anthropic", "mistral"],
    source: "https://docs.claude.com/en/docs/about-claude/models/whats-new-claude-4-6",
    breaks: (body) =>
      rolesIn(body).at(-1) === "assistant"
        ? "This model does not support assistant message prefill."
        : null,
  },
  {
    wires: ["anthropic", "openai-chat", "openai-responses", "mistral", "groq", "compatible"],
    source: "https://docs.claude.com/en/docs/build-with-claude/vision#faq",
    breaks: images(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  },
  {
    wires: ["google"],
    source: "https://ai.google.dev/gemini-api/docs/image-understanding#supported-formats",
    breaks: images(["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]),
  },
  {
    wires: all,
    source: "https://platform.openai.com/docs/api-reference/chat/create#temperature",
    breaks: (body) => {
      const heat = body["temperature"] ?? own(body["generationConfig"], "temperature");
      return typeof heat === "number" && heat > 2 ? "temperature: maximum is 2" : null;
    },
  },
  {
    wires: ["mistral"],
    source: "https://docs.mistral.ai/api/#tag/chat",
    breaks: ({ temperature }) =>
      typeof temperature === "number" && temperature > 1.5 ? "temperature: maximum is 1.5" : null,
  },
];

/** What a wire says to a body; null: it takes it. */
export const refusalAt = (wire: StrictWire, body: JsonObject): string | null => {
  for (const limit of limits) {
    const said = limit.wires.includes(wire) ? limit.breaks(body) : null;
    if (said !== null) return said;
  }
  return null;
};

/** The documented body of an error. */
const errorOf = (wire: StrictWire, message: string): JsonObject => {
  if (wire === "anthropic")
    return { type: "error", error: { type: "invalid_request_error", message } };
  if (wire === "google") return { error: { code: 400, message, status: "INVALID_ARGUMENT" } };
  if (wire === "mistral") return { object: "error", message, type: "invalid_request_error" };
  return { error: { message, type: "invalid_request_error", param: null, code: null } };
};

export interface Use {
  id: string;
  name: string;
  arguments: JsonObject;
}

/** An answer in the wire's words: a text, or a use of a tool. */
export function answerAt(wire: StrictWire, said: string | Use): JsonObject {
  const use = typeof said === "string" ? null : said;
  switch (wire) {
    case "anthropic":
      return {
        type: "message",
        id: "m",
        model: "m",
        role: "assistant",
        content:
          use === null
            ? [{ type: "text", text: said as string }]
            : [{ type: "tool_use", id: use.id, name: use.name, input: use.arguments }],
        stop_reason: use === null ? "end_turn" : "tool_use",
        usage: { input_tokens: 10, output_tokens: 5 },
      };
    case "google":
      return {
        candidates: [
          {
            content: {
              role: "model",
              parts: [
                use === null
                  ? { text: said as string }
                  : { functionCall: { name: use.name, args: use.arguments } },
              ],
            },
            finishReason: "STOP",
          },
        ],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      };
    case "openai-responses":
      return {
        id: "r",
        created_at: 1,
        model: "m",
        output: [
          use === null
            ? {
                type: "message",
                role: "assistant",
                id: "m",
                content: [{ type: "output_text", text: said as string, annotations: [] }],
              }
            : {
                type: "function_call",
                id: "f",
                call_id: use.id,
                name: use.name,
                arguments: JSON.stringify(use.arguments),
              },
        ],
        usage: { input_tokens: 10, output_tokens: 5 },
      };
    default:
      return {
        id: "c",
        created: 1,
        model: "m",
        choices: [
          {
            index: 0,
            message:
              use === null
                ? { role: "assistant", content: said as string }
                : {
                    role: "assistant",
                    content: null,
                    tool_calls: [
                      {
                        id: use.id,
                        type: "function",
                        function: { name: use.name, arguments: JSON.stringify(use.arguments) },
                      },
                    ],
                  },
            finish_reason: use === null ? "stop" : "tool_calls",
          },
        ],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      };
  }
}

/** `fetch` of a strict provider. `said` may look at the body to choose its answer. */
export function strictFetch(
  wire: StrictWire,
  said: (body: JsonObject) => string | Use = () => "Fine.",
): { fetch: typeof fetch; bodies: JsonObject[]; refusals: string[] } {
  const bodies: JsonObject[] = [];
  const refusals: string[] = [];
  return {
    bodies,
    refusals,
    fetch: async (_input, init) => {
      const body = JSON.parse(String(init?.body)) as JsonObject;
      bodies.push(body);
      const refusal = refusalAt(wire, body);
      if (refusal === null) return Response.json(answerAt(wire, said(body)));
      refusals.push(refusal);
      return Response.json(errorOf(wire, refusal), { status: 400 });
    },
  };
}

export { toolsIn };
