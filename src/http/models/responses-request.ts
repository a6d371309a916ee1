/**
 * The router stores no response, so references to one are refused. Source: OpenAI's API reference, "Create a
 * model response".
 */
import { z } from "@hono/zod-openapi";
import { autoModel } from "../../domain/choice/named-models.ts";
import { isObject, parsedJson, type JsonObject } from "../../domain/json.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Block, Message, SamplingCall } from "../../domain/sampling/call.ts";
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

const part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("input_text"), text: z.string() }),
  z.object({ type: z.literal("output_text"), text: z.string() }),
  z.object({ type: z.literal("input_image"), image_url: z.string() }),
]);
const content = z.union([z.string(), z.array(part)]);
const item = z.union([
  z.object({
    type: z.literal("message").optional(),
    role: z.enum(["user", "assistant", "system", "developer"]),
    content,
  }),
  z.object({
    type: z.literal("function_call"),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({
    type: z.literal("function_call_output"),
    call_id: z.string(),
    output: content,
  }),
]);
const schema = z.object({
  model: z.string().min(1).max(200),
  input: z.union([z.string(), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  tools: z
    .array(
      z.object({
        type: z.literal("function"),
        name: z.string(),
        description: z.string().nullish(),
        parameters: jsonObject.nullish(),
      }),
    )
    .nullish(),
  tool_choice: z
    .union([
      z.enum(["none", "auto", "required"]),
      z.object({ type: z.literal("function"), name: z.string() }),
    ])
    .nullish(),
  stream: z.boolean().nullish(),
  stream_options: jsonObject.nullish(),
  text: z
    .object({
      format: z
        .discriminatedUnion("type", [
          z.object({ type: z.enum(["text", "json_object"]) }),
          answerSchema.extend({
            type: z.literal("json_schema"),
            strict: z.boolean().nullish(),
          }),
        ])
        .nullish(),
    })
    .nullish(),
  reasoning: z.object({ effort }).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
});
type Request = z.infer<typeof schema>;
type Content = z.infer<typeof content>;
type Item = z.infer<typeof item>;

const unsupported: Unsupported = {
  background: (value) => value === false,
  previous_response_id: () => false,
  conversation: () => false,
  prompt: () => false,
  store: (value) => value === false,
  include: (value) =>
    Array.isArray(value) && value.every((each) => each === "reasoning.encrypted_content"),
  service_tier: (value) => value === "auto" || value === "default",
  truncation: (value) => value === "disabled",
};

function blocksOf(sent: Content, path: string): Result<Block[], Refusal> {
  if (typeof sent === "string") return ok(textBlocks(sent));
  const blocks: Block[] = [];
  for (const [at, each] of sent.entries()) {
    if (each.type !== "input_image") blocks.push({ type: "text", text: each.text });
    else {
      const image = imageFrom(each.image_url);
      if (image === null)
        return refuseMember(
          `${path}.${at}.image_url`,
          "Send the image as a data URL: the router fetches no image.",
        );
      blocks.push(image);
    }
  }
  return ok(blocks);
}

function blocksOfItem(
  sent: Item,
  path: string,
): Result<{ role: Message["role"] | "system"; blocks: Block[] }, Refusal> {
  if (sent.type === "function_call") {
    const input = sent.arguments.trim() === "" ? {} : parsedJson(sent.arguments);
    return isObject(input)
      ? ok({
          role: "assistant",
          blocks: [{ type: "tool_use", id: sent.call_id, name: sent.name, input }],
        })
      : refuseMember(`${path}.arguments`, "Expected a JSON object.");
  }
  if (sent.type === "function_call_output") {
    const outputBlocks = blocksOf(sent.output, `${path}.output`);
    if (!outputBlocks.ok) return outputBlocks;
    const of = outputBlocks.value.filter(
      (block) => block.type === "text" || block.type === "image",
    );
    return ok({
      role: "user",
      blocks: [{ type: "tool_result", toolUseId: sent.call_id, content: of }],
    });
  }
  const blocks = blocksOf(sent.content, `${path}.content`);
  if (!blocks.ok) return blocks;
  const role = sent.role === "developer" ? "system" : sent.role;
  return ok({ role, blocks: blocks.value });
}

const isResult = (blocks: readonly Block[]): boolean => blocks[0]?.type === "tool_result";

function conversationOf({
  input,
  instructions,
}: Request): Result<Pick<SamplingCall, "messages" | "systemPrompt">, Refusal> {
  const messages: Message[] = [];
  const system: string[] = instructions ? [instructions] : [];
  const items: readonly Item[] =
    typeof input === "string" ? [{ role: "user", content: input }] : input;
  for (const [at, each] of items.entries()) {
    const path = `input.${at}`;
    const read = blocksOfItem(each, path);
    if (!read.ok) return read;
    const { role, blocks } = read.value;
    const last = messages.at(-1);
    if (role === "system") {
      if (last !== undefined)
        return refuseMember(`${path}.role`, "A system message is only taken before other items.");
      system.push(...blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])));
      // Results are grouped, and so are the assistant's texts and calls.
    } else if (role === "assistant" || isResult(blocks) === isResult(last?.content ?? []))
      addTo(messages, role, blocks);
    else messages.push({ role, content: blocks });
  }
  return ok({ messages, ...(system.length > 0 && { systemPrompt: system.join("\n\n") }) });
}

function formatOf({ text }: Request): Pick<SamplingCall, "format" | "schema"> {
  const format = text?.format ?? { type: "text" };
  if (format.type === "text") return {};
  return format.type === "json_schema" ? jsonAnswer(format) : { format: "json" };
}

export function decodeResponses(body: JsonObject): Result<Decoded, Refusal> {
  const refused = refuseUnsupported(body, unsupported);
  if (refused !== null) return refused;
  const parsed = parsedBy(schema, body);
  if (!parsed.ok) return parsed;
  const request = parsed.value;
  const conversation = conversationOf(request);
  if (!conversation.ok) return conversation;
  const choice = request.tool_choice ?? undefined;
  const tools = toolsFor(
    (request.tools ?? []).map(({ name, description, parameters }) => ({
      name,
      ...(typeof description === "string" && { description }),
      inputSchema: parameters ?? { type: "object" },
    })),
    typeof choice === "object" ? { name: choice.name, path: "tool_choice.name" } : choice,
  );
  if (!tools.ok) return tools;
  const { model, temperature } = request;
  return ok({
    call: {
      ...neutral,
      ...conversation.value,
      ...tools.value,
      ...formatOf(request),
      ...reasoningFor(request.reasoning?.effort),
      ...(request.parallel_tool_calls === false && { singleToolUse: true }),
      ...(model !== autoModel && { model }),
      ...(typeof temperature === "number" && { temperature }),
      maxTokens: request.max_output_tokens ?? defaultMaxTokens,
      stopSequences: [],
    },
    ignored: ignoredIn(body, request, unsupported),
    ...(request.stream === true && { stream: {} }),
  });
}
