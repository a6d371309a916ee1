/** Reads the events of a stream that passes unchanged, to know what the client has received, the answer, and the usage. */
import { isObject, own, type JsonObject, type JsonValue } from "../domain/json.ts";
import type { ModelEndpointName } from "../domain/model-endpoint.ts";
import type { Shows } from "../domain/sampling/stream-parts.ts";

export interface EventContent {
  shows: Shows;
  /** text of the event, to estimate its tokens */
  text: string;
  /** Chat Completions: a chunk with usage and no choices */
  isUsageChunk?: true;
  /** the provider sends no event after this one */
  isLast?: true;
}

export interface StreamObserver {
  /** @param event the event's data; `undefined` for invalid JSON */
  add(event: JsonValue | undefined, data: string): EventContent;
  isEnded(): boolean;
  /** the error event, if any */
  failure(): JsonValue | undefined;
  /** whether the provider reported the usage of the whole answer */
  hasUsage(): boolean;
  body(): JsonObject;
}

const nothing: EventContent = { shows: "nothing", text: "" };
const content = (text: string): EventContent => ({ shows: "content", text });
const hidden = (text: string): EventContent => ({ shows: "hidden", text });
const ending: EventContent = { shows: "content", text: "" };
const last: EventContent = { ...ending, isLast: true };

const textIn = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");
const arrayIn = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);
const objectIn = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});

/** A content block or tool call whose text is joined when the answer is read. */
interface PartialBlock {
  start: JsonObject;
  pieces: string[];
}

function createMessagesObserver(): StreamObserver {
  let message: JsonObject = {};
  let usage: JsonObject = {};
  let isEnded = false;
  let hasUsage = false;
  let failure: JsonValue | undefined;
  const blocks = new Map<number, PartialBlock>();
  const startBlock = (index: JsonValue | undefined, block: JsonObject): EventContent => {
    blocks.set(Number(index), { start: block, pieces: [] });
    const { type } = block;
    if (type === "thinking" || type === "redacted_thinking") return hidden("");
    return type === "text" ? nothing : content(textIn(block["name"]));
  };
  const extendBlock = (index: JsonValue | undefined, delta: JsonObject): EventContent => {
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
  const blockOf = ({ start, pieces }: PartialBlock): JsonObject => {
    const text = pieces.join("");
    if (start["type"] === "text") return { ...start, text: textIn(start["text"]) + text };
    return text === "" ? start : { ...start, input: text };
  };
  return {
    add(event) {
      switch (own(event, "type")) {
        case "message_start":
          message = objectIn(own(event, "message"));
          usage = objectIn(message["usage"]);
          return nothing;
        case "content_block_start":
          return startBlock(own(event, "index"), objectIn(own(event, "content_block")));
        case "content_block_delta":
          return extendBlock(own(event, "index"), objectIn(own(event, "delta")));
        case "message_delta":
          message = { ...message, ...objectIn(own(event, "delta")) };
          // Usage is cumulative, so later events replace earlier ones.
          usage = { ...usage, ...objectIn(own(event, "usage")) };
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

/** Data of the last event of Chat Completions. */
export const chatEndMarker = "[DONE]";

/** OpenAI-compatible servers send reasoning in one of these members. */
const reasoningMembers = ["reasoning_content", "reasoning"];

function createChatObserver(): StreamObserver {
  const contentPieces: string[] = [];
  const calls = new Map<number, PartialBlock>();
  let serviceTier: JsonValue = null;
  let usage: JsonValue = null;
  let finishReason: JsonValue = null;
  let annotations: JsonValue = null;
  let isEnded = false;
  let failure: JsonValue | undefined;
  const addToolCall = (sent: JsonValue): string => {
    const of = objectIn(own(sent, "function"));
    const at = Number(own(sent, "index") ?? 0);
    const known = calls.get(at);
    const text = textIn(of["arguments"]);
    if (known === undefined)
      calls.set(at, { start: { ...objectIn(sent), function: of }, pieces: [text] });
    else known.pieces.push(text);
    return textIn(of["name"]) + text;
  };
  const addChoice = (choice: JsonValue): EventContent => {
    const delta = objectIn(own(choice, "delta"));
    const text = textIn(delta["content"]);
    contentPieces.push(text);
    annotations = delta["annotations"] ?? annotations;
    const written = text + arrayIn(delta["tool_calls"]).map(addToolCall).join("");
    finishReason = own(choice, "finish_reason") ?? finishReason;
    if (written !== "" || delta["refusal"]) return content(written + textIn(delta["refusal"]));
    const thought = reasoningMembers.map((name) => textIn(delta[name])).join("");
    if (thought !== "") return hidden(thought);
    return (own(choice, "finish_reason") ?? null) === null ? nothing : ending;
  };
  const callOf = ({ start, pieces }: PartialBlock): JsonObject => ({
    ...start,
    function: { ...objectIn(start["function"]), arguments: pieces.join("") },
  });
  return {
    add(event, data) {
      if (data.trim() === chatEndMarker) {
        isEnded = true;
        return last;
      }
      if (own(event, "error") !== undefined && own(event, "error") !== null) {
        failure = event;
        return nothing;
      }
      usage = own(event, "usage") ?? usage;
      serviceTier = own(event, "service_tier") ?? serviceTier;
      const choices = arrayIn(own(event, "choices"));
      if (choices.length === 0)
        return (own(event, "usage") ?? null) === null
          ? nothing
          : { ...nothing, isUsageChunk: true };
      const [first, ...more] = choices;
      if (first !== undefined && more.length === 0) return addChoice(first);
      const seen = choices.map(addChoice);
      const text = seen.map((each) => each.text).join("");
      const shown = seen.find(({ shows }) => shows === "content") ?? seen[0] ?? nothing;
      return { shows: shown.shows, text };
    },
    // Some servers omit `[DONE]`. Then the answer is complete if they sent a finish reason and usage.
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
            content: contentPieces.join(""),
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
  const deltaOf = (type: string, event: JsonValue | undefined): EventContent => {
    const text = textIn(own(event, "delta"));
    return type.includes("reasoning") ? hidden(text) : content(text);
  };
  return {
    add(event) {
      const type = textIn(own(event, "type"));
      if (type.endsWith(".delta")) return deltaOf(type, event);
      if (lastEvents.has(type)) {
        response = objectIn(own(event, "response"));
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
