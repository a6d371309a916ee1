/** What the router reads of the events of a stream that passes: what they show, how the stream ends, and what the answer is. */
import { isObject, own, type JsonObject, type JsonValue } from "../domain/json.ts";
import type { ModelEndpointName } from "../domain/model-endpoint.ts";
import type { Shows } from "../domain/sampling/stream-parts.ts";

export interface Observed {
  shows: Shows;
  /** what it adds to the answer, for estimates */
  text: string;
  /** Chat's chunk with the usage and without a choice */
  isUsageChunk?: true;
  /** the provider's own last event */
  isLast?: true;
}

export interface StreamObserver {
  /** @param event the event's data; `undefined` for invalid JSON */
  add(event: JsonValue | undefined, data: string): Observed;
  /** the answer is complete */
  isEnded(): boolean;
  /** an event that is an error; undefined: none has come */
  failure(): JsonValue | undefined;
  /** whether the usage is that of the whole answer */
  hasUsage(): boolean;
  body(): JsonObject;
}

const nothing: Observed = { shows: "nothing", text: "" };
const content = (text: string): Observed => ({ shows: "content", text });
const hidden = (text: string): Observed => ({ shows: "hidden", text });
const ending: Observed = { shows: "content", text: "" };
const last: Observed = { ...ending, isLast: true };

const textIn = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");
const listed = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);
const members = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});

/** Pieces of a text that are joined once. */
interface Growing {
  start: JsonObject;
  pieces: string[];
}

function createMessagesObserver(): StreamObserver {
  let message: JsonObject = {};
  let usage: JsonObject = {};
  let isEnded = false;
  let hasUsage = false;
  let failure: JsonValue | undefined;
  const blocks = new Map<number, Growing>();
  const started = (index: JsonValue | undefined, block: JsonObject): Observed => {
    blocks.set(Number(index), { start: block, pieces: [] });
    const { type } = block;
    if (type === "thinking" || type === "redacted_thinking") return hidden("");
    return type === "text" ? nothing : content(textIn(block["name"]));
  };
  const grown = (index: JsonValue | undefined, delta: JsonObject): Observed => {
    const { type } = delta;
    const block = blocks.get(Number(index));
    if (type === "signature_delta" && block !== undefined)
      block.start = { ...block.start, signature: delta["signature"] ?? "" };
    const isThought = type === "thinking_delta" || type === "signature_delta";
    if (isThought) return hidden(textIn(delta["thinking"]));
    const text = textIn(delta["text"] ?? delta["partial_json"]);
    block?.pieces.push(text);
    return content(text);
  };
  const blockOf = ({ start, pieces }: Growing): JsonObject => {
    const text = pieces.join("");
    if (start["type"] === "text") return { ...start, text: textIn(start["text"]) + text };
    return text === "" ? start : { ...start, input: text };
  };
  return {
    add(event) {
      switch (own(event, "type")) {
        case "message_start":
          message = members(own(event, "message"));
          usage = members(message["usage"]);
          return nothing;
        case "content_block_start":
          return started(own(event, "index"), members(own(event, "content_block")));
        case "content_block_delta":
          return grown(own(event, "index"), members(own(event, "delta")));
        case "message_delta":
          message = { ...message, ...members(own(event, "delta")) };
          // The figures add up from event to event, so the latest count.
          usage = { ...usage, ...members(own(event, "usage")) };
          hasUsage = own(own(event, "usage"), "output_tokens") !== undefined;
          return ending;
        case "message_stop":
          isEnded = true;
          return last;
        case "error":
          failure = event;
          return nothing;
        default:
          return nothing;
      }
    },
    isEnded: () => isEnded,
    failure: () => failure,
    hasUsage: () => hasUsage,
    body: () => ({ ...message, usage, content: [...blocks.values()].map(blockOf) }),
  };
}

/** The last event of Chat Completions, which isn't JSON. */
export const lastOfChat = "[DONE]";

/** Members in which servers of OpenAI's wire send reasoning. */
const reasoningMembers = ["reasoning_content", "reasoning"];

