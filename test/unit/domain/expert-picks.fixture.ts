/**
 * Requests as authors of MCP servers write them, each with the model that an expert expects and the reason.
 * `from` says where such a request is found: in the specification's own example, or in the code and docs of
 * public servers and SDKs (their hints and priorities; the texts are ours).
 */
import type { JsonObject } from "../../../src/domain/json.ts";

/** The providers of the tenant's credentials. */
export const credentialSets = {
  openai: ["openai"],
  anthropic: ["anthropic"],
  google: ["google"],
  three: ["openai", "anthropic", "google"],
  xai: ["xai"],
  groq: ["groq"],
  deepseek: ["deepseek"],
  mistral: ["mistral"],
  all: [
    "openai",
    "anthropic",
    "google",
    "mistral",
    "xai",
    "deepseek",
    "groq",
    "cerebras",
    "cohere",
    "together",
    "workers-ai",
  ],
} as const;

export interface ExpertPick {
  from: string;
  credentials: keyof typeof credentialSets;
  /** of `sampling/createMessage` */
  params: JsonObject;
  expected: string;
  why: string;
  /** what could be said against this pick */
  arguable?: string;
}

const text = (words: string): JsonObject => ({
  messages: [{ role: "user", content: { type: "text", text: words } }],
});
const image: JsonObject = {
  messages: [{ role: "user", content: { type: "image", data: "aGk=", mimeType: "image/png" } }],
};
const audio: JsonObject = {
  messages: [{ role: "user", content: { type: "audio", data: "aGk=", mimeType: "audio/wav" } }],
};
/** A text of about so many tokens of English. */
const long = (tokens: number): JsonObject =>
  text("The fox ran over the hill again. ".repeat(tokens / 8));

/** As in `modelPreferences`: hints by name, then cost, speed and intelligence; null: not given. */
const prefer = (
  names: readonly string[],
  [cost, speed, intelligence]: readonly (number | null)[] = [],
): JsonObject => ({
  modelPreferences: {
    ...(names.length > 0 && { hints: names.map((name) => ({ name })) }),
    ...(typeof cost === "number" && { costPriority: cost }),
    ...(typeof speed === "number" && { speedPriority: speed }),
    ...(typeof intelligence === "number" && { intelligencePriority: intelligence }),
  },
});

const france = text("What is the capital of France?");
const summarize = text("Summarize the following document in three bullet points: …");
const tool = { name: "search", inputSchema: { type: "object" } };
const paint = { metadata: { "sampling-router/outputModalities": ["image"] } };
const speak = { metadata: { "sampling-router/outputModalities": ["audio"] } };

const specification = {
  ...france,
  ...prefer(["claude-3-sonnet"], [null, 0.5, 0.8]),
  systemPrompt: "You are a helpful assistant.",
  maxTokens: 100,
};
const specificationHints = {
  ...france,
  ...prefer(["claude-3-sonnet", "claude"], [0.3, 0.8, 0.5]),
  maxTokens: 100,
};

