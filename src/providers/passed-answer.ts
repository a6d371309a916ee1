/** Reads a passed answer's usage, and its text and tool uses for capture. */
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { isObject, own, parsedJson, type JsonObject, type JsonValue } from "../domain/json.ts";
import type { ModelEndpointName } from "../domain/model-endpoint.ts";
import type { Block, SamplingCall, StopReason } from "../domain/sampling/call.ts";
import type { Surcharge, Usage } from "../domain/usage.ts";
import { countedTokens, usageOf } from "./usage.ts";

const arrayIn = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);
const textIn = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

const textBlock = (text: string): Block[] => (text === "" ? [] : [{ type: "text", text }]);

function useBlock(id: string, name: string, input: JsonValue | undefined): Block {
  const read = typeof input === "string" ? parsedJson(input) : input;
  return { type: "tool_use", id, name, input: isObject(read) ? read : {} };
}

const messagesBlocks = (body: JsonObject): Block[] =>
  arrayIn(body["content"]).flatMap((part): Block[] => {
    const type = own(part, "type");
    if (type === "text") return textBlock(textIn(own(part, "text")));
    if (type !== "tool_use") return [];
    return [useBlock(textIn(own(part, "id")), textIn(own(part, "name")), own(part, "input"))];
  });

const chatBlocks = (body: JsonObject): Block[] =>
  arrayIn(body["choices"]).flatMap((choice): Block[] => {
    const message = own(choice, "message");
    const uses = arrayIn(own(message, "tool_calls")).map((call) => {
      const called = own(call, "function");
      return useBlock(
        textIn(own(call, "id")),
        textIn(own(called, "name")),
        own(called, "arguments"),
      );
    });
    return [...textBlock(textIn(own(message, "content"))), ...uses];
  });

const responsesBlocks = (body: JsonObject): Block[] =>
  arrayIn(body["output"]).flatMap((item): Block[] => {
    const type = own(item, "type");
    if (type === "function_call")
      return [
        useBlock(textIn(own(item, "call_id")), textIn(own(item, "name")), own(item, "arguments")),
      ];
    if (type !== "message") return [];
    return arrayIn(own(item, "content")).flatMap((part) => textBlock(textIn(own(part, "text"))));
  });

const stopReasons: Readonly<Record<string, StopReason>> = {
  end_turn: "endTurn",
  stop: "endTurn",
  completed: "endTurn",
  max_tokens: "maxTokens",
  length: "maxTokens",
  max_output_tokens: "maxTokens",
  stop_sequence: "stopSequence",
  tool_use: "toolUse",
  tool_calls: "toolUse",
  content_filter: "contentFilter",
  refusal: "contentFilter",
};
const maxStopReasonCharacters = 200;

function stopIn(endpoint: ModelEndpointName, body: JsonObject): string {
  if (endpoint === "messages") return textIn(body["stop_reason"]);
  if (endpoint === "chat.completions")
    return textIn(own(arrayIn(body["choices"])[0], "finish_reason"));
  const reason = own(body["incomplete_details"], "reason");
  return textIn(reason) || textIn(body["status"]);
}

const readers = {
  messages: messagesBlocks,
  "chat.completions": chatBlocks,
  responses: responsesBlocks,
} as const;

/** Signatures, encrypted parts and ids that only the same account can use in later requests. */
export function marksOf(endpoint: ModelEndpointName, body: JsonObject): string[] {
  const parts = arrayIn(body[endpoint === "messages" ? "content" : "output"]);
  const sealed = parts.flatMap((part) =>
    ["signature", "data", "encrypted_content"].map((name) => textIn(own(part, name))),
  );
  return [...sealed, ...(endpoint === "responses" ? [textIn(body["id"])] : [])].filter(
    (mark) => mark !== "",
  );
}

/** The required member of an answer. */
export const answerMember: Readonly<Record<ModelEndpointName, string>> = {
  messages: "content",
  "chat.completions": "choices",
  responses: "output",
};

