/** What is asked of each subject, and how its answer is known to be the right one. */
import { echoOf, providerKey, providerModel, providerUsage } from "./provider.ts";

export interface Asked {
  /** answered by this request's answer only */
  nonce: string;
  id: number;
}

export interface Answered {
  status: number;
  text: string;
}

/** ms per step as the router itself reports them; the clock of a Worker stands still between I/O. */
export type Timing = Record<string, number>;

export interface Call {
  path: string;
  headers: Record<string, string>;
  body(asked: Asked): string;
  /** Throws a sentence when the answer is not the right one for what was asked. */
  check(asked: Asked, answered: Answered): Timing | null;
}

const systemPrompt =
  "You answer questions about a repository. Be brief, name files by their path, quote no more than " +
  "one line of code, and say so when the context does not hold the answer.";
const promptOf = (nonce: string): string =>
  "Here is what the server found: three handlers share a retry loop, two of them without a limit, " +
  "and the tests cover the third. Say in one sentence which of them may never end, and repeat the " +
  `marker at the end of this message as it is, so that the answer can be filed: ${nonce}`;
const maxTokens = 120;
const revision = "2026-07-28";
const method = "sampling/createMessage";

function expect(right: boolean, what: string, { status, text }: Answered): void {
  if (!right) throw new Error(`${what}, in ${status}: ${text.slice(0, 400)}`);
}

interface Completion {
  model?: string;
  choices?: { message?: { content?: string } }[];
}

/** Chat completions, as the router sends them on, with the headers that a gateway wants besides. */
export const completionCall = (path: string, headers: Record<string, string> = {}): Call => ({
  path,
  headers: {
    "Content-Type": "application/json",
    Authorization: `Bearer ${providerKey}`,
    ...headers,
  },
  body: ({ nonce }) =>
    JSON.stringify({
      model: providerModel,
      messages: [
        { role: "system", content: systemPrompt },
        { role: "user", content: promptOf(nonce) },
      ],
      max_completion_tokens: maxTokens,
    }),
  check({ nonce }, answered) {
    expect(answered.status === 200, "not 200", answered);
    const { model, choices } = JSON.parse(answered.text) as Completion;
    expect(model === providerModel, "another model", answered);
    expect(choices?.[0]?.message?.content === echoOf(nonce), "not this request's nonce", answered);
    return null;
  },
});

interface SamplingAnswer {
  id?: unknown;
  result?: {
    role?: string;
    model?: string;
    content?: { type?: string; text?: string };
    _meta?: {
      "sampling-router/decision"?: {
        requestId?: string;
        provider?: string;
        model?: string;
        attempts?: number;
        usage?: { inputTokens: number; outputTokens: number };
        timingMs?: Timing;
      };
    };
  };
}

/** Sampling in one request, as the modern revision has it. */
export const samplingCall = (key: string): Call => ({
  path: "/v1/sampling",
  headers: {
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    Accept: "application/json",
    "MCP-Protocol-Version": revision,
    "Mcp-Method": method,
  },
  body: ({ nonce, id }) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      method,
      params: {
        messages: [{ role: "user", content: { type: "text", text: promptOf(nonce) } }],
        systemPrompt,
        maxTokens,
        modelPreferences: { hints: [{ name: providerModel }] },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": revision,
          "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
        },
      },
    }),
  check({ nonce, id }, answered) {
    expect(answered.status === 200, "not 200", answered);
    const message = JSON.parse(answered.text) as SamplingAnswer;
    const { result } = message;
    expect(message.id === id && result !== undefined, "no result of this request", answered);
    expect(result?.content?.text === echoOf(nonce), "not this request's nonce", answered);
    expect(result?.model === `openai/${providerModel}`, "another model", answered);
    const decision = result?._meta?.["sampling-router/decision"];
    expect(
      decision?.provider === "openai" &&
        decision.model === providerModel &&
        decision.attempts === 1 &&
        decision.usage?.inputTokens === providerUsage.prompt_tokens &&
        decision.usage.outputTokens === providerUsage.completion_tokens,
      "another decision",
      answered,
    );
    return decision?.timingMs ?? null;
  },
});