const hinted: ExpertPick[] = [
  {
    from: "specification, the request's example",
    credentials: "three",
    params: specification,
    expected: "anthropic/claude-sonnet-5-5",
    why: "The newest Sonnet.",
  },
  {
    from: "specification, the request's example",
    credentials: "openai",
    params: specification,
    expected: "openai/gpt-6-sol",
    why: "The newest of OpenAI's main line whose price is known.",
  },
  {
    from: "specification, the request's example",
    credentials: "google",
    params: specification,
    expected: "google/gemini-3.8-flash",
    why: "The newest Flash, which Google calls its most intelligent.",
  },
  {
    from: "specification, the example of hints",
    credentials: "three",
    params: specificationHints,
    expected: "anthropic/claude-sonnet-5-5",
    why: "The newest Sonnet.",
  },
  {
    from: "specification, the example of hints",
    credentials: "anthropic",
    params: specificationHints,
    expected: "anthropic/claude-sonnet-5-5",
    why: "The newest Sonnet.",
  },
  {
    from: "a Go SDK's guide",
    credentials: "google",
    params: { ...summarize, ...prefer(["claude-3-sonnet"], [0.3, 0.8, 0.9]), maxTokens: 1_000 },
    expected: "google/gemini-3.8-flash",
    why: "The newest Flash, which Google calls its most intelligent.",
  },
  {
    from: "a code reviewer's server",
    credentials: "google",
    params: {
      ...summarize,
      ...prefer(["claude-3-5-sonnet-20241022"], [null, 0.2, 0.8]),
      maxTokens: 2_000,
    },
    expected: "google/gemini-3.8-flash",
    why: "The newest Flash, which Google calls its most intelligent.",
  },
  {
    from: "a code reviewer's server",
    credentials: "openai",
    params: { ...summarize, ...prefer(["claude-3-5-sonnet"], [null, null, 0.9]), maxTokens: 2_000 },
    expected: "openai/gpt-6-sol",
    why: "The newest of OpenAI's main line whose price is known.",
  },
  {
    from: "a document server's docs",
    credentials: "three",
    params: {
      ...summarize,
      ...prefer(["claude-sonnet-4-20250514"], [null, 0.3, 0.7]),
      maxTokens: 500,
    },
    expected: "anthropic/claude-sonnet-5-5",
    why: "The newest Sonnet.",
  },
  {
    from: "an SDK's example of a sampling tool",
    credentials: "three",
    params: { ...france, ...prefer(["claude-4.5-sonnet"], [null, 0.5, 0.8]), maxTokens: 100 },
    expected: "anthropic/claude-sonnet-4-5",
    why: "Another word order of a model that is served.",
  },
  {
    from: "an aggregator's spelling",
    credentials: "three",
    params: { ...summarize, ...prefer(["anthropic/claude-sonnet-4.5"]), maxTokens: 1_000 },
    expected: "anthropic/claude-sonnet-4-5",
    why: "A provider's prefix and a dot do not make another model.",
  },
  {
    from: "a display name",
    credentials: "three",
    params: { ...summarize, ...prefer(["Claude Sonnet 4.5"]), maxTokens: 1_000 },
    expected: "anthropic/claude-sonnet-4-5",
    why: "The name that people see.",
  },
  {
    from: "a cloud's spelling",
    credentials: "anthropic",
    params: {
      ...summarize,
      ...prefer(["us.anthropic.claude-3-5-sonnet-20241022-v2:0"]),
      maxTokens: 1_000,
    },
    expected: "anthropic/claude-sonnet-5-5",
    why: "The newest Sonnet.",
  },
  {
    from: "a summarizer's test",
    credentials: "three",
    params: { ...summarize, ...prefer(["sonnet", "gpt-4o"]), maxTokens: 1_500 },
    expected: "anthropic/claude-sonnet-5-5",
    why: "All Sonnets match, and nothing else is preferred: the newest.",
  },
  {
    from: "a summarizer's test",
    credentials: "openai",
    params: { ...summarize, ...prefer(["sonnet", "gpt-4o"]), maxTokens: 1_500 },
    expected: "openai/gpt-4o",
    why: "A later hint that matches comes before a stand-in for the first.",
  },
  {
    from: "a code analyser",
    credentials: "three",
    params: {
      ...summarize,
      ...prefer(["haiku", "claude-3-5-haiku"], [1, 0.8, 0.2]),
      maxTokens: 1_500,
    },
    expected: "anthropic/claude-haiku-4-5",
    why: "There is one Haiku left.",
  },
  {
    from: "a code analyser",
    credentials: "openai",
    params: {
      ...summarize,
      ...prefer(["haiku", "claude-3-5-haiku"], [1, 0.8, 0.2]),
      maxTokens: 1_500,
    },
    expected: "openai/gpt-6-luna",
    why: "OpenAI's quickest and cheapest, and able to answer without reasoning.",
  },
  {
    from: "a tutor's server",
    credentials: "google",
    params: { ...summarize, ...prefer(["claude-3-haiku"], [null, 0.8, 0.5]), maxTokens: 2_000 },
    expected: "google/gemini-3.1-flash-lite",
    why: "Fast, and of the class of Haiku today.",
  },
  {
    from: "a steward agent's settings",
    credentials: "anthropic",
    params: { ...france, ...prefer(["claude-haiku"], [null, 0.9, 0.2]), maxTokens: 400 },
    expected: "anthropic/claude-haiku-4-5",
    why: "The line is named without a generation.",
  },
  {
    from: "a query planner",
    credentials: "openai",
    params: {
      ...france,
      ...prefer(["claude-haiku-4-5", "gpt-5-mini", "claude-3-5-sonnet"], [null, null, 0.4]),
      maxTokens: 500,
    },
    expected: "openai/gpt-5-mini",
    why: "The second hint is served as it stands.",
  },
  {
    from: "a client's test",
    credentials: "three",
    params: { ...france, ...prefer(["claude", "gpt"], [0.2, 0.3, 0.9]), maxTokens: 50 },
    expected: "anthropic/claude-opus-4-8",
    why: "Any Claude, and intelligence above all.",
  },
  {
    from: "a client's test",
    credentials: "google",
    params: { ...france, ...prefer(["claude", "gpt"], [0.2, 0.3, 0.9]), maxTokens: 50 },
    expected: "google/gemini-3.8-flash",
    why: "The newest Flash, which Google calls its most intelligent.",
  },
  {
    from: "a test of a client",
    credentials: "anthropic",
    params: { ...france, ...prefer(["claude-3"], [0.5, 0.8, 0.7]), maxTokens: 100 },
    expected: "anthropic/claude-haiku-4-5",
    why: "Speed leads, and cost matters as well: the quick one of the series.",
  },
  {
    from: "a tutorial for FastMCP",
    credentials: "three",
    params: { ...france, ...prefer(["gpt-4o"], [null, 0.8, 0.2]), maxTokens: 1_000 },
    expected: "openai/gpt-4o",
    why: "The model itself, not its mini.",
  },
  {
    from: "a tutorial for FastMCP",
    credentials: "anthropic",
    params: { ...summarize, ...prefer(["gpt-4o"]), maxTokens: 2_000 },
    expected: "anthropic/claude-sonnet-5-5",
    why: "GPT's main line against Claude's.",
  },
  {
    from: "a gateway's test",
    credentials: "openai",
    params: { ...france, ...prefer(["gpt-4"]), maxTokens: 200 },
    expected: "openai/gpt-6-sol",
    why: "The newest of OpenAI's main line whose price is known.",
  },
  {
    from: "a gateway's test",
    credentials: "anthropic",
    params: { ...summarize, ...prefer(["gpt-4"]), maxTokens: 2_000 },
    expected: "anthropic/claude-sonnet-5-5",
    why: "Who wrote gpt-4 meant the main model, not the quality of 2023.",
  },
  {
    from: "written without a hyphen",
    credentials: "openai",
    params: { ...france, ...prefer(["GPT4 Turbo"]), maxTokens: 200 },
    expected: "openai/gpt-6-sol",
    why: "The newest of OpenAI's main line whose price is known.",
  },
  {
    from: "a fallback list",
    credentials: "openai",
    params: { ...summarize, ...prefer(["gpt-4-32k"], [null, null, 0.8]), maxTokens: 2_000 },
    expected: "openai/gpt-6-sol",
    why: "The newest of OpenAI's main line whose price is known.",
  },
  {
    from: "a test server on FastMCP",
    credentials: "three",
    params: { ...france, ...prefer(["gpt-5-nano"]), maxTokens: 500 },
    expected: "openai/gpt-5-nano",
    why: "Named exactly. It always reasons, and still it is what was asked for.",
  },
  {
    from: "an assistant's settings",
    credentials: "openai",
    params: { ...summarize, ...prefer(["gpt-5"]), maxTokens: 1_000 },
    expected: "openai/gpt-5",
    why: "The model itself, not its nano.",
  },
  {
    from: "an older tutorial",
    credentials: "openai",
    params: { ...france, ...prefer(["text-davinci-003"]), maxTokens: 256 },
    expected: "openai/gpt-5.4-mini",
    why: "Its replacements were GPT-3.5 and then the minis; the newest of those.",
  },
  {
    from: "an older tutorial",
    credentials: "anthropic",
    params: { ...france, ...prefer(["gpt-3.5-turbo"], [0.8]), maxTokens: 256 },
    expected: "anthropic/claude-haiku-4-5",
    why: "The small model of its time, so the small model of today.",
  },
  {
    from: "an older tutorial",
    credentials: "anthropic",
    params: { ...france, ...prefer(["claude-instant-1.2"]), maxTokens: 300 },
    expected: "anthropic/claude-haiku-4-5",
    why: "Haiku took Instant's place.",
  },
  {
    from: "a reasoning agent's settings",
    credentials: "openai",
    params: { ...summarize, ...prefer(["o1-mini"]), maxTokens: 4_000 },
    expected: "openai/gpt-5.4-mini",
    why: "The model was shut down on 23 October; the newest mini follows it.",
  },
  {
    from: "a vision server",
    credentials: "google",
    params: { ...summarize, ...prefer(["gemini-2.5-flash"]), maxTokens: 1_000 },
    expected: "google/gemini-2.5-flash",
    why: "The model itself, not Flash-Lite.",
  },
  {
    from: "a long-context server",
    credentials: "google",
    params: { ...summarize, ...prefer(["gemini-1.5-pro"]), maxTokens: 2_000 },
    expected: "google/gemini-2.5-pro",
    why: "Gone; the newest Pro that is no preview.",
  },
  {
    from: "a long-context server",
    credentials: "anthropic",
    params: { ...summarize, ...prefer(["gemini-1.5-pro"]), maxTokens: 2_000 },
    expected: "anthropic/claude-sonnet-5-5",
    why: "Google's large model against Anthropic's, at balanced wishes.",
  },
  {
    from: "a newer server",
    credentials: "google",
    params: { ...summarize, ...prefer(["gemini-3-flash"]), maxTokens: 2_000 },
    expected: "google/gemini-3-flash-preview",
    why: "A hint names the preview, so the preview is meant.",
  },
  {
    from: "a newer server",
    credentials: "google",
    params: { ...summarize, ...prefer(["gemini-3-pro-preview"]), maxTokens: 2_000 },
    expected: "google/gemini-3.1-pro-preview",
    why: "A preview that is gone is followed by the next preview; 2.5 Pro would be older.",
  },
  {
    from: "a cheap summarizer",
    credentials: "google",
    params: { ...summarize, ...prefer(["gemini-2.0-flash"], [0.8]), maxTokens: 2_000 },
    expected: "google/gemini-3.8-flash",
    why: "The newest Flash, which Google calls its most intelligent.",
  },
  {
    from: "a cheap summarizer",
    credentials: "anthropic",
    params: { ...summarize, ...prefer(["gemini-2.0-flash"], [0.8]), maxTokens: 2_000 },
    expected: "anthropic/claude-haiku-4-5",
    why: "Among the neighbours of today's Flash the cheapest.",
  },
  {
    from: "a local-first server",
    credentials: "groq",
    params: { ...summarize, ...prefer(["llama3.1:70b"]), maxTokens: 1_000 },
    expected: "groq/llama-3.3-70b-versatile",
    why: "Ollama's spelling of a line that is served here in the next generation.",
  },
  {
    from: "a local-first server",
    credentials: "deepseek",
    params: { ...summarize, ...prefer(["deepseek-r1"]), maxTokens: 4_000 },
    expected: "deepseek/deepseek-v4-flash",
    why: "DeepSeek serves both of its former names by this model.",
  },
  {
    from: "a server for X",
    credentials: "xai",
    params: { ...summarize, ...prefer(["grok-2"]), maxTokens: 1_000 },
    expected: "xai/grok-4.3",
    why: "4.3 came after 4.20: xAI counts in decimals.",
  },
  {
    from: "a European server",
    credentials: "mistral",
    params: { ...summarize, ...prefer(["mistral-large-2407"]), maxTokens: 1_000 },
    expected: "mistral/mistral-large-2512",
    why: "Another release of the same model.",
  },
  {
    from: "a deployment assistant that hints its own name",
    credentials: "three",
    params: {
      ...summarize,
      ...prefer(["azure-container-apps"], [0.3, 0.5, 0.85]),
      maxTokens: 8_192,
    },
    expected: "openai/gpt-6-sol",
    why: "The newest of OpenAI's main line whose price is known.",
  },
];

