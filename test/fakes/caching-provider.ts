/**
 * A provider on loopback that caches prompts by the documented rules: Anthropic's Messages, and the chat
 * completions of OpenAI, Mistral and OpenRouter. As strict as the real ones about what they do not know. What it
 * answers is simulated; what it counts follows the rules.
 */
import {
  createAnthropicCache,
  Refused,
  type AnthropicUsage,
  type Json,
} from "./anthropic-cache.ts";
import { anthropicBodyOf, completionUsageOf } from "./openrouter-wire.ts";
import { createPrefixCache, mistralRules, openaiRules, tokensIn } from "./prefix-cache.ts";
import { sendJson, startWireServer, type WireRequest } from "./wire-server.ts";

export interface CachingProvider {
  /** Base URL for a credential of `anthropic`, `openai`, `mistral` or `openrouter`. */
  url(provider: string): string;
  /** Bodies of every request so far, oldest first; refused ones too. */
  requests(): Json[];
  /** Usage of every answer so far, in the provider's own shape. */
  usages(): Json[];
  /** The next request is answered with this status. */
  failNext(status: number): void;
  clear(): void;
  stop(): Promise<void>;
}

export const outputTokens = 60;

const knownToAnthropic = new Set([
  "model",
  "max_tokens",
  "messages",
  "system",
  "tools",
  "tool_choice",
  "temperature",
  "stop_sequences",
  "thinking",
  "output_config",
  "metadata",
  "cache_control",
]);
const knownInTools = new Set(["name", "description", "input_schema", "cache_control", "type"]);
const knownToOpenai = new Set([
  "model",
  "messages",
  "tools",
  "tool_choice",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "stop",
  "store",
  "reasoning_effort",
  "response_format",
  "parallel_tool_calls",
  "prompt_cache_key",
  "user",
]);

const unknownIn = (value: Json, known: ReadonlySet<string>): string | undefined =>
  Object.keys(value).find((key) => !known.has(key));

/** A model that uses its first tool in each of the first rounds, then answers. */
const wantsTool = (toolRounds: number, body: Json, uses: number): string | null => {
  const [tool] = (body["tools"] ?? []) as Json[];
  const name = tool?.["name"] ?? (tool?.["function"] as Json | undefined)?.["name"];
  const choice = body["tool_choice"];
  const none = choice === "none" || (choice as Json | undefined)?.["type"] === "none";
  return typeof name === "string" && !none && uses < toolRounds ? name : null;
};

function checkAnthropic(body: Json): void {
  const unknown = unknownIn(body, knownToAnthropic);
  if (unknown !== undefined) throw new Refused(`${unknown}: Extra inputs are not permitted`);
  for (const name of ["model", "max_tokens", "messages"])
    if (body[name] === undefined) throw new Refused(`${name}: Field required`);
  for (const tool of (body["tools"] ?? []) as Json[]) {
    const extra = unknownIn(tool, knownInTools);
    if (extra !== undefined) throw new Refused(`tools.${extra}: Extra inputs are not permitted`);
  }
}

const marksAnywhere = (value: unknown): boolean =>
  JSON.stringify(value).includes('"cache_control"');

/** `toolRounds`: how often the model uses a tool before it answers. `now`: ms, the caches' clock. */
export async function startCachingProvider(deps: {
  now: () => number;
  toolRounds?: number;
}): Promise<CachingProvider> {
  const { now, toolRounds = 0 } = deps;
  let seen: Json[] = [];
  let told: Json[] = [];
  let failing: number | null = null;
  const anthropicCache = createAnthropicCache({ now });
  const caches = {
    openai: createPrefixCache(openaiRules, { now }),
    mistral: createPrefixCache(mistralRules, { now }),
  };

  const anthropic = (body: Json, account: string): Json => {
    checkAnthropic(body);
    const cached = anthropicCache.process(body, account);
    const uses = JSON.stringify(body["messages"]).split('"type":"tool_use"').length - 1;
    const tool = wantsTool(toolRounds, body, uses);
    const usage: AnthropicUsage = { ...cached, output_tokens: outputTokens };
    told.push({ ...usage });
    return {
      id: `msg_${told.length}`,
      type: "message",
      role: "assistant",
      model: body["model"],
      content:
        tool === null
          ? [{ type: "text", text: "Done." }]
          : [{ type: "tool_use", id: `toolu_${uses}`, name: tool, input: { page: uses } }],
      stop_reason: tool === null ? "end_turn" : "tool_use",
      stop_sequence: null,
      usage,
    };
  };

  /** Usage of a request to OpenAI or Mistral. */
  const prefixUsageOf = (body: Json, account: string, provider: keyof typeof caches): Json => {
    if (marksAnywhere(body)) throw new Refused("Unknown parameter: 'cache_control'.");
    const text = JSON.stringify([body["tools"] ?? [], body["messages"]]);
    const key = (body["prompt_cache_key"] ?? null) as string | null;
    if (key !== null && key.length > 64) throw new Refused("prompt_cache_key: string too long");
    const model = String(body["model"]);
    const cached = caches[provider].process(text, { account, model, key });
    return {
      prompt_tokens: tokensIn(text),
      completion_tokens: outputTokens,
      total_tokens: tokensIn(text) + outputTokens,
      prompt_tokens_details: { cached_tokens: cached },
    };
  };

  const completions = (body: Json, account: string, provider: string): Json => {
    const unknown = unknownIn(body, knownToOpenai);
    if (unknown !== undefined) throw new Refused(`Unknown parameter: '${unknown}'.`);
    const usage =
      provider === "openrouter"
        ? completionUsageOf(anthropicCache.process(anthropicBodyOf(body), account), outputTokens)
        : prefixUsageOf(body, account, provider === "openai" ? "openai" : "mistral");
    told.push(usage);
    const uses = JSON.stringify(body["messages"]).split('"role":"tool"').length - 1;
    const tool = wantsTool(toolRounds, body, uses);
    const call = { name: tool, arguments: JSON.stringify({ page: uses }) };
    return {
      id: `chatcmpl-${told.length}`,
      object: "chat.completion",
      created: 1,
      model: body["model"],
      choices: [
        {
          index: 0,
          finish_reason: tool === null ? "stop" : "tool_calls",
          message:
            tool === null
              ? { role: "assistant", content: "Done." }
              : {
                  role: "assistant",
                  content: null,
                  tool_calls: [{ id: `call_${uses}`, type: "function", function: call }],
                },
        },
      ],
      usage,
    };
  };

  const answer = ({ wire, path, provider, headers, json }: WireRequest): Json => {
    if (wire === null) throw new Refused(`no such endpoint: ${path}`);
    if (wire !== "anthropic") return completions(json, String(headers["authorization"]), provider);
    if (headers["anthropic-version"] === undefined)
      throw new Refused("anthropic-version: header is required");
    return anthropic(json, String(headers["x-api-key"]));
  };

  const server = await startWireServer({
    receives: ({ json }) => void seen.push(json),
    answers(request, response) {
      const status = failing;
      failing = null;
      const failed = (type: string, message: string) => ({
        type: "error",
        error: { type, message },
      });
      if (status !== null)
        return sendJson(response, status, failed("overloaded_error", "Overloaded"));
      try {
        sendJson(response, 200, answer(request));
      } catch (thrown) {
        if (!(thrown instanceof Refused)) throw thrown;
        sendJson(response, 400, failed("invalid_request_error", thrown.message));
      }
    },
  });

  return {
    ...server,
    requests: () => [...seen],
    usages: () => [...told],
    failNext: (status) => {
      failing = status;
    },
    clear: () => {
      seen = [];
      told = [];
    },
  };
}
