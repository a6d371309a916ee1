/**
 * Keys that the router's decisions depend on, and how parsers confuse them: first or last of duplicates;
 * case-insensitive in Go, .NET, and Java, with Unicode folding in Go (`ſ` for s); `result_type` for
 * `resultType` in the Python SDK; C ends a text at NUL.
 */
import { contentNegotiationKey } from "../../domain/sampling/negotiation.ts";
import { metaKey } from "../meta-key.ts";

export interface Rule {
  /** for refusals */
  label: string;
  /** decisive names, with a bit each */
  names: ReadonlyMap<string, number>;
  /** all keys must be unique, not only `names` */
  isUnique: boolean;
  /** rules for members' values; `null` if ignored */
  inside: Readonly<Record<string, RuleName | null>>;
  otherwise: RuleName | null;
  /** decisive names by their loose form */
  loose: ReadonlyMap<string, string>;
}

/** Members with foreign data, which are not inspected. */
const foreign = Object.fromEntries(
  [
    "_meta",
    "arguments",
    "content",
    "input",
    "inputSchema",
    "outputSchema",
    "requestedSchema",
    "schema",
    "structuredContent",
  ].map((name) => [name, null]),
);
const carried = { _meta: "meta", capabilities: "capabilities" } as const;
const rounds = { inputRequests: "requests", inputResponses: "responses" } as const;
const roundNames = ["inputRequests", "inputResponses", "requestState", "resultType"];
const bodyNames = ["name", "_meta", "capabilities", "protocolVersion", ...roundNames];
export const paramsNames = [
  ...bodyNames,
  "arguments",
  "clientInfo",
  "notifications",
  "requestId",
  "taskId",
  "uri",
];
export const resultNames = bodyNames;
export const answerNames = ["role", "content", "model"];

/** Members that affect choice, limits, price, or refusals. */
const modelRequestNames = [
  "model",
  "anthropic_version",
  "anthropic_beta",
  "messages",
  "input",
  "instructions",
  "system",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "n",
  "tools",
  "mcp_servers",
  "web_search_options",
  "background",
  "fallbacks",
  "service_tier",
  "speed",
  "inference_geo",
  "store",
  "previous_response_id",
  "conversation",
  "prompt",
  "thinking",
];