const alone: ExpertPick[] = [
  {
    from: "a lone priority of 1",
    credentials: "three",
    params: { ...france, ...prefer([], [1]), maxTokens: 2_000 },
    expected: "openai/gpt-5-nano",
    why: "The cheapest, whatever else.",
  },
  {
    from: "a lone priority of 1",
    credentials: "google",
    params: { ...france, ...prefer([], [1]), maxTokens: 10 },
    expected: "google/gemini-2.5-flash-lite",
    why: "The cheapest of Google's whose price is known.",
  },
  {
    from: "a lone priority of 1",
    credentials: "three",
    params: { ...france, ...prefer([], [null, 1]), maxTokens: 100 },
    expected: "openai/gpt-6-luna",
    why: "OpenAI's quickest and cheapest, and able to answer without reasoning.",
  },
  {
    from: "a lone priority of 1",
    credentials: "anthropic",
    params: { ...summarize, ...prefer([], [null, null, 1]), maxTokens: 2_000 },
    expected: "anthropic/claude-opus-4-8",
    why: "The best published results of Anthropic's top tier.",
    arguable: "Claude Fable 5 costs twice as much and has no published results in the data.",
  },
  {
    from: "a lone priority of 1",
    credentials: "all",
    params: { ...summarize, ...prefer([], [null, null, 1]), maxTokens: 4_000 },
    expected: "openai/gpt-6-astra",
    why: "OpenAI's most capable model, by its own words.",
  },
  {
    from: "a lone priority of 0.8",
    credentials: "three",
    params: { ...summarize, ...prefer([], [0.8]), maxTokens: 2_000 },
    expected: "openai/gpt-5-nano",
    why: "Four fifths of the weight on cost.",
  },
  {
    from: "a lone priority of 0.8",
    credentials: "openai",
    params: { ...summarize, ...prefer([], [null, null, 0.8]), maxTokens: 2_000 },
    expected: "openai/gpt-6-sol",
    why: "The newest of OpenAI's main line whose price is known.",
  },
  {
    from: "a lone priority of 0.5",
    credentials: "three",
    params: { ...summarize, ...prefer([], [null, null, 0.5]), maxTokens: 2_000 },
    expected: "openai/gpt-6-sol",
    why: "The newest of OpenAI's main line whose price is known.",
  },
  {
    from: "a lone priority of 0.5",
    credentials: "anthropic",
    params: { ...summarize, ...prefer([], [0.5]), maxTokens: 2_000 },
    expected: "anthropic/claude-haiku-4-5",
    why: "Cheap, and fast as well.",
  },
  {
    from: "a lone priority of 0.2",
    credentials: "anthropic",
    params: { ...summarize, ...prefer([], [null, 0.2]), maxTokens: 2_000 },
    expected: "anthropic/claude-sonnet-5",
    why: "Speed matters little; cost and intelligence share the rest.",
  },
  {
    from: "a lone priority of 0.2",
    credentials: "google",
    params: { ...summarize, ...prefer([], [0.2]), maxTokens: 2_000 },
    expected: "google/gemini-3.8-flash",
    why: "The newest Flash, which Google calls its most intelligent.",
  },
  {
    from: "a page builder's tools",
    credentials: "google",
    params: { ...summarize, ...prefer([], [null, 0.8, 0.7]), maxTokens: 2_000 },
    expected: "google/gemini-3.8-flash",
    why: "The newest Flash, which Google calls its most intelligent.",
  },
  {
    from: "a labeller, one word",
    credentials: "openai",
    params: { ...france, ...prefer([], [0.8, 0.8, 0.2]), maxTokens: 20, temperature: 0 },
    expected: "openai/gpt-6-luna",
    why: "OpenAI's quickest and cheapest, and able to answer without reasoning.",
  },
  {
    from: "nothing but a question",
    credentials: "anthropic",
    params: { ...france, maxTokens: 100 },
    expected: "anthropic/claude-sonnet-5-5",
    why: "The newest Sonnet.",
  },
  {
    from: "nothing but a question",
    credentials: "openai",
    params: { ...france, maxTokens: 100 },
    expected: "openai/gpt-5.6-terra",
    why: "GPT Terra is OpenAI's everyday line; the newest whose price is known.",
  },
];

