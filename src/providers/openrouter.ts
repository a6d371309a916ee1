/** Mends what the adapter for compatible endpoints sends otherwise than OpenRouter wants it. */
import { isObject, type JsonValue } from "../domain/json.ts";

/**
 * OpenRouter reads a cache mark on a block of a message. The adapter puts the mark beside a text that
 * is not in blocks. Source: OpenRouter's documentation, "Prompt caching".
 */
export function marksOnBlocks(body: Record<string, unknown>): Record<string, unknown> {
  const messages = body["messages"] as JsonValue[];
  return {
    ...body,
    messages: messages.map((message) => {
      if (!isObject(message) || typeof message["content"] !== "string") return message;
      const { cache_control, content, ...rest } = message;
      return cache_control === undefined
        ? message
        : { ...rest, content: [{ type: "text", text: content, cache_control }] };
    }),
  };
}
