/**
 * The loop's model owns signatures and caches. The origin is caller data, so it only reorders feasible
 * candidates.
 */
import { isObject, own } from "../json.ts";
import type { Block, SamplingCall, ToolUseBlock } from "./call.ts";

/** `_meta` member of a tool use for provider data, for example Gemini's thought signature. */
export const providerMetadataKey = "sampling-router/providerMetadata";

/** `_meta` member of a tool use for its model and credential. */
export const originKey = "sampling-router/origin";

export interface ToolLoop {
  provider: string;
  model: string;
  credentialId: string;
}

const longestName = 200;

const nameIn = (origin: unknown, key: keyof ToolLoop): string | null => {
  const name = own(origin, key);
  return typeof name === "string" && name.length <= longestName ? name : null;
};

export function originOf(block: ToolUseBlock): ToolLoop | null {
  const origin = own(block._meta, originKey);
  if (!isObject(origin)) return null;
  const [provider, model] = [nameIn(origin, "provider"), nameIn(origin, "model")];
  const credentialId = nameIn(origin, "credentialId");
  return provider === null || model === null || credentialId === null
    ? null
    : { provider, model, credentialId };
}

export const withOrigin = (content: readonly Block[], origin: ToolLoop): Block[] =>
  content.map((block) =>
    block.type === "tool_use"
      ? { ...block, _meta: { ...block._meta, [originKey]: { ...origin } } }
      : block,
  );

export function toolLoopOf({ messages }: Pick<SamplingCall, "messages">): ToolLoop | null {
  const answers = messages.at(-1)?.content.some(({ type }) => type === "tool_result") ?? false;
  if (!answers) return null;
  const turn = messages.findLast(({ content }) => content.some(({ type }) => type === "tool_use"));
  for (const block of turn?.content ?? []) {
    const origin = block.type === "tool_use" ? originOf(block) : null;
    if (origin !== null) return origin;
  }
  return null;
}

export const credentialsLedBy = (ids: readonly string[], first: string): string[] =>
  ids.includes(first) ? [first, ...ids.filter((id) => id !== first)] : [...ids];
