/**
 * What each wire takes, by its provider's documentation. Two endpoints that share code don't share rules, so
 * each has a row of its own; `compatible` is any other endpoint that speaks OpenAI's Chat Completions.
 */
import { parseModel } from "../models/lines.ts";
import type { Model } from "../models/model.ts";

export const wires = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "google",
  "mistral",
  "groq",
  "deepseek",
  "moonshot",
  "compatible",
  "workers-ai",
] as const;
export type Wire = (typeof wires)[number];

export interface WireRules {
  /** names of tools; an alias has at most `toolNameLength` characters */
  toolName: RegExp;
  toolNameLength: number;
  mostTools: number;
  /** ids of tool uses in the history; an id in their place has `toolIdLength` characters */
  toolId: RegExp;
  toolIdLength: number;
  /** names of a schema's properties */
  propertyName: RegExp;
  /** `loose`: whatever JSON Schema allows. `plain`: an object with `properties` at the root, no union beside it */
  schemaRoot: "loose" | "plain";
  /** `plain`: nothing stands beside a reference, and circles lead through what is not required */
  references: "loose" | "plain";
  /** values of `format` in schemas; null: whatever comes */
  formats: readonly string[] | null;
  /** text that is empty or blank; `blank`: both are taken, `filled`: neither is, `full`: no empty text is */
  text: "blank" | "full" | "filled";
  /** whether a failed tool result may have no content */
  emptyErrors: boolean;
  /** stop sequences, as `text` */
  stops: "blank" | "full" | "filled";
  mostStops: number;
  /** whether the assistant may speak first */
  assistantFirst: boolean;
  /** whether two messages of one role may stand together */
  sameRoleTwice: boolean;
  /** whether a user message may follow a tool's result */
  userAfterTool: boolean;
  /** whether the last message may be the assistant's, for a model of which nothing else is known */
  prefill: boolean;
  imageFormats: readonly string[];
  /** bytes of one image, before base64 */
  imageBytes: number;
  /** bytes of all images of a call together, before base64 */
  imagesBytes: number;
  mostImages: (contextTokens: number | null) => number;
  /** pixels of an image's longer side */
  imageSide: number;
  /** more images than `manyImages` have at most `sideOfMany` pixels a side */
  manyImages: number;
  sideOfMany: number;
  /** width by height */
  imagePixels: number;
  mostTemperature: number;
  /** whether the provider refuses a tool use that its own model wrote wrong, which the model may not do again */
  refusesOwnToolUse: boolean;
  /** whether models may think aloud in the text itself, before the answer */
  thinksAloud: boolean;
}

const mebibyte = 1024 * 1024;
const unbounded = Number.POSITIVE_INFINITY;
const anything = /^/;
const openaiName = /^[a-zA-Z0-9_-]{1,64}$/;
const commonImages = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

const openai: WireRules = {
  toolName: openaiName,
  toolNameLength: 64,
  mostTools: 128,
  toolId: /^.{1,40}$/su,
  toolIdLength: 24,
  propertyName: anything,
  schemaRoot: "plain",
  references: "loose",
  formats: null,
  text: "blank",
  emptyErrors: true,
  stops: "full",
  mostStops: 4,
  assistantFirst: true,
  sameRoleTwice: true,
  userAfterTool: true,
  prefill: true,
  imageFormats: commonImages,
  imageBytes: unbounded,
  imagesBytes: unbounded,
  mostImages: () => 1_500,
  imageSide: unbounded,
  manyImages: unbounded,
  sideOfMany: unbounded,
  imagePixels: unbounded,
  mostTemperature: 2,
  refusesOwnToolUse: false,
  thinksAloud: false,
};

/** Servers behind OpenAI's wire differ, so nothing is sent that a documented one refuses. */
const compatible: WireRules = {
  ...openai,
  mostTools: unbounded,
  mostStops: unbounded,
  assistantFirst: false,
  sameRoleTwice: false,
  imageBytes: 15 * mebibyte,
  mostImages: () => unbounded,
  thinksAloud: true,
};

