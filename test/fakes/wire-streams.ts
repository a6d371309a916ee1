/** What a model says, as the events of each wire's stream. Sources: the streaming references of Anthropic, OpenAI and Google. */
import type { StrictWire } from "./strict-wires.ts";
import type { Said } from "./wire-answers.ts";

interface Event {
  type: string;
  [member: string]: unknown;
}

const named = (event: Event): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const bare = (data: object | string): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/** Pieces of a text, a few to each. */
const piecesOf = (text: string): string[] => text.match(/[\s\S]{1,8}/g) ?? [];

type Filled = Said & { text: string; inputTokens: number; outputTokens: number };

function anthropic({ text, toolUse, cut, inputTokens, outputTokens, thinks }: Filled): string[] {
  const blocks: { start: object; deltas: object[] }[] = [];
  if (thinks !== undefined)
    blocks.push({
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: piecesOf(thinks).map((thinking) => ({ type: "thinking_delta", thinking })),
    });
  if (text !== "")
    blocks.push({
      start: { type: "text", text: "" },
      deltas: piecesOf(text).map((piece) => ({ type: "text_delta", text: piece })),
    });
  if (toolUse !== undefined)
    blocks.push({
      start: { type: "tool_use", id: toolUse.id, name: toolUse.name, input: {} },
      deltas: piecesOf(JSON.stringify(toolUse.input)).map((partial_json) => ({
        type: "input_json_delta",
        partial_json,
      })),
    });
  const reason = cut === true ? "max_tokens" : toolUse === undefined ? "end_turn" : "tool_use";
  const message = { id: "msg_1", type: "message", role: "assistant", model: "claude", content: [] };
  const usage = { input_tokens: inputTokens, output_tokens: 1 };
  return [
    {
      type: "message_start",
      message: { ...message, stop_reason: null, stop_sequence: null, usage },
    },
    { type: "ping" },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: outputTokens },
    },
    { type: "message_stop" },
  ].map((event: Event) => named(event));
}

function chat({ text, toolUse, cut, thinks, usage, ...said }: Filled): string[] {
  const chunk = (more: object): object => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "gpt",
    ...more,
  });
  const delta = (its: object, finish: string | null = null): object =>
    chunk({ choices: [{ index: 0, delta: its, finish_reason: finish }] });
  const { inputTokens, outputTokens } = said;
  const counted = usage ?? {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
  const reason = cut === true ? "length" : toolUse === undefined ? "stop" : "tool_calls";
  return [
    delta({ role: "assistant", content: "" }),
    ...piecesOf(thinks ?? "").map((piece) => delta({ reasoning_content: piece })),
    ...piecesOf(text).map((piece) => delta({ content: piece })),
    ...(toolUse === undefined
      ? []
      : [
          delta({
            tool_calls: [
              {
                index: 0,
                id: toolUse.id,
                type: "function",
                function: { name: toolUse.name, arguments: "" },
              },
            ],
          }),
          ...piecesOf(JSON.stringify(toolUse.input)).map((piece) =>
            delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
          ),
        ]),
    delta({}, reason),
    chunk({ choices: [], usage: counted }),
    "[DONE]",
  ].map(bare);
}

function messageItem(text: string, status: string): Event[] {
  const item = { type: "message", id: "msg_1", role: "assistant", content: [], status };
  const place = { output_index: 0, item_id: "msg_1", content_index: 0 };
  const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
  const whole = { ...part, text };
  return [
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, status: "in_progress" },
    },
    { type: "response.content_part.added", ...place, part },
    ...piecesOf(text).map((delta) => ({
      type: "response.output_text.delta",
      ...place,
      delta,
      logprobs: [],
    })),
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: whole },
    { type: "response.output_item.done", output_index: 0, item: { ...item, content: [whole] } },
  ];
}

function callItem(
  { id, name, input }: NonNullable<Said["toolUse"]>,
  output_index: number,
): Event[] {
  const item = { type: "function_call", id: "fc_1", call_id: id, name };
  const place = { output_index, item_id: "fc_1" };
  const json = JSON.stringify(input);
  return [
    {
      type: "response.output_item.added",
      output_index,
      item: { ...item, arguments: "", status: "in_progress" },
    },
    ...piecesOf(json).map((delta) => ({
      type: "response.function_call_arguments.delta",
      ...place,
      delta,
    })),
    { type: "response.function_call_arguments.done", ...place, name, arguments: json },
    {
      type: "response.output_item.done",
      output_index,
      item: { ...item, arguments: json, status: "completed" },
    },
  ];
}

function responses({ text, toolUse, cut, inputTokens, outputTokens }: Filled): string[] {
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1,
    model: "gpt",
    output: [] as unknown[],
  };
  const usage = {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
  const status = cut === true ? "incomplete" : "completed";
  const items = [
    ...(text === "" ? [] : messageItem(text, status)),
    ...(toolUse === undefined ? [] : callItem(toolUse, text === "" ? 0 : 1)),
  ];
  const output = items.flatMap(({ type, item }) =>
    type === "response.output_item.done" ? [item] : [],
  );
  const events: Event[] = [
    { type: "response.created", response: { ...response, status: "in_progress" } },
    { type: "response.in_progress", response: { ...response, status: "in_progress" } },
    ...items,
    {
      type: `response.${status}`,
      response: {
        ...response,
        output,
        status,
        ...(cut === true && { incomplete_details: { reason: "max_output_tokens" } }),
        usage,
      },
    },
  ];
  return events.map((event, sequence_number) => named({ ...event, sequence_number }));
}

function google({ text, toolUse, cut, inputTokens, outputTokens }: Filled): string[] {
  const usageMetadata = { promptTokenCount: inputTokens };
  const piece = (parts: object[], more: object = {}): object => ({
    candidates: [{ content: { role: "model", parts }, ...more }],
    usageMetadata,
  });
  return [
    ...piecesOf(text).map((part) => piece([{ text: part }])),
    ...(toolUse === undefined
      ? []
      : [piece([{ functionCall: { name: toolUse.name, args: toolUse.input } }])]),
    {
      ...piece([], { finishReason: cut === true ? "MAX_TOKENS" : "STOP" }),
      usageMetadata: {
        ...usageMetadata,
        candidatesTokenCount: outputTokens,
        totalTokenCount: inputTokens + outputTokens,
      },
    },
  ].map(bare);
}

/** The events of a success, each with its empty line. */
export function eventsAt(wire: StrictWire, said: Said = {}): string[] {
  const { inputTokens = 10, outputTokens = 5 } = said;
  const text = said.text ?? (said.toolUse === undefined && said.text !== null ? "Fine." : "");
  const filled = { ...said, text, inputTokens, outputTokens };
  switch (wire) {
    case "anthropic":
      return anthropic(filled);
    case "google":
      return google(filled);
    case "openai-responses":
      return responses(filled);
    default:
      return chat(filled);
  }
}

/** An error as an event of a stream that has begun. */
export function errorEventAt(wire: StrictWire): string {
  switch (wire) {
    case "anthropic":
      return named({
        type: "error",
        error: { type: "overloaded_error", message: "Overloaded" },
      });
    case "openai-responses":
      return named({
        type: "error",
        sequence_number: 9,
        code: "server_error",
        message: "broken",
        param: null,
      });
    case "google":
      return bare({ error: { code: 503, message: "broken", status: "UNAVAILABLE" } });
    default:
      return bare({ error: { message: "broken", type: "server_error", code: null, param: null } });
  }
}

/** How a stream ends that does not end as it should. */
export type Broken = "cut" | "clean" | "error" | "stall" | "garbage";