function createChatObserver(): StreamObserver {
  const reported: string[] = [];
  const calls = new Map<number, Growing>();
  let serviceTier: JsonValue = null;
  let usage: JsonValue = null;
  let finishReason: JsonValue = null;
  let annotations: JsonValue = null;
  let isEnded = false;
  let failure: JsonValue | undefined;
  const called = (sent: JsonValue): string => {
    const of = members(own(sent, "function"));
    const at = Number(own(sent, "index") ?? 0);
    const known = calls.get(at);
    const text = textIn(of["arguments"]);
    if (known === undefined)
      calls.set(at, { start: { ...members(sent), function: of }, pieces: [text] });
    else known.pieces.push(text);
    return textIn(of["name"]) + text;
  };
  const chosen = (choice: JsonValue): Observed => {
    const delta = members(own(choice, "delta"));
    const text = textIn(delta["content"]);
    reported.push(text);
    annotations = delta["annotations"] ?? annotations;
    const written = text + listed(delta["tool_calls"]).map(called).join("");
    finishReason = own(choice, "finish_reason") ?? finishReason;
    if (written !== "" || delta["refusal"]) return content(written + textIn(delta["refusal"]));
    const thought = reasoningMembers.map((name) => textIn(delta[name])).join("");
    if (thought !== "") return hidden(thought);
    return (own(choice, "finish_reason") ?? null) === null ? nothing : ending;
  };
  const callOf = ({ start, pieces }: Growing): JsonObject => ({
    ...start,
    function: { ...members(start["function"]), arguments: pieces.join("") },
  });
  return {
    add(event, data) {
      if (data.trim() === lastOfChat) {
        isEnded = true;
        return last;
      }
      if (own(event, "error") !== undefined && own(event, "error") !== null) {
        failure = event;
        return nothing;
      }
      usage = own(event, "usage") ?? usage;
      serviceTier = own(event, "service_tier") ?? serviceTier;
      const choices = listed(own(event, "choices"));
      if (choices.length === 0)
        return (own(event, "usage") ?? null) === null
          ? nothing
          : { ...nothing, isUsageChunk: true };
      const [first, ...more] = choices;
      if (first !== undefined && more.length === 0) return chosen(first);
      const seen = choices.map(chosen);
      const text = seen.map((each) => each.text).join("");
      const shown = seen.find(({ shows }) => shows === "content") ?? seen[0] ?? nothing;
      return { shows: shown.shows, text };
    },
    // A server that omits the last event is trusted once it has sent its finish reason and usage.
    isEnded: () => isEnded || (finishReason !== null && usage !== null),
    failure: () => failure,
    hasUsage: () => usage !== null,
    body: () => ({
      service_tier: serviceTier,
      usage,
      choices: [
        {
          finish_reason: finishReason,
          message: {
            content: reported.join(""),
            tool_calls: [...calls.values()].map(callOf),
            annotations,
          },
        },
      ],
    }),
  };
}

const lastEvents = new Set(["response.completed", "response.incomplete"]);

function createResponsesObserver(): StreamObserver {
  let response: JsonObject = {};
  let isEnded = false;
  let failure: JsonValue | undefined;
  const changed = (type: string, event: JsonValue | undefined): Observed => {
    const text = textIn(own(event, "delta"));
    return type.includes("reasoning") ? hidden(text) : content(text);
  };
  return {
    add(event) {
      const type = textIn(own(event, "type"));
      if (type.endsWith(".delta")) return changed(type, event);
      if (lastEvents.has(type)) {
        response = members(own(event, "response"));
        isEnded = true;
        return last;
      }
      if (type === "error" || type === "response.failed") failure = event;
      return nothing;
    },
    isEnded: () => isEnded,
    failure: () => failure,
    hasUsage: () => isEnded,
    body: () => response,
  };
}

const observers: Readonly<Record<ModelEndpointName, () => StreamObserver>> = {
  messages: createMessagesObserver,
  "chat.completions": createChatObserver,
  responses: createResponsesObserver,
};

export const createObserver = (endpoint: ModelEndpointName): StreamObserver =>
  observers[endpoint]();