const feasible: ExpertPick[] = [
  {
    from: "a screenshot reader",
    credentials: "three",
    params: { ...image, ...prefer(["claude-3-5-sonnet"]), maxTokens: 300 },
    expected: "anthropic/claude-sonnet-5-5",
    why: "The newest Sonnet.",
  },
  {
    from: "a screenshot reader",
    credentials: "openai",
    params: { ...image, ...prefer(["gpt-4-vision-preview"]), maxTokens: 300 },
    expected: "openai/gpt-6-sol",
    why: "The newest of OpenAI's main line whose price is known.",
  },
  {
    from: "a transcript server",
    credentials: "three",
    params: { ...audio, ...prefer(["gpt-4o"]), maxTokens: 1_000 },
    expected: "google/gemini-3.8-flash",
    why: "The newest Flash, which Google calls its most intelligent.",
  },
  {
    from: "a drawing tool",
    credentials: "openai",
    params: { ...text("A cat in a hat"), ...paint, ...prefer(["dall-e-3"]), maxTokens: 1_000 },
    expected: "openai/gpt-image-2.6-sunburst",
    why: "DALL·E's successor is the newest GPT Image.",
  },
  {
    from: "a drawing tool",
    credentials: "google",
    params: { ...text("A cat in a hat"), ...paint, maxTokens: 1_000 },
    expected: "google/gemini-3.1-flash-image",
    why: "Gemini 2.5 Flash Image was shut down on 2 October; its line's newest model.",
  },
  {
    from: "a reader aloud",
    credentials: "google",
    params: { ...text("Good morning."), ...speak, maxTokens: 1_000 },
    expected: "google/gemini-2.5-flash-preview-tts",
    why: "Only previews speak, so one is taken.",
  },
  {
    from: "an agent with tools",
    credentials: "openai",
    params: { ...summarize, tools: [tool], ...prefer(["gpt-3.5-turbo"]), maxTokens: 2_000 },
    expected: "openai/gpt-5.4-mini",
    why: "The model was shut down on 23 October; the newest mini follows it.",
  },
  {
    from: "an agent with tools",
    credentials: "three",
    params: { ...summarize, tools: [tool], ...prefer([], [null, null, 0.8]), maxTokens: 2_000 },
    expected: "openai/gpt-6-sol",
    why: "The newest of OpenAI's main line whose price is known.",
  },
  {
    from: "a log analyser",
    credentials: "openai",
    params: { ...long(300_000), ...prefer(["gpt-4o"]), maxTokens: 2_000 },
    expected: "openai/gpt-4.1",
    why: "300,000 tokens do not fit GPT-4o; the nearest generation of its line has the room.",
  },
  {
    from: "a log analyser",
    credentials: "anthropic",
    params: { ...long(300_000), ...prefer(["claude-sonnet-4-5"]), maxTokens: 2_000 },
    expected: "anthropic/claude-sonnet-4-6",
    why: "The nearest Sonnet with a window of a million.",
  },
  {
    from: "a log analyser",
    credentials: "anthropic",
    params: { ...long(300_000), ...prefer([], [0.9]), maxTokens: 2_000 },
    expected: "anthropic/claude-sonnet-5",
    why: "Haiku's window is too small; the cheapest of the rest.",
  },
  {
    from: "a book writer",
    credentials: "anthropic",
    params: { ...summarize, ...prefer(["claude-haiku"], [0.7]), maxTokens: 100_000 },
    expected: "anthropic/claude-haiku-4-5",
    why: "Haiku was asked for. It writes 64,000 tokens at most, and a client may get fewer than it asked for.",
  },
];

export const expertPicks: readonly ExpertPick[] = [...hinted, ...alone, ...feasible];
