/** Answers in the words of each wire. Source: the API references of OpenAI and Anthropic. */
import type { JsonObject } from "../../domain/json.ts";
import type { Block, StopReason } from "../../domain/sampling/call.ts";
import type { Finished } from "../../pipeline/sampling/states/states.ts";

const textIn = (content: readonly Block[]): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

const finishReasons: Readonly<Record<string, string>> = {
  endTurn: "stop",
  stopSequence: "stop",
  maxTokens: "length",
  toolUse: "tool_calls",
  contentFilter: "content_filter",
  content_filter: "content_filter",
};

export function chatAnswer({ answer, decision }: Finished, createdAt: number): JsonObject {
  const { content, model, stopReason } = answer;
  const { inputTokens, outputTokens } = decision.usage;
  const calls = content.flatMap((block) =>
    block.type === "tool_use"
      ? [
          {
            id: block.id,
            type: "function",
            function: { name: block.name, arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  );
  const text = textIn(content);
  return {
    id: `chatcmpl-${decision.requestId}`,
    object: "chat.completion",
    created: Math.floor(createdAt / 1_000),
    model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && calls.length > 0 ? null : text,
          refusal: null,
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: finishReasons[stopReason] ?? "stop",
      },
    ],
    usage: {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    },
  };
}

const stopReasons: Readonly<Record<string, string>> = {
  endTurn: "end_turn",
  stopSequence: "stop_sequence",
  maxTokens: "max_tokens",
  toolUse: "tool_use",
  contentFilter: "refusal",
  content_filter: "refusal",
};

const stopReasonOf = (stopReason: StopReason): string => stopReasons[stopReason] ?? "end_turn";

export function messagesAnswer({ answer, decision }: Finished): JsonObject {
  const { content, model, stopReason } = answer;
  return {
    id: `msg_${decision.requestId}`,
    type: "message",
    role: "assistant",
    model,
    content: content.flatMap((block): JsonObject[] => {
      if (block.type === "text") return [{ type: "text", text: block.text }];
      return block.type === "tool_use"
        ? [{ type: "tool_use", id: block.id, name: block.name, input: block.input }]
        : [];
    }),
    stop_reason: stopReasonOf(stopReason),
    stop_sequence: null,
    usage: {
      input_tokens: decision.usage.inputTokens,
      output_tokens: decision.usage.outputTokens,
    },
  };
}

export function responsesAnswer({ answer, decision }: Finished, createdAt: number): JsonObject {
  const { content, model, stopReason } = answer;
  const { requestId, usage } = decision;
  const { inputTokens, outputTokens } = usage;
  const text = textIn(content);
  const isCut = stopReason === "maxTokens";
  const isFiltered = finishReasons[stopReason] === "content_filter";
  const reason = isCut ? "max_output_tokens" : isFiltered ? "content_filter" : null;
  const status = reason === null ? "completed" : "incomplete";
  const contentBlocks: JsonObject[] =
    text === ""
      ? []
      : [
          {
            type: "message",
            id: `msg_${requestId}`,
            status,
            role: "assistant",
            content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
          },
        ];
  const calls = content.flatMap((block, at): JsonObject[] =>
    block.type === "tool_use"
      ? [
          {
            type: "function_call",
            id: `fc_${requestId}_${at}`,
            call_id: block.id,
            name: block.name,
            arguments: JSON.stringify(block.input),
            status: "completed",
          },
        ]
      : [],
  );
  return {
    id: `resp_${requestId}`,
    object: "response",
    created_at: Math.floor(createdAt / 1_000),
    status,
    error: null,
    incomplete_details: reason === null ? null : { reason },
    model,
    output: [...contentBlocks, ...calls],
    store: false,
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + outputTokens,
    },
  };
}
