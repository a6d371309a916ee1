/** Rules by wire; sources are in a fixture of the unit tests. `compatible`: every other Chat Completions endpoint. */
import { apiOf } from "../models/clouds.ts";
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
  /** tool names; aliases have at most `toolNameLength` characters */
  toolName: RegExp;
  toolNameLength: number;
  maxTools: number;
  /** tool use ids; generated ids have `toolIdLength` characters */
  toolId: RegExp;
  toolIdLength: number;
  propertyName: RegExp;
  /** `plain`: an object with `properties` at the root, without unions */
  schemaRoot: "loose" | "plain";
  /** `plain`: no siblings of references, and cycles only through optional properties */
  references: "loose" | "plain";
  /** allowed `format` values; null: no restriction */
  formats: readonly string[] | null;
  /** `blank`: empty and blank text allowed; `full`: no empty text; `filled`: neither */
  text: "blank" | "full" | "filled";
  /** failed tool results without content */
  emptyErrors: boolean;
  /** stop sequences, like `text` */
  stops: "blank" | "full" | "filled";
  maxStops: number;
  assistantFirst: boolean;
  sameRoleTwice: boolean;
  /** a user message after a tool result */
  userAfterTool: boolean;
  prefill: boolean;
  answerSchemas: "always" | "without_tools" | "never";
  singleToolUse: boolean;
  imageFormats: readonly string[];
  /** per image, bytes before base64 */
  imageBytes: number;
  /** of all images together, bytes before base64 */
  imagesBytes: number;
  maxImages: (contextTokens: number | null) => number;
  imageSide: number;
  /** above this number of images, each side is limited to `sideOfMany` pixels */
  manyImages: number;
  sideOfMany: number;
  imagePixels: number;
  maxTemperature: number;
  /** the provider rejects malformed tool uses of its own model, which a retry may avoid */
  refusesOwnToolUse: boolean;
  /** models may write reasoning into the text */
  mixesThoughts: boolean;
}

const mebibyte = 1024 * 1024;
const unbounded = Number.POSITIVE_INFINITY;
const anything = /^/;
const openaiName = /^[a-zA-Z0-9_-]{1,64}$/;
const commonImages = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

const openai: WireRules = {
  toolName: openaiName,
  toolNameLength: 64,
  maxTools: 128,
  toolId: /^.{1,40}$/su,
  toolIdLength: 24,
  propertyName: anything,
  schemaRoot: "plain",
  references: "loose",
  formats: null,
  text: "blank",
  emptyErrors: true,
  stops: "full",
  maxStops: 4,
  assistantFirst: true,
  sameRoleTwice: true,
  userAfterTool: true,
  prefill: true,
  answerSchemas: "always",
  singleToolUse: true,
  imageFormats: commonImages,
  imageBytes: unbounded,
  imagesBytes: unbounded,
  maxImages: () => 1_500,
  imageSide: unbounded,
  manyImages: unbounded,
  sideOfMany: unbounded,
  imagePixels: unbounded,
  maxTemperature: 2,
  refusesOwnToolUse: false,
  mixesThoughts: false,
};

/** The strictest servers' message order and features; no counts, which a server rejects itself. */
const compatible: WireRules = {
  ...openai,
  answerSchemas: "never",
  singleToolUse: false,
  maxTools: unbounded,
  maxStops: unbounded,
  assistantFirst: false,
  sameRoleTwice: false,
  imageBytes: 15 * mebibyte,
  maxImages: () => unbounded,
  mixesThoughts: true,
};

