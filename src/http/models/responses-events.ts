/** A streamed answer as events of OpenAI's Responses. Source: "Streaming events" of its API reference. */
import type { JsonObject, JsonValue } from "../../domain/json.ts";
import { responsesAnswer } from "./answers.ts";
import { namedEvent, type OpenEvents } from "./event-writer.ts";

type Item =
  | { type: "message"; id: string; text: string }
  | { type: "function_call"; id: string; call_id: string; name: string; json: string };

const textPart = (text: string): JsonObject => ({
  type: "output_text",
  text,
  annotations: [],
  logprobs: [],
});

type Status = "in_progress" | "completed" | "incomplete";

const itemOf = (item: Item, status: Status): JsonObject => {
  const { type, id } = item;
  if (item.type === "message")
    return {
      type,
      id,
      status,
      role: "assistant",
      content: item.text === "" ? [] : [textPart(item.text)],
    };
  const { call_id, name, json } = item;
  return { type, id, call_id, name, arguments: json, status };
};

function createItems(requestId: string, event: (type: string, members: JsonObject) => string) {
  const items: Item[] = [];
  const at = (item: Item): JsonObject => ({ output_index: items.indexOf(item), item_id: item.id });
  const inContent = (item: Item): JsonObject => ({ ...at(item), content_index: 0 });
  const add = (item: Item): string => {
    const output_index = items.push(item) - 1;
    return event("response.output_item.added", { output_index, item: itemOf(item, "in_progress") });
  };
  const done = (item: Item, status: Status): string => {
    const ends =
      item.type === "message"
        ? event("response.output_text.done", {
            ...inContent(item),
            text: item.text,
            logprobs: [],
          }) +
          event("response.content_part.done", { ...inContent(item), part: textPart(item.text) })
        : event("response.function_call_arguments.done", { ...at(item), arguments: item.json });
    const its = { output_index: items.indexOf(item), item: itemOf(item, status) };
    return ends + event("response.output_item.done", its);
  };
  return {
    text(text: string): string {
      const last = items.at(-1);
      const id = `msg_${requestId}${items.length === 0 ? "" : `_${items.length}`}`;
      const item: Item = last?.type === "message" ? last : { type: "message", id, text: "" };
      const part = { content_index: 0, part: textPart("") };
      const begun =
        item === last
          ? ""
          : add(item) + event("response.content_part.added", { ...at(item), ...part });
      item.text += text;
      const delta = { ...inContent(item), delta: text, logprobs: [] };
      return begun + event("response.output_text.delta", delta);
    },
    use(call_id: string, name: string): string {
      const id = `fc_${requestId}_${items.length}`;
      return add({ type: "function_call", id, call_id, name, json: "" });
    },
    input(call_id: string, json: string): string {
      const item = items.findLast(
        (each) => each.type === "function_call" && each.call_id === call_id,
      );
      if (item?.type !== "function_call") return "";
      item.json += json;
      return event("response.function_call_arguments.delta", { ...at(item), delta: json });
    },
    end: (status: Status): string => items.map((item) => done(item, status)).join(""),
    output: (status: Status): JsonObject[] => items.map((item) => itemOf(item, status)),
  };
}

export const responsesEvents: OpenEvents = ({ requestId, createdAt }) => {
  let sequence = 0;
  let model = "";
  const event = (type: string, members: JsonObject): string =>
    namedEvent({ type, sequence_number: sequence++, ...members });
  const items = createItems(requestId, event);
  const responseOf = (status: string, error: JsonValue = null): JsonObject => ({
    id: `resp_${requestId}`,
    object: "response",
    created_at: Math.floor(createdAt / 1_000),
    status,
    error,
    incomplete_details: null,
    model,
    output: [],
    store: false,
    usage: null,
  });
  return {
    begin(about) {
      model = about.model;
      const response = responseOf("in_progress");
      return event("response.created", { response }) + event("response.in_progress", { response });
    },
    part(part) {
      if (part.type === "text") return items.text(part.text);
      if (part.type === "tool_use") return items.use(part.id, part.name);
      return part.type === "tool_input" ? items.input(part.id, part.json) : "";
    },
    // Codex takes no comment for a sign of life.
    keepAlive: () => event("keepalive", {}),
    end(finished) {
      const answer = responsesAnswer(finished, createdAt);
      const status = answer["status"] === "incomplete" ? "incomplete" : "completed";
      const ends = items.end(status);
      return (
        ends +
        event(`response.${status}`, { response: { ...answer, output: items.output(status) } })
      );
    },
    fail({ error = null }) {
      const { code = null, message = null } = error as JsonObject;
      const response = responseOf("failed", { code, message });
      // OpenAI's SDK throws on an event that has this member, and on no other one.
      return event("response.failed", { response, error });
    },
  };
};
