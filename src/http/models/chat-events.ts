/** A streamed answer as chunks of Chat Completions. Source: OpenAI's API reference, "The chat completion chunk object". */
import type { JsonObject } from "../../domain/json.ts";
import { sseKeepAlive } from "../../mcp/sse/write.ts";
import { chatAnswer } from "./answers.ts";
import { dataEvent, type OpenEvents } from "./event-writer.ts";

export const chatEvents: OpenEvents = ({ requestId, createdAt, stream }) => {
  const head: JsonObject = {
    id: `chatcmpl-${requestId}`,
    object: "chat.completion.chunk",
    created: Math.floor(createdAt / 1_000),
  };
  const isCounted = stream.includeUsage === true;
  const calls: string[] = [];
  const chunk = (delta: JsonObject, finish: unknown = null): string =>
    dataEvent({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(isCounted && { usage: null }),
    });
  return {
    begin({ model }) {
      head["model"] = model;
      return chunk({ role: "assistant", content: "", refusal: null });
    },
    part(part) {
      if (part.type === "text") return chunk({ content: part.text });
      if (part.type === "tool_use") {
        const index = calls.push(part.id) - 1;
        const called = { name: part.name, arguments: "" };
        return chunk({ tool_calls: [{ index, id: part.id, type: "function", function: called }] });
      }
      if (part.type !== "tool_input") return "";
      const index = calls.lastIndexOf(part.id);
      return chunk({ tool_calls: [{ index, function: { arguments: part.json } }] });
    },
    keepAlive: () => sseKeepAlive,
    end(finished) {
      const { choices, usage = null } = chatAnswer(finished, createdAt);
      const [choice] = choices as { finish_reason: string }[];
      return [
        chunk({}, choice?.finish_reason ?? "stop"),
        isCounted ? dataEvent({ ...head, choices: [], usage }) : "",
        dataEvent("[DONE]"),
      ].join("");
    },
    fail: dataEvent,
  };
};