export const rulesOf: Readonly<Record<Wire, WireRules>> = {
  "openai-chat": openai,
  "openai-responses": { ...openai, toolId: /^.{1,64}$/su },
  anthropic: {
    ...openai,
    toolName: /^[a-zA-Z0-9_-]{1,128}$/,
    toolNameLength: 128,
    maxTools: unbounded,
    toolId: /^[a-zA-Z0-9_-]+$/,
    propertyName: /^[a-zA-Z0-9_.-]{1,64}$/,
    text: "filled",
    emptyErrors: false,
    stops: "filled",
    maxStops: unbounded,
    assistantFirst: false,
    imageBytes: 7.5 * mebibyte,
    maxImages: (contextTokens) => ((contextTokens ?? 0) > 200_000 ? 600 : 100),
    imageSide: 8_000,
    manyImages: 20,
    sideOfMany: 2_000,
    maxTemperature: 1,
  },
  google: {
    ...openai,
    toolName: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
    maxTools: 512,
    toolId: anything,
    schemaRoot: "loose",
    answerSchemas: "without_tools",
    singleToolUse: false,
    references: "plain",
    formats: ["enum", "date-time", "float", "double", "int32", "int64"],
    text: "full",
    maxStops: 5,
    assistantFirst: false,
    sameRoleTwice: false,
    imageFormats: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"],
    imagesBytes: 75 * mebibyte,
    maxImages: () => 3_600,
  },
  mistral: {
    ...compatible,
    answerSchemas: "always",
    singleToolUse: true,
    toolId: /^[a-zA-Z0-9]{9}$/,
    toolIdLength: 9,
    text: "full",
    sameRoleTwice: true,
    userAfterTool: false,
    prefill: false,
    imageBytes: 10 * mebibyte,
    maxImages: () => 8,
    maxTemperature: 1.5,
  },
  groq: {
    ...compatible,
    maxTools: 128,
    maxStops: 4,
    assistantFirst: true,
    sameRoleTwice: true,
    imagesBytes: 3 * mebibyte,
    maxImages: () => 5,
    imagePixels: 33_177_600,
    refusesOwnToolUse: true,
  },
  deepseek: {
    ...compatible,
    maxTools: 128,
    maxStops: 16,
    imageBytes: 32 * mebibyte,
    maxImages: () => 600,
  },
  moonshot: {
    ...compatible,
    toolName: /^[a-zA-Z_][a-zA-Z0-9_-]{2,63}$/,
    maxTools: 128,
    maxStops: 5,
    text: "filled",
    maxTemperature: 1,
  },
  compatible,
  "workers-ai": compatible,
};

/** OpenAI reasoning models under another name: `max_completion_tokens`, and no stop sequences. */
export const reasonsLikeOpenai = ({
  like,
  reasoning,
}: Pick<Model, "like" | "reasoning">): boolean => reasoning && like?.startsWith("openai/") === true;

/** Models that Chat Completions does not serve. */
const needsResponses = /(-pro|-codex|deep-research)/;

const wireByProvider: ReadonlyMap<string, Wire> = new Map([
  ...(
    ["anthropic", "google", "mistral", "groq", "deepseek", "moonshot", "workers-ai"] as const
  ).map((wire) => [wire, wire] as const),
  ["moonshotai", "moonshot"],
]);

export function wireOf(model: Pick<Model, "provider" | "id" | "like">): Wire {
  const api = apiOf(model);
  if (api !== "openai") return wireByProvider.get(api) ?? "compatible";
  // Bedrock serves OpenAI's own models by no other API.
  const isResponses = model.provider === "bedrock" || needsResponses.test(model.like ?? model.id);
  return isResponses ? "openai-responses" : "openai-chat";
}

/** Each compatible endpoint may reject different requests, so each counts as a wire of its own. */
export function wireAt(model: Pick<Model, "provider" | "id" | "like">, endpoint: string): string {
  const wire = wireOf(model);
  return wire === "compatible" ? endpoint : wire;
}

/** Source: https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6 */
const firstClaudeWithoutPrefill = 4.6;

/** From the catalogue, otherwise by wire and series. */
export function takesPrefill(
  model: Pick<Model, "provider" | "id" | "like" | "name" | "family" | "prefill">,
): boolean {
  if (model.prefill !== undefined) return model.prefill;
  const { series, generation } = parseModel(model) ?? {};
  const isNewClaude = series === "claude" && (generation ?? 0) >= firstClaudeWithoutPrefill;
  return rulesOf[wireOf(model)].prefill && !isNewClaude;
}
