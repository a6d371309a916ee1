/** A provider on loopback that answers as every wire does, and keeps what it was sent. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../src/domain/json.ts";

export interface Said {
  text?: string;
  /** the provider stops because its limit of tokens is reached */
  cut?: boolean;
  inputTokens?: number;
  /** reasoning included */
  outputTokens?: number;
  /** absent: the provider doesn't say */
  reasoningTokens?: number;
  toolUse?: { id: string; name: string; input: object };
}

export interface Refused {
  status: number;
  body: unknown;
}

export interface RecordingProvider {
  url(provider: string): string;
  /** bodies, oldest first */
  sent(): JsonObject[];
  /** What the next requests meet, in turn; the last one stays. */
  says(...turns: (Said | Refused)[]): void;
  stop(): Promise<void>;
}

type Wire = "openai" | "responses" | "anthropic" | "google";

const wireOf = (path: string): Wire =>
  path.includes("/messages")
    ? "anthropic"
    : path.includes(":generateContent")
      ? "google"
      : path.includes("/responses")
        ? "responses"
        : "openai";

export function envelopeOf(wire: Wire, said: Said): unknown {
  const { text = "Fine.", cut = false, toolUse, reasoningTokens } = said;
  const { inputTokens = 10, outputTokens = 5 } = said;
  switch (wire) {
    case "anthropic":
      return {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude",
        content: [
          ...(text === "" ? [] : [{ type: "text", text }]),
          ...(toolUse === undefined ? [] : [{ type: "tool_use", ...toolUse }]),
        ],
        stop_reason: cut ? "max_tokens" : toolUse === undefined ? "end_turn" : "tool_use",
        stop_sequence: null,
        usage: {
          input_tokens: inputTokens,
          output_tokens: outputTokens,
          ...(reasoningTokens === undefined
            ? {}
            : { output_tokens_details: { thinking_tokens: reasoningTokens } }),
        },
      };
    case "google":
      return {
        candidates: [
          {
            content: {
              role: "model",
              parts: [
                ...(text === "" ? [] : [{ text }]),
                ...(toolUse === undefined
                  ? []
                  : [{ functionCall: { name: toolUse.name, args: toolUse.input } }]),
              ],
            },
            finishReason: cut ? "MAX_TOKENS" : "STOP",
          },
        ],
        usageMetadata: {
          promptTokenCount: inputTokens,
          candidatesTokenCount: outputTokens - (reasoningTokens ?? 0),
          ...(reasoningTokens === undefined ? {} : { thoughtsTokenCount: reasoningTokens }),
          totalTokenCount: inputTokens + outputTokens,
        },
      };
    case "responses":
      return {
        id: "resp_1",
        object: "response",
        created_at: 1,
        model: "gpt",
        output:
          text === ""
            ? []
            : [
                {
                  type: "message",
                  id: "msg_1",
                  role: "assistant",
                  content: [{ type: "output_text", text, annotations: [] }],
                },
              ],
        ...(cut ? { incomplete_details: { reason: "max_output_tokens" } } : {}),
        usage: {
          input_tokens: inputTokens,
          output_tokens: outputTokens,
          ...(reasoningTokens === undefined
            ? {}
            : { output_tokens_details: { reasoning_tokens: reasoningTokens } }),
        },
      };
    case "openai":
      return {
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
              ...(toolUse === undefined
                ? {}
                : {
                    tool_calls: [
                      {
                        id: toolUse.id,
                        type: "function",
                        function: {
                          name: toolUse.name,
                          arguments: JSON.stringify(toolUse.input),
                        },
                      },
                    ],
                  }),
            },
            finish_reason: cut ? "length" : toolUse === undefined ? "stop" : "tool_calls",
          },
        ],
        usage: {
          prompt_tokens: inputTokens,
          completion_tokens: outputTokens,
          total_tokens: inputTokens + outputTokens,
          ...(reasoningTokens === undefined
            ? {}
            : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
        },
      };
  }
}

/** Starts it on a random port of 127.0.0.1. It answers "Fine." unless a test sets another answer. */
export async function startRecordingProvider(): Promise<RecordingProvider> {
  let turns: (Said | Refused)[] = [{}];
  let bodies: JsonObject[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      bodies.push(JSON.parse(body) as JsonObject);
      const turn = turns.length > 1 ? (turns.shift() ?? {}) : (turns[0] ?? {});
      const refused = "status" in turn;
      response.writeHead(refused ? turn.status : 200, { "content-type": "application/json" });
      const said = refused ? turn.body : envelopeOf(wireOf(request.url ?? ""), turn);
      response.end(JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: (provider) => `${origin}/${provider === "google" ? "v1beta" : "v1"}`,
    sent: () => [...bodies],
    says(...next) {
      turns = next;
      bodies = [];
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
