/** Unsupported members are refused by name. Source: OpenAI's API reference, "Create chat completion". */
import { z } from "@hono/zod-openapi";
import { autoModel } from "../../domain/choice/named-models.ts";
import { isObject, parsedJson, type JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Block, Message, SamplingCall, Tool } from "../../domain/sampling/call.ts";
import {
  addTo,
  answerSchema,
  effort,
  jsonAnswer,
  reasoningFor,
  defaultMaxTokens,
  ignoredIn,
  imageFrom,
  jsonObject,
  neutral,
  parsedBy,
  refuseMember,
  refuseUnsupported,
  textBlocks,
  toolsFor,
  type Decoded,
  type Unsupported,
} from "./decoded.ts";

const textPart = z.object({ type: z.literal("text"), text: z.string() });
const parts = z.discriminatedUnion("type", [
  textPart,
  z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) }),
  z.object({
    type: z.literal("input_audio"),
    input_audio: z.object({ data: z.string(), format: z.string() }),
  }),
]);
const toolCall = z.object({
  id: z.string(),
  type: z.literal("function").optional(),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const text = z.union([z.string(), z.array(textPart)]);
const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: text }),
  z.object({ role: z.literal("developer"), content: text }),
  z.object({ role: z.literal("user"), content: z.union([z.string(), z.array(parts)]) }),
  z.object({
    role: z.literal("assistant"),
    content: text.nullish(),
    tool_calls: z.array(toolCall).nullish(),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: text }),
]);
const schema = z.object({
  model: z.string().min(1).max(200),
  messages: z.array(message).min(1),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  tools: z
    .array(
      z.object({
        type: z.literal("function"),
        function: z.object({
          name: z.string(),
          description: z.string().optional(),
          parameters: jsonObject.optional(),
        }),
      }),
    )
    .nullish(),
  tool_choice: z
    .union([
      z.enum(["none", "auto", "required"]),
      z.object({
        type: z.literal("function"),
        function: z.object({ name: z.string() }),
      }),
    ])
    .nullish(),
  response_format: z
    .discriminatedUnion("type", [
      z.object({ type: z.enum(["text", "json_object"]) }),
      z.object({
        type: z.literal("json_schema"),
        json_schema: answerSchema.extend({ strict: z.boolean().nullish() }),
      }),
    ])
    .nullish(),
  reasoning_effort: effort,
  parallel_tool_calls: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
});
type Request = z.infer<typeof schema>;
type Sent = Request["messages"][number];

const unsupported: Unsupported = {
  n: (value) => value === 1,
  logprobs: (value) => value === false,
  audio: () => false,
  modalities: (value) => JSON.stringify(value) === '["text"]',
  functions: () => false,
  function_call: () => false,
  web_search_options: () => false,
  prediction: () => false,
  service_tier: (value) => value === "auto" || value === "default",
  store: (value) => value === false,
};

const textOf = (content: string | { text: string }[]): string =>
  typeof content === "string" ? content : content.map((part) => part.text).join("\n");

function userBlocks(
  content: Extract<Sent, { role: "user" }>["content"],
  path: string,
): Result<Block[], Refusal> {
  if (typeof content === "string") return ok([{ type: "text", text: content }]);
  const blocks: Block[] = [];
  for (const [at, part] of content.entries()) {
    if (part.type === "text") blocks.push({ type: "text", text: part.text });
    else if (part.type === "input_audio")
      blocks.push({
        type: "audio",
        data: part.input_audio.data,
        mimeType: `audio/${part.input_audio.format}`,
      });
    else {
      const image = imageFrom(part.image_url.url);
      if (image === null)
        return refuseMember(
          `${path}.content.${at}.image_url.url`,
          "Send the image as a data URL: the router fetches no image.",
        );
      blocks.push(image);
    }
  }
  return ok(blocks);
}

function assistantBlocks(
  { content, tool_calls }: Extract<Sent, { role: "assistant" }>,
  path: string,
): Result<Block[], Refusal> {
  const blocks: Block[] =
    content === null || content === undefined ? [] : textBlocks(textOf(content));
  for (const [at, { id, function: called }] of (tool_calls ?? []).entries()) {
    const input = called.arguments.trim() === "" ? {} : parsedJson(called.arguments);
    if (!isObject(input))
      return refuseMember(`${path}.tool_calls.${at}.function.arguments`, "Expected a JSON object.");
    blocks.push({ type: "tool_use", id, name: called.name, input });
  }
  return ok(blocks);
}

function conversationOf(
  sent: readonly Sent[],
): Result<Pick<SamplingCall, "messages" | "systemPrompt">, Refusal> {
  const messages: Message[] = [];
  const system: string[] = [];
  for (const [at, one] of sent.entries()) {
    const path = `messages.${at}`;
    if (one.role === "system" || one.role === "developer") {
      if (messages.length > 0)
        return refuseMember(`${path}.role`, `"${one.role}" is only taken before other messages.`);
      system.push(textOf(one.content));
    } else if (one.role === "tool") {
      const content = textBlocks(textOf(one.content));
      const result: Block = { type: "tool_result", toolUseId: one.tool_call_id, content };
      const last = messages.at(-1);
      const answers = last?.content.some(({ type }) => type === "tool_result") === true;
      if (answers) addTo(messages, "user", [result]);
      else messages.push({ role: "user", content: [result] });
    } else {
      const blocks =
        one.role === "user" ? userBlocks(one.content, path) : assistantBlocks(one, path);
      if (!blocks.ok) return blocks;
      messages.push({ role: one.role, content: blocks.value });
    }
  }
  return ok({ messages, ...(system.length > 0 && { systemPrompt: system.join("\n\n") }) });
}

const toolsOf = (request: Request): Tool[] =>
  (request.tools ?? []).map(({ function: { name, description, parameters } }) => ({
    name,
    ...(description !== undefined && { description }),
    inputSchema: parameters ?? { type: "object" },
  }));

function formatOf({ response_format: format }: Request): Pick<SamplingCall, "format" | "schema"> {
  if (format === null || format === undefined || format.type === "text") return {};
  return format.type === "json_schema" ? jsonAnswer(format.json_schema) : { format: "json" };
}

const stopsOf = ({ stop }: Request): string[] =>
  stop === null || stop === undefined ? [] : typeof stop === "string" ? [stop] : stop;

export function decodeChat(body: JsonObject): Result<Decoded, Refusal> {
  const refused = refuseUnsupported(body, unsupported);
  if (refused !== null) return refused;
  const parsed = parsedBy(schema, body);
  if (!parsed.ok) return parsed;
  const request = parsed.value;
  const conversation = conversationOf(request.messages);
  if (!conversation.ok) return conversation;
  const choice = request.tool_choice ?? undefined;
  const tools = toolsFor(
    toolsOf(request),
    typeof choice === "object"
      ? { name: choice.function.name, path: "tool_choice.function.name" }
      : choice,
  );
  if (!tools.ok) return tools;
  const { model, temperature } = request;
  return ok({
    call: {
      ...neutral,
      ...conversation.value,
      ...tools.value,
      ...formatOf(request),
      ...reasoningFor(request.reasoning_effort),
      ...(request.parallel_tool_calls === false && { singleToolUse: true }),
      ...(model !== autoModel && { model }),
      ...(typeof temperature === "number" && { temperature }),
      maxTokens: request.max_completion_tokens ?? request.max_tokens ?? defaultMaxTokens,
      stopSequences: stopsOf(request),
    },
    ignored: ignoredIn(body, request, unsupported),
    ...(request.stream === true && {
      stream: request.stream_options?.include_usage === true ? { includeUsage: true } : {},
    }),
  });
}
