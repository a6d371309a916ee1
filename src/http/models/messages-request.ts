/**
 * A request of Anthropic's Messages as a call. What the router can't carry to any wire is refused by its member's name.
 * Source: Anthropic's API reference, "Create a Message".
 */
import { z } from "@hono/zod-openapi";
import { autoModel } from "../../domain/choice/named-models.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Block, Message, SamplingCall, ToolResultBlock } from "../../domain/sampling/call.ts";
import {
  ignoredIn,
  jsonObject,
  neutral,
  parsedBy,
  refuseUnsupported,
  textBlocks,
  toolsFor,
  type Decoded,
  type Unsupported,
} from "./decoded.ts";

const textBlock = z.looseObject({ type: z.literal("text"), text: z.string() });
const imageBlock = z.looseObject({
  type: z.literal("image"),
  source: z.looseObject({
    type: z.literal("base64", { error: 'Expected "base64": the router fetches no image.' }),
    media_type: z.string(),
    data: z.string(),
  }),
});
const plain = z.discriminatedUnion("type", [textBlock, imageBlock]);
const block = z.discriminatedUnion("type", [
  textBlock,
  imageBlock,
  z.looseObject({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: jsonObject,
  }),
  z.looseObject({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z.union([z.string(), z.array(plain)]).optional(),
    is_error: z.boolean().optional(),
  }),
]);
const asked = {
  model: z.string().min(1).max(200),
  messages: z
    .array(
      z.looseObject({
        role: z.enum(["user", "assistant"]),
        content: z.union([z.string(), z.array(block)]),
      }),
    )
    .min(1),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  tools: z
    .array(
      z.looseObject({
        type: z.literal("custom").optional(),
        name: z.string(),
        description: z.string().optional(),
        input_schema: jsonObject,
      }),
    )
    .optional(),
  tool_choice: z
    .discriminatedUnion("type", [
      z.looseObject({ type: z.enum(["auto", "any", "none"]) }),
      z.looseObject({ type: z.literal("tool"), name: z.string() }),
    ])
    .optional(),
};
const countSchema = z.looseObject(asked);
const schema = z.looseObject({
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
  stream: (value) => value === false,
  thinking: (value) => (value as { type?: unknown }).type === "disabled",
  mcp_servers: (value) => Array.isArray(value) && value.length === 0,
  container: () => false,
  context_management: () => false,
  output_format: () => false,
  service_tier: (value) => value === "auto" || value === "standard_only",
  speed: (value) => value === "standard",
  inference_geo: () => false,
  fallbacks: () => false,
};
const known = [
  "model",
  "messages",
  "system",
  "tools",
  "tool_choice",
  "max_tokens",
  "temperature",
  "stop_sequences",
  ...Object.keys(unsupported),
];

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

/** Tool results stand in a message of their own, and what was said beside them in the next. */
function messagesOf({ messages }: Request): Message[] {
  return messages.flatMap(({ role, content }): Message[] => {
    if (typeof content === "string") return [{ role, content: [{ type: "text", text: content }] }];
    const blocks = content.map(blockOf);
    const results = blocks.filter(({ type }) => type === "tool_result");
    const others = blocks.filter(({ type }) => type !== "tool_result");
    return [results, others].flatMap((each) => (each.length > 0 ? [{ role, content: each }] : []));
  });
}

const choices = { auto: "auto", any: "required", none: "none" } as const;

function conversationOf(
  request: Request,
): Result<
  Pick<SamplingCall, "model" | "messages" | "systemPrompt" | "tools" | "toolChoice">,
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
  const { model, system } = request;
  const systemPrompt =
    typeof system === "string" ? system : system?.map(({ text }) => text).join("\n");
  return ok({
    ...tools.value,
    messages: messagesOf(request),
    ...(systemPrompt !== undefined && systemPrompt !== "" && { systemPrompt }),
    ...(model !== autoModel && { model }),
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
    ignored: ignoredIn(body, known),
  });
}

/** A request to count tokens, which has no limit of its own. */
export function decodeCount(body: JsonObject): Result<SamplingCall, Refusal> {
  const parsed = parsedBy(countSchema, body);
  if (!parsed.ok) return parsed;
  const conversation = conversationOf(parsed.value);
  return conversation.ok
    ? ok({ ...neutral, ...conversation.value, maxTokens: 1, stopSequences: [] })
    : conversation;
}