/** Usage in the AI SDK's form, so that it is charged like any other call's. */
function countedOf(raw: JsonValue | undefined): LanguageModelV4Usage {
  const count = (...path: string[]): number | undefined =>
    countedTokens(path.reduce<JsonValue | undefined>((value, key) => own(value, key), raw)) ??
    undefined;
  const details = (side: "input" | "output", name: string): number | undefined =>
    count(`${side === "input" ? "prompt" : "completion"}_tokens_details`, name) ??
    count(`${side}_tokens_details`, name);
  const read = count("cache_read_input_tokens");
  const written = count("cache_creation_input_tokens");
  const input = count("prompt_tokens") ?? count("input_tokens");
  const total = input === undefined ? undefined : input + (read ?? 0) + (written ?? 0);
  const reasoning = details("output", "reasoning_tokens") ?? details("output", "thinking_tokens");
  return {
    inputTokens: {
      total,
      noCache: undefined,
      cacheRead: read ?? details("input", "cached_tokens"),
      cacheWrite: written,
    },
    outputTokens: {
      total: count("completion_tokens") ?? count("output_tokens"),
      text: undefined,
      reasoning,
    },
    ...(isObject(raw) && { raw }),
  };
}

/** Number of uses of a provider-run tool, by the prefix of the tool's type. */
function usesOf(prefix: string, body: JsonObject): number {
  const counted = own(own(body["usage"], "server_tool_use"), `${prefix}_requests`);
  const calls = arrayIn(body["output"]).filter((item) => {
    const type = textIn(own(item, "type"));
    return type.startsWith(prefix) && type.endsWith("_call");
  });
  const cited = arrayIn(body["choices"]).filter(
    (choice) => arrayIn(own(own(choice, "message"), "annotations")).length > 0,
  );
  return (
    (countedTokens(counted) ?? 0) + calls.length + (prefix === "web_search" ? cited.length : 0)
  );
}

/** Uses the prices for what the answer reports; if it reports nothing, those for what was requested. */
function surchargeOf(body: JsonObject, { passing }: SamplingCall): Surcharge {
  if (passing?.prices === undefined) return {};
  const { factors = {}, toolUsd = {} } = passing.prices;
  const usage = body["usage"];
  const reported = [
    own(body, "service_tier") ?? own(usage, "service_tier"),
    own(usage, "speed"),
    own(usage, "inference_geo"),
  ].filter((value) => typeof value === "string");
  const factorOf = (value: string): number =>
    Object.hasOwn(factors, value) ? (factors[value] ?? 1) : 1;
  const factor =
    reported.length === 0
      ? (passing.surcharge?.factor ?? 1)
      : reported.reduce((product, value) => product * factorOf(value), 1);
  const usd = Object.entries(toolUsd).reduce(
    (sum, [prefix, price]) => sum + price * usesOf(prefix, body),
    0,
  );
  return { ...(factor !== 1 && { factor }), ...(usd > 0 && { feeMicroUsd: Math.ceil(usd * 1e6) }) };
}

/** The reported usage; missing parts are estimated from the request and the answer. */
export function passedUsage(body: JsonObject, call: SamplingCall, content: Block[]): Usage {
  const parts = content.map((block) =>
    block.type === "text"
      ? block
      : ({ type: "tool-call", toolCallId: "", toolName: "", input: "" } as const),
  );
  const usage = usageOf({ content: parts, usage: countedOf(body["usage"]) }, call, content);
  const surcharge = surchargeOf(body, call);
  return Object.keys(surcharge).length === 0 ? usage : { ...usage, surcharge };
}

export function readPassedAnswer(
  endpoint: ModelEndpointName,
  body: JsonObject,
  call: SamplingCall,
): { content: Block[]; stopReason: StopReason; providerStopReason: string | null; usage: Usage } {
  const content = readers[endpoint](body);
  const raw = stopIn(endpoint, body).slice(0, maxStopReasonCharacters);
  const known = Object.hasOwn(stopReasons, raw) ? stopReasons[raw] : undefined;
  const isTool = raw === "completed" && content.some(({ type }) => type === "tool_use");
  return {
    content,
    stopReason: isTool ? "toolUse" : (known ?? (raw || "endTurn")),
    providerStopReason: raw || null,
    usage: passedUsage(body, call, content),
  };
}
