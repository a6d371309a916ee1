/** A streamed answer as events of Anthropic's Messages. Source: "Streaming Messages" in Anthropic's docs. */
import { parsedJson, type JsonObject } from "../../domain/json.ts";
import type { StreamPart } from "../../domain/sampling/stream-parts.ts";
import { messagesAnswer } from "./answers.ts";
import { namedEvent, type OpenEvents } from "./event-writer.ts";

type ToolUse = { id: string; name: string; json: string };

/** Only one block is open at a time, so a tool use waits if another one is incomplete when it begins. */
function createBlocks() {
  let index = -1;
  let open: { type: "text" } | ({ type: "tool_use" } & ToolUse) | null = null;
  const waiting: ToolUse[] = [];
  const close = (): string => {
    if (open === null) return "";
    open = null;
    return namedEvent({ type: "content_block_stop", index });
  };
  const begin = (block: JsonObject): string => {
    index += 1;
    return namedEvent({ type: "content_block_start", index, content_block: block });
  };
  const delta = (content: JsonObject): string =>
    namedEvent({ type: "content_block_delta", index, delta: content });
  const inputDelta = (json: string): string =>
    json === "" ? "" : delta({ type: "input_json_delta", partial_json: json });
  const openUse = ({ id, name, json }: ToolUse): string => {
    const closed = close();
    open = { type: "tool_use", id, name, json };
    return closed + begin({ type: "tool_use", id, name, input: {} }) + inputDelta(json);
  };
  const isIncomplete = (): boolean =>
    open?.type === "tool_use" && parsedJson(open.json) === undefined;
  const openWaiting = (): string => {
    let text = "";
    while (waiting.length > 0 && !isIncomplete()) text += openUse(waiting.shift() as ToolUse);
    return text;
  };
  return {
    text(text: string): string {
      const begun = open?.type === "text" ? "" : close() + begin({ type: "text", text: "" });
      open = { type: "text" };
      return begun + delta({ type: "text_delta", text });
    },
    toolUse({ id, name }: Omit<ToolUse, "json">): string {
      waiting.push({ id, name, json: "" });
      return openWaiting();
    },
    toolInput({ id, json }: Omit<ToolUse, "name">): string {
      const waitingUse = waiting.find((use) => use.id === id);
      if (waitingUse !== undefined) waitingUse.json += json;
      if (waitingUse !== undefined || open?.type !== "tool_use" || open.id !== id) return "";
      open.json += json;
      return inputDelta(json) + openWaiting();
    },
    end: (): string => waiting.splice(0).map(openUse).join("") + close(),
  };
}

export const messagesEvents: OpenEvents = ({ requestId }) => {
  const blocks = createBlocks();
  return {
    begin({ model, inputTokens }) {
      const message = {
        id: `msg_${requestId}`,
        type: "message",
        role: "assistant",
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: inputTokens ?? 0, output_tokens: 0 },
      };
      return namedEvent({ type: "message_start", message });
    },
    part(part: StreamPart) {
      if (part.type === "text") return blocks.text(part.text);
      if (part.type === "tool_use") return blocks.toolUse(part);
      return part.type === "tool_input" ? blocks.toolInput(part) : "";
    },
    keepAlive: () => namedEvent({ type: "ping" }),
    end(finished) {
      const { stop_reason = null, usage = null } = messagesAnswer(finished);
      return [
        blocks.end(),
        namedEvent({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage }),
        namedEvent({ type: "message_stop" }),
      ].join("");
    },
    fail: (body) => namedEvent({ ...body, type: "error" }),
  };
};
