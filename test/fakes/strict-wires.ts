/**
 * Providers that refuse what the real ones refuse: each limit is a row, with the page or error that says so. A body
 * that breaks none is answered. The rules of `src/domain/wires/` are not read here, so that a wrong one shows.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
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
  /** the error's own code, where the provider documents one */
  code?: string;
  /** what the provider says; null: the body is within the limit */
  breaks: (body: JsonObject, model: string) => string | null;
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

/** What a reference within a schema leads to. */
function pointed(schema: JsonObject, reference: string): JsonValue | undefined {
  if (!reference.startsWith("#")) return undefined;
  return reference
    .split("/")
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<JsonValue | undefined>(
      (value, step) => (Array.isArray(value) ? value[Number(step)] : own(value, step)),
      schema,
    );
}

const draft2020 = new Ajv2020({ strict: false, logger: false });
const validates = (schema: JsonObject): boolean => draft2020.validateSchema(schema) as boolean;

/** Output tokens, by the beginning of a model's name. */
const maxAnswerTokens = [
  ["claude-haiku-4-5", 64_000],
  ["claude-sonnet-4-5", 64_000],
  ["gpt-4o-mini", 16_384],
  ["gpt-4o", 16_384],
  ["gpt-4.1", 32_768],
  ["gpt-5", 128_000],
] as const;

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
    // OpenAI's Responses group functions.
    if (tool["type"] === "namespace") return toolsIn(tool);
    // Tools that OpenAI runs have a type alone.
    if (tool["name"] === undefined && tool["function"] === undefined) return [];
    // OpenAI's free-form tools have a grammar in place of a schema.
    if (tool["type"] === "custom" && tool["input_schema"] === undefined) return [];
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

const nameLike =
  (pattern: RegExp) =>
  (body: JsonObject): string | null => {
    const bad = [...toolsIn(body).map((tool) => tool.name), ...usedIn(body)].find(
      (each) => !pattern.test(each),
    );
    return bad === undefined ? null : `Invalid tool name '${bad}': expected ${pattern.source}`;
  };
const idLike =
  (pattern: RegExp) =>
  (body: JsonObject): string | null => {
    const bad = idsIn(body).find((each) => !pattern.test(each));
    return bad === undefined ? null : `Invalid tool call id '${bad}': expected ${pattern.source}`;
  };
const atMost =
  (max: number) =>
  (body: JsonObject): string | null =>
    toolsIn(body).length > max ? `Expected at most ${max} tools` : null;

const stopsAtMost =
  (max: number) =>
  ({ stop }: JsonObject): string | null =>
    Array.isArray(stop) && stop.length > max
      ? `Invalid 'stop': array too long. Expected an array with maximum length ${max}`
      : null;

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

interface SentImage {
  bytes: number;
  width: number;
  height: number;
}

