/** What a model says, in the words of each wire. */
import type { StrictWire } from "./strict-wires.ts";
import { png } from "../fixtures/providers/calls.ts";

export interface Use {
  id: string;
  name: string;
  input: object;
}

export interface Said {
  /** null: no content, in the right envelope */
  text?: string | null;
  /** one image beside the text; Google's wire alone */
  draws?: boolean;
  /** the provider stops because its limit of tokens is reached */
  cut?: boolean;
  toolUse?: Use | undefined;
  inputTokens?: number;
  /** reasoning included */
  outputTokens?: number;
  /** absent: the provider doesn't say */
  reasoningTokens?: number | undefined;
  /** the provider's own object, in place of the three figures */
  usage?: unknown;
  /** reasoning that is told; streams alone */
  thinks?: string;
}

type Filled = Said & { text: string | null; inputTokens: number; outputTokens: number };

const anthropic = ({ text, toolUse, cut, inputTokens, outputTokens, reasoningTokens }: Filled) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content: [
    ...(text === null || text === "" ? [] : [{ type: "text", text }]),
    ...(toolUse === undefined ? [] : [{ type: "tool_use", ...toolUse }]),
  ],
  stop_reason: cut === true ? "max_tokens" : toolUse === undefined ? "end_turn" : "tool_use",
  stop_sequence: null,
  usage: {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(reasoningTokens !== undefined && {
      output_tokens_details: { thinking_tokens: reasoningTokens },
    }),
  },
});

const google = ({
  text,
  draws,
  toolUse,
  cut,
  inputTokens,
  outputTokens,
  reasoningTokens,
}: Filled) => {
  const parts = [
    ...(text === null || text === "" ? [] : [{ text }]),
    ...(draws === true ? [{ inlineData: { mimeType: "image/png", data: png } }] : []),
    ...(toolUse === undefined
      ? []
      : [{ functionCall: { name: toolUse.name, args: toolUse.input } }]),
  ];
  return {
    candidates: [
      {
        content: parts.length === 0 ? {} : { role: "model", parts },
        finishReason: cut === true ? "MAX_TOKENS" : "STOP",
      },
    ],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens - (reasoningTokens ?? 0),
      ...(reasoningTokens !== undefined && { thoughtsTokenCount: reasoningTokens }),
      totalTokenCount: inputTokens + outputTokens,
    },
  };
};

const responses = ({ text, toolUse, cut, inputTokens, outputTokens, reasoningTokens }: Filled) => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "gpt",
  output: [
    ...(text === null || text === ""
      ? []
      : [
          {
            type: "message",
            id: "msg_1",
            role: "assistant",
            content: [{ type: "output_text", text, annotations: [] }],
          },
        ]),
    ...(toolUse === undefined
      ? []
      : [
          {
            type: "function_call",
            id: "fc_1",
            call_id: toolUse.id,
            name: toolUse.name,
            arguments: JSON.stringify(toolUse.input),
          },
        ]),
  ],
  ...(cut === true && { incomplete_details: { reason: "max_output_tokens" } }),
  usage: {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(reasoningTokens !== undefined && {
      output_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
  },
});

const chat = ({ text, toolUse, cut, inputTokens, outputTokens, reasoningTokens }: Filled) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: text,
        ...(toolUse !== undefined && {
          tool_calls: [
            {
              id: toolUse.id,
              type: "function",
              function: { name: toolUse.name, arguments: JSON.stringify(toolUse.input) },
            },
          ],
        }),
      },
      finish_reason: cut === true ? "length" : toolUse === undefined ? "stop" : "tool_calls",
    },
  ],
  usage: {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(reasoningTokens !== undefined && {
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
  },
});

/** The body of a success. */
export function answerAt(wire: StrictWire, said: Said = {}): object {
  const { inputTokens = 10, outputTokens = 5 } = said;
  const text = said.text === undefined ? (said.toolUse ? null : "Fine.") : said.text;
  const filled = { ...said, text, inputTokens, outputTokens };
  const own = "usage" in said;
  switch (wire) {
    case "anthropic":
      return { ...anthropic(filled), ...(own && { usage: said.usage }) };
    case "google":
      return { ...google(filled), ...(own && { usageMetadata: said.usage }) };
    case "openai-responses":
      return { ...responses(filled), ...(own && { usage: said.usage }) };
    default:
      return { ...chat(filled), ...(own && { usage: said.usage }) };
  }
}
