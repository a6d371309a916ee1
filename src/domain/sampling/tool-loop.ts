/**
 * Which model and credential began a tool loop. The caller keeps the history, so the origin travels in the tool
 * uses of an answer and comes back with them. Staying with the origin keeps signatures and prompt caches, which
 * belong to its account. By then the origin is the caller's data, so it may only order what is feasible for
 * this tenant anyway.
 */
import { isObject, own } from "../json.ts";
import type { Block, SamplingCall, ToolUseBlock } from "./call.ts";

/**
 * The member of a tool use's `_meta` for what its provider wants back in the next turn, such as Gemini's
 * thought signature. The caller keeps the history, so it travels there and back.
 */
export const providerMetadataKey = "sampling-router/providerMetadata";

/** The member of a tool use's `_meta` that names the model and credential that made it. */
export const originKey = "sampling-router/origin";

export interface ToolLoop {
  provider: string;
  model: string;
  credentialId: string;
}

/** A longer name is none that the router wrote. */
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

/** An answer's blocks, with the origin in each tool use. */
export const withOrigin = (content: readonly Block[], origin: ToolLoop): Block[] =>
  content.map((block) =>
    block.type === "tool_use"
      ? { ...block, _meta: { ...block._meta, [originKey]: { ...origin } } }
      : block,
  );

/** The origin of the tool uses that this call answers; null: no loop is under way, or no origin came back. */
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

/** The credentials, with the one that began the loop first. */
export const credentialsLedBy = (ids: readonly string[], first: string): string[] =>
  ids.includes(first) ? [first, ...ids.filter((id) => id !== first)] : [...ids];