export const rulesOf: Readonly<Record<Wire, WireRules>> = {
  "openai-chat": openai,
  "openai-responses": { ...openai, toolId: /^.{1,64}$/su },
  anthropic: {
    ...openai,
    toolName: /^[a-zA-Z0-9_-]{1,128}$/,
    toolNameLength: 128,
    mostTools: unbounded,
    toolId: /^[a-zA-Z0-9_-]+$/,
    propertyName: /^[a-zA-Z0-9_.-]{1,64}$/,
    text: "filled",
    emptyErrors: false,
    stops: "filled",
    mostStops: unbounded,
    assistantFirst: false,
    imageBytes: 7.5 * mebibyte,
    mostImages: (contextTokens) => ((contextTokens ?? 0) > 200_000 ? 600 : 100),
    imageSide: 8_000,
    manyImages: 20,
    sideOfMany: 2_000,
    mostTemperature: 1,
  },
  google: {
    ...openai,
    toolName: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
    mostTools: 512,
    toolId: anything,
    schemaRoot: "loose",
    references: "plain",
    formats: ["enum", "date-time", "float", "double", "int32", "int64"],
    text: "full",
    mostStops: 5,
    assistantFirst: false,
    sameRoleTwice: false,
    imageFormats: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"],
    imagesBytes: 75 * mebibyte,
    mostImages: () => 3_600,
  },
  mistral: {
    ...compatible,
    toolId: /^[a-zA-Z0-9]{9}$/,
    toolIdLength: 9,
    text: "full",
    sameRoleTwice: true,
    userAfterTool: false,
    prefill: false,
    imageBytes: 10 * mebibyte,
    mostImages: () => 8,
    mostTemperature: 1.5,
  },
  groq: {
    ...compatible,
    mostTools: 128,
    mostStops: 4,
    assistantFirst: true,
    sameRoleTwice: true,
    imagesBytes: 3 * mebibyte,
    mostImages: () => 5,
    imagePixels: 33_177_600,
    refusesOwnToolUse: true,
  },
  deepseek: {
    ...compatible,
    mostTools: 128,
    mostStops: 16,
    imageBytes: 32 * mebibyte,
    mostImages: () => 600,
  },
  moonshot: {
    ...compatible,
    toolName: /^[a-zA-Z_][a-zA-Z0-9_-]{2,63}$/,
    mostTools: 128,
    mostStops: 5,
    text: "filled",
    mostTemperature: 1,
  },
  compatible,
  "workers-ai": compatible,
};

/**
 * Whether a model is one of OpenAI's that reason, under another name: it takes `max_completion_tokens` in place of
 * `max_tokens`, and no stop sequences.
 */
export const reasonsLikeOpenai = ({
  like,
  reasoning,
}: Pick<Model, "like" | "reasoning">): boolean => reasoning && like?.startsWith("openai/") === true;

/** Models that the Chat Completions API doesn't serve. */
const needsResponses = /(-pro|-codex|deep-research)/;

const wireByProvider: ReadonlyMap<string, Wire> = new Map([
  ...(
    ["anthropic", "google", "mistral", "groq", "deepseek", "moonshot", "workers-ai"] as const
  ).map((wire) => [wire, wire] as const),
  ["moonshotai", "moonshot"],
]);

/** The wire on which a model is asked. */
export const wireOf = ({
  provider,
  id,
  like = id,
}: Pick<Model, "provider" | "id" | "like">): Wire =>
  provider === "openai"
    ? needsResponses.test(like)
      ? "openai-responses"
      : "openai-chat"
    : (wireByProvider.get(provider) ?? "compatible");

/** What accepts the same requests. Compatible endpoints share an API and not its rules, so each is a wire of its own. */
export function wireAt(model: Pick<Model, "provider" | "id" | "like">, endpoint: string): string {
  const wire = wireOf(model);
  return wire === "compatible" ? endpoint : wire;
}

/** Source: https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6 */
const firstClaudeWithoutPrefill = 4.6;

/** Whether a model goes on with a text that the assistant began: as the catalogue says, else by its wire and series. */
export function takesPrefill(
  model: Pick<Model, "provider" | "id" | "like" | "name" | "family" | "prefill">,
): boolean {
  if (model.prefill !== undefined) return model.prefill;
  const { series, generation } = parseModel(model) ?? {};
  const isNewClaude = series === "claude" && (generation ?? 0) >= firstClaudeWithoutPrefill;
  return rulesOf[wireOf(model)].prefill && !isNewClaude;
}