interface Row {
  label: string;
  names?: readonly string[];
  all?: "unique";
  inside?: Readonly<Record<string, string | null>>;
  otherwise?: string;
}
const request = "the sampling request";
const capabilities = "the capabilities";
const answer = "the answer to a sampling request";
const rows = {
  message: {
    label: "the message",
    names: ["jsonrpc", "id", "method", "params", "result", "error"],
  },
  modelRequest: {
    label: "the request",
    names: modelRequestNames,
  },
  params: {
    label: "params",
    names: paramsNames,
    inside: { ...carried, ...rounds, notifications: "filter" },
  },
  filter: { label: "notifications", names: ["taskIds"] },
  result: { label: "result", names: resultNames, inside: { ...carried, ...rounds } },
  /** a client's result, possibly an answer to sampling */
  clientResult: {
    label: answer,
    names: [...resultNames, ...answerNames, "stopReason"],
    all: "unique",
    inside: { ...foreign, ...carried, ...rounds },
    otherwise: "unique",
  },
  meta: {
    label: "_meta",
    names: ["protocolVersion", "clientCapabilities", "clientInfo"].map(metaKey),
    inside: { [metaKey("clientCapabilities")]: "capabilities" },
  },
  capabilities: {
    label: capabilities,
    names: ["elicitation", "experimental", "extensions", "roots", "sampling", "tasks"],
    all: "unique",
    inside: { sampling: "samplingCapability", tasks: "tasks", extensions: "extensions" },
  },
  samplingCapability: {
    label: capabilities,
    names: ["context", "supportedModalities", "tools"],
    all: "unique",
  },
  tasks: {
    label: capabilities,
    names: ["cancel", "list", "requests"],
    all: "unique",
    inside: { requests: "taskRequests" },
  },
  taskRequests: {
    label: capabilities,
    names: ["elicitation", "sampling", "tools"],
    all: "unique",
    inside: { sampling: "taskSampling" },
  },
  taskSampling: { label: capabilities, names: ["createMessage"], all: "unique" },
  extensions: {
    label: capabilities,
    names: [metaKey("tasks"), contentNegotiationKey],
    all: "unique",
    inside: { [contentNegotiationKey]: "negotiation" },
  },
  negotiation: { label: capabilities, names: ["features", "version"], all: "unique" },
  requests: { label: "inputRequests", all: "unique", otherwise: "entry" },
  entry: { label: "an entry of inputRequests", names: ["method", "params"] },
  responses: { label: "inputResponses", all: "unique", otherwise: "answer" },
  answer: {
    label: answer,
    names: [...answerNames, "stopReason", "_meta"],
    all: "unique",
    inside: foreign,
    otherwise: "unique",
  },
  sampling: {
    label: request,
    names: [
      ...paramsNames,
      "includeContext",
      "maxTokens",
      "messages",
      "metadata",
      "modelPreferences",
      "stopSequences",
      "systemPrompt",
      "task",
      "temperature",
      "toolChoice",
      "tools",
    ],
    all: "unique",
    inside: {
      ...foreign,
      ...carried,
      ...rounds,
      messages: "turn",
      modelPreferences: "preferences",
      toolChoice: "choice",
      tools: "tool",
    },
    otherwise: "unique",
  },
  turn: {
    label: request,
    names: ["role", "content"],
    all: "unique",
    inside: foreign,
    otherwise: "unique",
  },
  preferences: {
    label: request,
    names: ["costPriority", "hints", "intelligencePriority", "speedPriority"],
    all: "unique",
    inside: { hints: "hint" },
    otherwise: "unique",
  },
  hint: { label: request, names: ["name"], all: "unique", otherwise: "unique" },
  choice: { label: request, names: ["mode"], all: "unique", otherwise: "unique" },
  tool: {
    label: request,
    names: ["annotations", "description", "inputSchema", "name", "outputSchema", "title"],
    all: "unique",
    inside: foreign,
    otherwise: "unique",
  },
  unique: { label: request, all: "unique", inside: foreign, otherwise: "unique" },
} as const satisfies Record<string, Row>;

export type RuleName = keyof typeof rows;

const isAscii = (key: string): boolean => /^[\x20-\x7e]*$/.test(key);

/** Upper case first, so that all letters of a folding orbit agree: ſ, K, ı, İ. */
export const caseFolded = (key: string): string =>
  isAscii(key)
    ? key.toLowerCase()
    : key.toUpperCase().toLowerCase().replaceAll("i\u0307", "i").normalize("NFC");

const unread = /[\p{Cc}\p{Cf}\p{Cs}\ufffd]/gu;
const separators = /(?<=[^_-])[_-]/g;
/** Without separators and invisible characters. */
const looselyRead = (key: string): string =>
  caseFolded(isAscii(key) ? key : key.replaceAll(unread, "")).replaceAll(separators, "");

/** The decisive name that a parser may read instead of this key. */
export function lookalike({ loose }: Rule, key: string): string | undefined {
  const end = key.indexOf("\0");
  const cut = end === -1 ? undefined : loose.get(looselyRead(key.slice(0, end)));
  return cut ?? loose.get(looselyRead(key));
}

export const rules = Object.fromEntries(
  Object.entries<Row>(rows).map(([name, { label, names = [], all, inside = {}, otherwise }]) => [
    name,
    {
      label,
      names: new Map(names.map((each, at) => [each, 2 ** at])),
      isUnique: all === "unique",
      inside,
      otherwise: otherwise ?? null,
      loose: new Map(names.map((each) => [looselyRead(each), each])),
    },
  ]),
) as unknown as Record<RuleName, Rule>;
