import { isObject, type JsonValue } from "../domain/json.ts";

/**
 * Moves cache marks onto blocks, where OpenRouter reads them. Source: OpenRouter's documentation, "Prompt
 * caching".
 */
export function withMarksOnBlocks(body: Record<string, unknown>): Record<string, unknown> {
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
