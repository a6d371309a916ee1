/**
 * OpenRouter's chat completions for Claude, as its documentation has them: a mark stands on a block of a
 * message, and what was marked is handed on to Anthropic. Source: OpenRouter's documentation, "Prompt
 * caching", read in October 2026.
 */
import { Refused, type AnthropicUsage, type Json } from "./anthropic-cache.ts";

const blocksOf = (message: Json): Json[] => {
  const { content, cache_control } = message;
  if (cache_control !== undefined) throw new Refused("cache_control beside a text marks nothing");
  if (Array.isArray(content)) return content as Json[];
  return content === null || content === "" ? [] : [{ type: "text", text: content }];
};

function turnOf(message: Json): Json {
  const blocks = blocksOf(message);
  if (message["role"] === "tool") {
    const mark = blocks.at(-1)?.["cache_control"];
    const content = blocks.map(({ cache_control: _, ...block }) => block);
    const result = { type: "tool_result", tool_use_id: message["tool_call_id"], content };
    return {
      role: "user",
      content: [{ ...result, ...(mark === undefined ? {} : { cache_control: mark }) }],
    };
  }
  const uses = ((message["tool_calls"] ?? []) as Json[]).map((call) => {
    if ("cache_control" in call) throw new Refused("cache_control on a tool call marks nothing");
    const { name, arguments: input } = call["function"] as Json;
    return { type: "tool_use", id: call["id"], name, input };
  });
  return { role: message["role"], content: [...blocks, ...uses] };
}

/** The request that Anthropic gets. */
export function anthropicBodyOf(body: Json): Json {
  const messages = body["messages"] as Json[];
  return {
    model: String(body["model"])
      .replace(/^anthropic\//, "")
      .replaceAll(".", "-"),
    tools: ((body["tools"] ?? []) as Json[]).map((tool) => tool["function"] as Json),
    tool_choice: body["tool_choice"],
    system: messages.filter(({ role }) => role === "system").flatMap(blocksOf),
    messages: messages.filter(({ role }) => role !== "system").map(turnOf),
  };
}

/** The usage that OpenRouter reports for it. */
export const completionUsageOf = (
  usage: Omit<AnthropicUsage, "output_tokens">,
  completionTokens: number,
): Json => {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
  const promptTokens = input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: {
      cached_tokens: cache_read_input_tokens,
      cache_write_tokens: cache_creation_input_tokens,
    },
  };
};