/** Of PNGs, also width and height. */
const sentImages = (body: JsonObject): SentImage[] =>
  imagesIn(messagesIn(body))
    .filter(({ type }) => /^image\//i.test(type))
    .map(({ data }) => {
      const head = Buffer.from(data.slice(0, 64), "base64");
      const isPng = data.startsWith("iVBORw0KGgo") && head.length >= 24;
      const [width, height] = isPng ? [head.readUInt32BE(16), head.readUInt32BE(20)] : [1, 1];
      return { bytes: (data.length / 4) * 3, width, height };
    });

const imagesAtMost =
  (max: {
    count?: number;
    bytes?: number;
    bytesTogether?: number;
    pixels?: number;
    side?: (count: number) => number;
  }) =>
  (body: JsonObject): string | null => {
    const all = sentImages(body);
    const side = max.side?.(all.length) ?? Infinity;
    if (all.length > (max.count ?? Infinity)) return `Too many images: at most ${max.count}`;
    if (all.reduce((sum, { bytes }) => sum + bytes, 0) > (max.bytesTogether ?? Infinity))
      return "Request too large: images exceed the limit";
    for (const { bytes, width, height } of all) {
      if (bytes > (max.bytes ?? Infinity)) return `image exceeds ${max.bytes} bytes`;
      if (Math.max(width, height) > side) return `image dimensions exceed ${side} pixels`;
      if (width * height > (max.pixels ?? Infinity)) return "image has too many pixels";
      if (bytes === 0) return "Could not process image";
    }
    return null;
  };
const megabytes = 1024 * 1024;

const takesPrefill = /^claude-(3|instant|2|(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?$)/;

const openaiName = nameLike(/^[a-zA-Z0-9_-]{1,64}$/);
const chatWires = ["openai-chat", "mistral", "groq", "deepseek", "compatible"] as const;
const all: readonly StrictWire[] = strictWires.map(({ wire }) => wire);

const limits: readonly Limit[] = [
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
    breaks: nameLike(/^[a-zA-Z0-9_-]{1,128}$/),
  },
  {
    wires: ["google"],
    source: "https://ai.google.dev/api/caching#FunctionDeclaration",
    breaks: nameLike(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/),
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
    breaks: idLike(/^.{1,40}$/su),
  },
  {
    wires: ["openai-responses"],
    source: "error of the endpoint: string_above_max_length, input[].call_id, 64",
    breaks: idLike(/^.{1,64}$/su),
  },
  {
    wires: ["anthropic"],
    source: "error of the endpoint: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    breaks: idLike(/^[a-zA-Z0-9_-]+$/),
  },
  {
    wires: ["mistral"],
    source: "error of the endpoint: Tool call id has to be a-z, A-Z, 0-9, with a length of 9",
    breaks: idLike(/^[a-zA-Z0-9]{9}$/),
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
          if ([part, ...list(part["content"])].some((each) => isBlank(each["text"])))
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
    wires: ["anthropic"],
    source: "https://docs.claude.com/en/docs/about-claude/models/whats-new-claude-4-6",
    breaks: (body, model) =>
      rolesIn(body).at(-1) === "assistant" && !takesPrefill.test(model)
        ? "This model does not support assistant message prefill. The conversation must end with a user message."
        : null,
  },
  {
    wires: ["anthropic"],
    source: "error of the endpoint: final assistant content cannot end with trailing whitespace",
    breaks: (body) => {
      const last = messagesIn(body).at(-1);
      const said = last?.["content"];
      const end = Array.isArray(said) ? text(own(said.at(-1), "text")) : text(said);
      return last?.["role"] === "assistant" && end !== end.trimEnd()
        ? "messages: final assistant content cannot end with trailing whitespace"
        : null;
    },
  },
  {
    wires: ["mistral"],
    source: "error of the endpoint: expected last role User or Tool for serving but got assistant",
    breaks: (body) =>
      rolesIn(body).at(-1) === "assistant"
        ? "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"
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
    wires: ["openai-chat", "openai-responses"],
    source: "https://platform.openai.com/docs/guides/images-vision",
    breaks: imagesAtMost({ count: 1_500 }),
  },
  {
    wires: ["anthropic"],
    source: "https://platform.claude.com/docs/en/build-with-claude/vision",
    // The limit is 10 MB of base64.
    breaks: imagesAtMost({
      count: 100,
      bytes: 7.5 * megabytes,
      side: (count) => (count > 20 ? 2_000 : 8_000),
    }),
  },
  {
    wires: ["google"],
    source: "https://ai.google.dev/gemini-api/docs/file-input-methods",
    breaks: imagesAtMost({ count: 3_600, bytesTogether: 75 * megabytes }),
  },
  {
    wires: ["mistral"],
    source: "https://docs.mistral.ai/capabilities/vision/",
    breaks: imagesAtMost({ count: 8, bytes: 10 * megabytes }),
  },
  {
    wires: ["groq"],
    source: "https://console.groq.com/docs/vision",
    // The limit is 4 MB of base64.
    breaks: imagesAtMost({ count: 5, bytesTogether: 3 * megabytes, pixels: 33_177_600 }),
  },
  {
    wires: ["deepseek"],
    source: "https://api-docs.deepseek.com/api/create-chat-completion",
    breaks: imagesAtMost({ count: 600, bytes: 32 * megabytes }),
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
  {
    wires: ["anthropic"],
    source: "https://docs.claude.com/en/api/messages#body-temperature",
    breaks: ({ temperature }) =>
      typeof temperature === "number" && temperature > 1 ? "temperature: range: 0..1" : null,
  },
  {
    wires: all,
    source: "https://platform.openai.com/docs/api-reference/chat/create#tool_choice",
    breaks: (body) => {
      const choice = body["tool_choice"] ?? own(body["toolConfig"], "functionCallingConfig");
      return choice !== undefined && toolsIn(body).length === 0
        ? "'tool_choice' is only allowed when 'tools' are specified."
        : null;
    },
  },
  {
    wires: ["openai-chat"],
    source: "https://platform.openai.com/docs/api-reference/chat/create#stop",
    code: "array_above_max_length",
    breaks: stopsAtMost(4),
  },
  {
    wires: ["groq"],
    source: "https://console.groq.com/docs/api-reference#chat-create",
    breaks: stopsAtMost(4),
  },
  {
    wires: ["deepseek"],
    source: "https://api-docs.deepseek.com/api/create-chat-completion",
    breaks: stopsAtMost(16),
  },
  {
    wires: ["google"],
    source: "https://ai.google.dev/api/generate-content#generationconfig",
    breaks: ({ generationConfig }) => {
      const stop = own(generationConfig, "stopSequences");
      return stopsAtMost(5)({ stop: stop ?? [] });
    },
  },
  {
    wires: ["google"],
    source: "https://ai.google.dev/gemini-api/docs/function-calling",
    breaks: atMost(512),
  },
  {
    wires: ["openai-chat", "groq", "deepseek", "compatible", "mistral"],
    source:
      "error of the endpoint: an assistant message with 'tool_calls' must be followed by tool messages",
    breaks: (body) => {
      let open: string[] = [];
      for (const message of messagesIn(body)) {
        if (message["role"] === "tool") {
          const id = text(message["tool_call_id"]);
          if (!open.includes(id))
            return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
          open = open.filter((each) => each !== id);
          continue;
        }
        if (open.length > 0)
          return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
        open = list(message["tool_calls"]).map((use) => text(use["id"]));
      }
      return open.length > 0
        ? "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
        : null;
    },
  },
  {
    wires: ["openai-responses"],
    source: "error of the endpoint: no tool output found for function call",
    breaks: (body) => {
      const items = messagesIn(body);
      const idsOf = (type: string) =>
        items.flatMap((item) => (item["type"] === type ? [text(item["call_id"])] : []));
      const [uses, results] = [idsOf("function_call"), idsOf("function_call_output")];
      const bare = uses.find((id) => !results.includes(id));
      const stray = results.find((id) => !uses.includes(id));
      if (bare !== undefined) return `No tool output found for function call ${bare}.`;
      return stray === undefined ? null : `No tool call found for function call output ${stray}.`;
    },
  },
  {
    wires: ["anthropic"],
    source: "https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
    breaks: (body) => {
      const messages = messagesIn(body);
      const seen = new Set<string>();
      for (const [at, message] of messages.entries()) {
        const uses = partsIn(message).flatMap((part) =>
          part["type"] === "tool_use" ? [text(part["id"])] : [],
        );
        const results = partsIn(messages[at + 1] ?? {}).flatMap((part) =>
          part["type"] === "tool_result" ? [text(part["tool_use_id"])] : [],
        );
        const bare = uses.find((id) => !results.includes(id));
        if (bare !== undefined)
          return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${bare}.`;
        const stray = results.find((id) => !uses.includes(id));
        if (stray !== undefined)
          return `messages.${at + 1}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}.`;
        for (const id of uses) {
          if (seen.has(id)) return `messages.${at}: \`tool_use\` ids must be unique`;
          seen.add(id);
        }
      }
      return null;
    },
  },
  {
    wires: ["google"],
    source:
      "error of the endpoint: number of function response parts is equal to the number of function call parts",
    breaks: (body) => {
      const turns = messagesIn(body);
      const count = (turn: JsonObject | undefined, key: string) =>
        partsIn(turn ?? {}).filter((part) => key in part).length;
      for (const [at, turn] of turns.entries()) {
        const calls = count(turn, "functionCall");
        if (calls > 0 && turns[at - 1]?.["role"] === "model")
          return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
        if (calls !== count(turns[at + 1], "functionResponse"))
          return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
      }
      return null;
    },
  },
  {
    wires: ["google"],
    source: "https://ai.google.dev/gemini-api/docs/thought-signatures",
    breaks: (body, model) => {
      if (!model.startsWith("gemini-3")) return null;
      const turns = messagesIn(body);
      const last = turns.findLastIndex(
        (turn) =>
          turn["role"] === "user" && !partsIn(turn).some((part) => "functionResponse" in part),
      );
      const bare = turns
        .slice(last + 1)
        .map((turn) => partsIn(turn).find((part) => "functionCall" in part))
        .find((call) => call !== undefined && text(call["thoughtSignature"]) === "");
      return bare === undefined
        ? null
        : `Function call is missing a thought_signature in functionCall parts.`;
    },
  },
  {
    wires: ["openai-chat", "openai-responses", "deepseek"],
    source: "https://platform.openai.com/docs/guides/structured-outputs#json-mode",
    breaks: (body) => {
      const format = own(body["response_format"] ?? own(body["text"], "format"), "type");
      return format === "json_object" && !/json/i.test(JSON.stringify(messagesIn(body)))
        ? "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
        : null;
    },
  },
  {
    wires: ["openai-chat", "openai-responses"],
    source: "https://platform.openai.com/docs/guides/reasoning",
    code: "unsupported_parameter",
    breaks: (body, model) => {
      if (!/^(o\d|gpt-5)/.test(model) || model.includes("chat")) return null;
      const bad = ["max_tokens", "stop"].find((key) => key in body);
      if (bad !== undefined)
        return `Unsupported parameter: '${bad}' is not supported with this model.`;
      const effort = body["reasoning_effort"] ?? own(body["reasoning"], "effort");
      return effort !== "none" && (body["temperature"] ?? 1) !== 1
        ? "Unsupported value: 'temperature' does not support this value with this model."
        : null;
    },
  },
  {
    wires: ["anthropic"],
    source: "https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
    breaks: (body) => {
      const thinking = body["thinking"];
      if (!["enabled", "adaptive"].includes(text(own(thinking, "type")))) return null;
      const budget = own(thinking, "budget_tokens");
      if (typeof budget === "number" && budget < 1024)
        return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
      if (typeof budget === "number" && budget >= Number(body["max_tokens"]))
        return "`max_tokens` must be greater than `thinking.budget_tokens`.";
      if ((body["temperature"] ?? 1) !== 1)
        return "`temperature` may only be set to 1 when thinking is enabled.";
      return ["any", "tool"].includes(text(own(body["tool_choice"], "type")))
        ? "Thinking may not be enabled when tool_choice forces tool use."
        : null;
    },
  },
  {
    wires: ["anthropic"],
    source: "https://docs.claude.com/en/docs/build-with-claude/prompt-caching",
    breaks: (body) =>
      JSON.stringify(body).split('"cache_control":').length > 5
        ? "A maximum of 4 blocks with cache_control may be provided."
        : null,
  },
  {
    wires: ["anthropic", "openai-chat", "openai-responses"],
    source: "https://docs.claude.com/en/docs/about-claude/models/overview",
    breaks: (body, model) => {
      const asked =
        body["max_tokens"] ?? body["max_completion_tokens"] ?? body["max_output_tokens"];
      const max = maxAnswerTokens.find(([start]) => model.startsWith(start))?.[1] ?? Infinity;
      if (typeof asked !== "number") return null;
      if (asked < 1) return "max_tokens: must be greater than or equal to 1";
      return asked > max
        ? `max_tokens: ${asked} > ${max}, which is the maximum allowed number of output tokens for ${model}`
        : null;
    },
  },
  {
    wires: ["openai-chat", "openai-responses", "groq", "mistral", "deepseek", "compatible"],
    source:
      "error of the endpoint: invalid_function_parameters, reference can only point to definitions",
    code: "invalid_function_parameters",
    breaks: (body) => {
      for (const { name: of, schema } of toolsIn(body))
        for (const { $ref: reference } of schemasIn(schema))
          if (typeof reference === "string" && pointed(schema, reference) === undefined)
            return `Invalid schema for function '${of}': ${reference} can't be resolved`;
      return null;
    },
  },
  {
    wires: ["anthropic"],
    source: "error of the endpoint: input_schema: JSON schema is invalid (draft 2020-12)",
    breaks: (body) => {
      for (const [at, { schema }] of toolsIn(body).entries()) {
        if (!validates(schema))
          return `tools.${at}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12`;
        for (const { $ref: reference } of schemasIn(schema))
          if (typeof reference === "string" && pointed(schema, reference) === undefined)
            return `tools.${at}.custom.input_schema: can't resolve ${reference}`;
      }
      return null;
    },
  },
];

export interface StrictRefusal {
  message: string;
  status: number;
  /** the documented body of an error */
  body: JsonObject;
}

const errorOf = (wire: StrictWire, message: string, code: string | null): JsonObject => {
  if (wire === "anthropic")
    return { type: "error", error: { type: "invalid_request_error", message } };
  if (wire === "google") return { error: { code: 400, message, status: "INVALID_ARGUMENT" } };
  if (wire === "mistral")
    return { object: "error", message, type: "invalid_request_error", param: null, code };
  return { error: { message, type: "invalid_request_error", param: null, code } };
};

/** What a wire says to a body; null: it takes it. */
export function refusalAt(
  wire: StrictWire,
  { body, model }: { body: JsonObject; model: string },
): StrictRefusal | null {
  for (const { wires, breaks, code = null } of limits) {
    const message = wires.includes(wire) ? breaks(body, model) : null;
    if (message !== null) return { message, status: 400, body: errorOf(wire, message, code) };
  }
  return null;
}

export { toolsIn };
