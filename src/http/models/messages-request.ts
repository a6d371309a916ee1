/** Unsupported members are refused by name. Source: Anthropic's API reference, "Create a Message". */
import { z } from "@hono/zod-openapi";
import { autoModel } from "../../domain/choice/named-models.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Block, Message, SamplingCall, ToolResultBlock } from "../../domain/sampling/call.ts";
import {
  ignoredIn,
  effort,
  jsonAnswer,
  jsonObject,
  neutral,
  parsedBy,
  reasoningFor,
  refuseMember,
  refuseUnsupported,
  textBlocks,
  toolsFor,
  type Decoded,
  type Unsupported,
} from "./decoded.ts";

const textBlock = z.object({ type: z.literal("text"), text: z.string() });
const imageBlock = z.object({
  type: z.literal("image"),
  source: z.object({
    type: z.literal("base64", { error: 'Expected "base64": the router fetches no image.' }),
    media_type: z.string(),
    data: z.string(),
  }),
});
const plain = z.discriminatedUnion("type", [textBlock, imageBlock]);
const block = z.discriminatedUnion("type", [
  textBlock,
  imageBlock,
  z.object({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: jsonObject,
  }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z.union([z.string(), z.array(plain)]).optional(),
    is_error: z.boolean().optional(),
  }),
]);
const outputFormat = z.object({ type: z.literal("json_schema"), schema: jsonObject });
const asked = {
  model: z.string().min(1).max(200),
  messages: z
    .array(
      z.object({
        role: z.enum(["user", "assistant", "system"]),
        content: z.union([z.string(), z.array(block)]),
      }),
    )
    .min(1),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  tools: z
    .array(
      z.object({
        type: z.literal("custom").optional(),
        name: z.string(),
        description: z.string().optional(),
        input_schema: jsonObject,
      }),
    )
    .optional(),
  tool_choice: z
    .discriminatedUnion("type", [
      z.object({
        type: z.enum(["auto", "any"]),
        disable_parallel_tool_use: z.boolean().optional(),
      }),
      z.object({ type: z.literal("none") }),
      z.object({
        type: z.literal("tool"),
        name: z.string(),
        disable_parallel_tool_use: z.boolean().optional(),
      }),
    ])
    .optional(),
  thinking: z
    .discriminatedUnion("type", [
      z.object({ type: z.enum(["disabled", "adaptive"]) }),
      z.object({ type: z.literal("enabled"), budget_tokens: z.int().min(1) }),
    ])
    .optional(),
  output_config: z.object({ effort, format: outputFormat.nullish() }).optional(),
  output_format: outputFormat.nullish(),
};
const countSchema = z.object(asked);
const schema = z.object({
  ...asked,
  max_tokens: z.int().min(1),
  temperature: z.number().min(0).max(1).optional(),
  stop_sequences: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
});
type Request = z.infer<typeof countSchema>;
type SentBlock = z.infer<typeof block>;
type PlainBlock = z.infer<typeof plain>;

const unsupported: Unsupported = {
  mcp_servers: (value) => Array.isArray(value) && value.length === 0,
  container: () => false,
  context_management: () => false,
  service_tier: (value) => value === "auto" || value === "standard_only",
  speed: (value) => value === "standard",
  inference_geo: () => false,
  fallbacks: () => false,
};

const plainBlock = (
  sent: PlainBlock,
): { type: "text"; text: string } | (Block & { type: "image" }) =>
  sent.type === "text"
    ? { type: "text", text: sent.text }
    : { type: "image", data: sent.source.data, mimeType: sent.source.media_type };

function resultBlock(sent: Extract<SentBlock, { type: "tool_result" }>): ToolResultBlock {
  const { content = "" } = sent;
  return {
    type: "tool_result",
    toolUseId: sent.tool_use_id,
    content: typeof content === "string" ? textBlocks(content) : content.map(plainBlock),
    ...(sent.is_error === true && { isError: true }),
  };
}

const blockOf = (sent: SentBlock): Block => {
  switch (sent.type) {
    case "tool_use":
      return { type: "tool_use", id: sent.id, name: sent.name, input: sent.input };
    case "tool_result":
      return resultBlock(sent);
    default:
      return plainBlock(sent);
  }
};

type Sent = Request["messages"][number];

