/**
 * Retired names that authors still use, by recalled deprecation pages; an error only affects the best match of
 * a hint.
 */
import { parseName, type ParsedName } from "./lines.ts";
import { equalTo, indexOf, kindOf, readHint, type Kind } from "./model-index.ts";
import type { Model } from "./model.ts";
import { bareName, foldName } from "./plain-name.ts";

export interface GoneModel {
  provider: string;
  id: string;
  folded: string;
  parsed: ParsedName;
  kind: Kind;
}

const plainNames: Readonly<Record<string, string>> = {
  anthropic: "claude-3-5-haiku",
  openai:
    "gpt-4-32k gpt-4-32k-0613 gpt-4-32k-0314 gpt-4-0314 gpt-4-1106-preview gpt-4-0125-preview " +
    "gpt-4-turbo-preview gpt-4.5-preview gpt-4.5 o1-preview",
  google:
    "gemini-1.0-pro gemini-pro gemini-1.5-pro gemini-1.5-flash gemini-2.0-pro-exp " +
    "gemini-2.0-flash-exp gemini-2.0-flash-thinking-exp",
  xai: "grok-beta grok-1 grok-2 grok-2-1212 grok-3 grok-3-fast grok-4 grok-4-0709 grok-4-fast",
  mistral:
    "mistral-large-2402 mistral-large-2407 mistral-large-2411 mistral-small-2409 " +
    "codestral-2405",
  groq: "llama3-70b-8192 llama3-8b-8192 llama2-70b-4096 llama-3.1-70b-versatile",
};

/** Names that don't reveal their line, with the line of the provider's replacement. */
const renamed: readonly (readonly [provider: string, names: string, line: string])[] = [
  ["anthropic", "claude-instant claude-instant-1 claude-instant-1.2", "claude-haiku-1"],
  ["anthropic", "claude-1 claude-v1 claude-1.3", "claude-sonnet-1"],
  ["anthropic", "claude-2 claude-v2 claude-2.0 claude-2.1", "claude-sonnet-2"],
  ["openai", "gpt-4-vision-preview gpt-4-vision", "gpt-4"],
  [
    "openai",
    "gpt-3 text-davinci-003 text-davinci-002 davinci-002 davinci code-davinci-002",
    "gpt-3",
  ],
  ["openai", "text-curie-001 text-babbage-001 babbage-002 text-ada-001", "gpt-nano-3"],
  ["openai", "o1-mini o3-mini o4-mini", "gpt-mini-4"],
  ["openai", "dall-e-2 dall-e-3", "gpt-image-0"],
  [
    "openai",
    "stable-diffusion stable-diffusion-xl sdxl stable-diffusion-3 stable-diffusion-3.5 flux flux-schnell flux-dev midjourney",
    "gpt-image-0",
  ],
  ["openai", "gpt-4o-audio-preview gpt-4o-realtime-preview computer-use-preview", "gpt-4o"],
  ["openai", "gpt-4o-mini-audio-preview gpt-4o-mini-realtime-preview", "gpt-4o-mini"],
  ["openai", "codex-mini-latest", "gpt-codex-mini-4"],
  [
    "google",
    "text-bison text-bison-001 chat-bison code-bison codechat-bison text-unicorn palm-2 gemini-ultra gemini-pro-vision",
    "gemini-pro-1",
  ],
  [
    "google",
    "gemini-2.0-flash-preview-image-generation imagen imagen-3 imagen-4 imagen-3.0-generate-001 imagen-3.0-generate-002 " +
      "imagen-3.0-fast-generate-001 imagen-4.0-generate-001 imagen-4.0-fast-generate-001 imagen-4.0-ultra-generate-001",
    "gemini-flash-image-2",
  ],
  ["xai", "grok-2-vision grok-2-vision-1212 grok-vision-beta", "grok-2"],
  ["google", "gemini-1.5-flash-8b", "gemini-flash-lite-1.5"],
  ["google", "gemini-exp-1206", "gemini-pro-2"],
  ["google", "gemma-3-27b-it gemma-2-27b-it", "gemma-31b-3"],
  ["xai", "grok-2-mini grok-3-mini grok-3-mini-fast", "grok-3"],
  ["xai", "grok-code-fast-1", "grok-build-0"],
  ["mistral", "pixtral-large-2411 pixtral-large", "mistral-large-1"],
  [
    "mistral",
    "mistral-tiny open-mistral-7b open-mixtral-8x7b open-mixtral-8x22b mixtral mixtral-8x7b mixtral-8x22b mistral-7b-instruct",
    "mistral-small-1",
  ],
  ["mistral", "pixtral-12b pixtral", "mistral-small-1"],
  [
    "deepseek",
    "deepseek-v3 deepseek-v3.1 deepseek-v3.2 deepseek-r1 deepseek-coder",
    "deepseek-flash-3",
  ],
  ["groq", "mixtral-8x7b-32768 deepseek-r1-distill-llama-70b", "llama-3-70b"],
  ["cohere", "command-light command-nightly command-xlarge", "command-r"],
];

const kindOfLine = (line: string): Kind => {
  if (/-(image|imagine)(-|$)/.test(line)) return "image";
  return /(^|-)tts(-|$)/.test(line) ? "audio" : "text";
};

const goneOf = (provider: string, id: string, line: string): GoneModel[] => {
  const parsed = parseName(line);
  if (parsed === null) return [];
  const folded = bareName(foldName(id));
  return [{ provider, id, folded, parsed, kind: kindOfLine(parsed.line) }];
};

export const goneModels: readonly GoneModel[] = [
  ...Object.entries(plainNames).flatMap(([provider, names]) =>
    names.split(" ").flatMap((id) => goneOf(provider, id, id)),
  ),
  ...renamed.flatMap(([provider, names, line]) =>
    names.split(" ").flatMap((id) => goneOf(provider, id, line)),
  ),
];

const byName = new Map(goneModels.map((gone) => [gone.folded, gone]));

export const retiredModelNamed = (folded: string): GoneModel | null =>
  byName.get(bareName(folded)) ?? null;

const otherTrades: ReadonlySet<string> = new Set(
  (
    "whisper whisper-1 whisper-large-v3 gpt-4o-transcribe gpt-4o-mini-transcribe text-embedding-3-small " +
    "text-embedding-3-large text-embedding-ada-002 text-embedding-004 gemini-embedding-001 embed-english-v3.0 " +
    "embed-multilingual-v3.0 voyage-3 rerank-v3.5 text-moderation-latest omni-moderation-latest sora sora-2 veo-2 veo-3"
  )
    .split(" ")
    .map(foldName),
);

export function hasNoSuccessor(hint: string, kind: Kind, models: readonly Model[]): boolean {
  const read = readHint(hint);
  if (read === null) return false;
  const folded = bareName(read.folded);
  if (otherTrades.has(folded)) return true;
  const gone = retiredModelNamed(folded);
  if (gone !== null) return gone.kind !== kind;
  const named = equalTo(indexOf(models), { folded }).flatMap((at) => models[at] ?? []);
  const isGone = named.length > 0 && named.every(({ status }) => status === "retired");
  return isGone && named.every((model) => kindOf(model) !== kind);
}