/** Tool results become a message of their own; the other content becomes the next message. */
function messagesOf(sent: readonly (Sent & { role: Message["role"] })[]): Message[] {
  return sent.flatMap(({ role, content }): Message[] => {
    if (typeof content === "string") return [{ role, content: [{ type: "text", text: content }] }];
    const blocks = content.map(blockOf);
    const results = blocks.filter(({ type }) => type === "tool_result");
    const others = blocks.filter(({ type }) => type !== "tool_result");
    return [results, others].flatMap((each) => (each.length > 0 ? [{ role, content: each }] : []));
  });
}

const textsOf = (content: Request["system"] | Sent["content"]): string[] =>
  typeof content === "string"
    ? [content]
    : (content ?? []).flatMap((each) => (each.type === "text" ? [each.text] : []));

function spokenIn({
  system,
  messages,
}: Request): Result<Pick<SamplingCall, "messages" | "systemPrompt">, Refusal> {
  const leading = messages.findIndex(({ role }) => role !== "system");
  const rest = leading === -1 ? [] : messages.slice(leading);
  const late = rest.findIndex(({ role }) => role === "system");
  if (late !== -1)
    return refuseMember(
      `messages.${leading + late}.role`,
      '"system" is only taken before other messages.',
    );
  const led = messages.slice(0, messages.length - rest.length);
  const systemPrompt = [system, ...led.map(({ content }) => content)].flatMap(textsOf).join("\n");
  return ok({
    messages: messagesOf(rest.flatMap((each) => (isSpoken(each) ? [each] : []))),
    ...(systemPrompt !== "" && { systemPrompt }),
  });
}

const isSpoken = (sent: Sent): sent is Sent & { role: Message["role"] } => sent.role !== "system";

/** Tokens: a budget below the first is a low effort, one below the second a medium one. */
const [mediumBudget, highBudget] = [4_096, 16_384];

function reasoningOf({ thinking, output_config }: Request): Pick<SamplingCall, "reasoning"> {
  const wished = reasoningFor(output_config?.effort);
  if (wished.reasoning !== undefined || thinking === undefined) return wished;
  if (thinking.type !== "enabled")
    return { reasoning: thinking.type === "disabled" ? "least" : "provider" };
  const { budget_tokens: budget } = thinking;
  return reasoningFor(budget < mediumBudget ? "low" : budget < highBudget ? "medium" : "high");
}

const choices = { auto: "auto", any: "required", none: "none" } as const;

function conversationOf(
  request: Request,
): Result<
  Pick<
    SamplingCall,
    | "model"
    | "messages"
    | "systemPrompt"
    | "tools"
    | "toolChoice"
    | "singleToolUse"
    | "format"
    | "schema"
    | "reasoning"
  >,
  Refusal
> {
  const choice = request.tool_choice;
  const tools = toolsFor(
    (request.tools ?? []).map(({ name, description, input_schema }) => ({
      name,
      ...(description !== undefined && { description }),
      inputSchema: input_schema,
    })),
    choice?.type === "tool"
      ? { name: choice.name, path: "tool_choice.name" }
      : choice && choices[choice.type],
  );
  if (!tools.ok) return tools;
  const spoken = spokenIn(request);
  if (!spoken.ok) return spoken;
  const { model } = request;
  const format = request.output_config?.format ?? request.output_format ?? null;
  return ok({
    ...tools.value,
    ...spoken.value,
    ...(model !== autoModel && { model }),
    ...(format !== null && jsonAnswer(format)),
    ...reasoningOf(request),
    ...(choice !== undefined &&
      choice.type !== "none" &&
      choice.disable_parallel_tool_use === true && { singleToolUse: true }),
  });
}

export function decodeMessages(body: JsonObject): Result<Decoded, Refusal> {
  const refused = refuseUnsupported(body, unsupported);
  if (refused !== null) return refused;
  const parsed = parsedBy(schema, body);
  if (!parsed.ok) return parsed;
  const request = parsed.value;
  const conversation = conversationOf(request);
  if (!conversation.ok) return conversation;
  return ok({
    call: {
      ...neutral,
      ...conversation.value,
      maxTokens: request.max_tokens,
      ...(request.temperature !== undefined && { temperature: request.temperature }),
      stopSequences: request.stop_sequences ?? [],
    },
    ignored: ignoredIn(body, request, unsupported),
    ...(request.stream === true && { stream: {} }),
  });
}

export function decodeCount(body: JsonObject): Result<SamplingCall, Refusal> {
  const parsed = parsedBy(countSchema, body);
  if (!parsed.ok) return parsed;
  const conversation = conversationOf(parsed.value);
  return conversation.ok
    ? ok({ ...neutral, ...conversation.value, maxTokens: 1, stopSequences: [] })
    : conversation;
}
