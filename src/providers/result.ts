/** Converts a language model's result to the answer of a sampling call. */
import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
} from "@ai-sdk/provider";
import type { ProviderFault } from "../domain/attempts.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Modality } from "../domain/modality.ts";
import type { ProviderAnswer } from "../domain/sampling/providers.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { Block, SamplingCall, StopReason } from "../domain/sampling/call.ts";
import { toolInputOf } from "../domain/sampling/tool-input.ts";
import { providerMetadataKey } from "../domain/sampling/tool-loop.ts";
import { emptyAnswer, malformedAnswer } from "./faults.ts";
import { checkedBlocks, containedOf, mediaBlockOf } from "./media.ts";
import { reportedUsage, usageOf } from "./usage.ts";

export type Generated = Pick<
  LanguageModelV4GenerateResult,
  "content" | "finishReason" | "usage"
> & {
  /** for figures that some libraries omit */
  response?: { body?: unknown } | undefined;
};

/** `null` if the protocol has no such block, `undefined` if unreadable. */
function blockOf(
  part: LanguageModelV4Content,
  wanted: readonly Modality[],
): Block | null | undefined {
  if (part.type === "text") return part.text === "" ? null : { type: "text", text: part.text };
  if (part.type === "tool-call") {
    // Already executed by the provider.
    if (part.providerExecuted) return null;
    const input = toolInputOf(part.input);
    if (input === null) return undefined;
    const use: Block = { type: "tool_use", id: part.toolCallId, name: part.toolName, input };
    if (part.providerMetadata !== undefined)
      use._meta = { [providerMetadataKey]: part.providerMetadata as JsonObject };
    return use;
  }
  if (part.type !== "file" || part.data.type !== "data") return null;
  // The protocol has no block for other files.
  const kind = /^(image|audio)\//.exec(part.mediaType)?.[1];
  if (kind === undefined) return null;
  const block = mediaBlockOf(containedOf(part.data.data, part.mediaType));
  // A broken part that wasn't requested is ignored.
  return block ?? (wanted.some((modality) => modality === kind) ? undefined : null);
}

function blocksOfParts(
  parts: readonly LanguageModelV4Content[],
  wanted: readonly Modality[],
): Block[] | null {
  const blocks: Block[] = [];
  for (const part of parts) {
    const block = blockOf(part, wanted);
    if (block === undefined) return null;
    if (block === null) continue;
    const last = blocks.at(-1);
    if (block.type === "text" && last?.type === "text")
      blocks[blocks.length - 1] = { type: "text", text: last.text + block.text };
    else blocks.push(block);
  }
  return blocks;
}

const sharedIdNote = "tool uses of the answer shared an id: the later ones got ids of their own";

/**
 * Makes tool-use ids unique, with a note: a history with duplicates would be rejected. The library invents
 * missing ids.
 */
function withOwnIds(blocks: readonly Block[]): { blocks: Block[]; notes: string[] } {
  const taken = new Set(blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])));
  /** next suffix per id */
  const numbers = new Map<string, number>();
  const notes = new Set<string>();
  const owned = blocks.map((block): Block => {
    if (block.type !== "tool_use") return block;
    let number = numbers.get(block.id);
    if (number !== undefined) while (taken.has(`${block.id}_${number}`)) number += 1;
    numbers.set(block.id, (number ?? 1) + 1);
    if (number === undefined) return block;
    const id = `${block.id}_${number}`;
    taken.add(id);
    notes.add(sharedIdNote);
    return { ...block, id };
  });
  return { blocks: owned, notes: [...notes] };
}

/** The protocol's stop reason, or the provider's own. */
export function stopReasonOf(
  { unified, raw }: LanguageModelV4FinishReason,
  blocks: readonly Block[],
): StopReason {
  // Some servers send other words; a tool use expects a reply.
  if (unified === "other" && raw === "") return stopReasonOf({ unified: "stop", raw }, blocks);
  if (unified === "stop" || unified === "other")
    if (blocks.some(({ type }) => type === "tool_use")) return "toolUse";
  switch (unified) {
    case "stop":
      return raw === "stop_sequence" ? "stopSequence" : "endTurn";
    case "length":
      return "maxTokens";
    case "tool-calls":
      return "toolUse";
    case "content-filter":
      // OpenAI reports a refusal with an ordinary stop reason.
      return raw === undefined || raw === "stop" ? "contentFilter" : raw;
    case "error":
    case "interrupted":
    case "other":
      return raw ?? unified;
  }
}

const maxStopReasonCharacters = 200;

const isBlank = (block: Block): boolean => block.type === "text" && block.text.trim() === "";

/** A fault if the success is empty or unreadable. */
export function answerOf(
  generated: Generated,
  call: SamplingCall,
  notes: readonly string[],
): Result<ProviderAnswer, ProviderFault> {
  const read = blocksOfParts(generated.content, call.outputModalities);
  // A useless answer is still billed.
  const spent = { usage: reportedUsage(generated) };
  if (read === null) return err({ ...malformedAnswer(), ...spent });
  const { blocks, notes: idNotes } = withOwnIds(read);
  const { unified } = generated.finishReason;
  // Bounds the provider's text.
  const raw = generated.finishReason.raw?.slice(0, maxStopReasonCharacters);
  const stopReason = stopReasonOf({ unified, raw }, blocks);
  const isCut = unified === "length";
  if (blocks.length === 0 && !isCut) return err({ ...emptyAnswer(), ...spent });
  // All tokens went into reasoning, and are charged; another model may need fewer.
  if (blocks.every(isBlank) && isCut)
    return err({ ...emptyAnswer(), reach: "model", usage: usageOf(generated, call, blocks) });
  const checked = checkedBlocks(blocks, call);
  if (!checked.ok) return err({ ...checked.error, usage: usageOf(generated, call, blocks) });
  return ok({
    content: checked.value,
    stopReason,
    providerStopReason: raw || null,
    usage: usageOf(generated, call, blocks),
    notes: [...notes, ...idNotes],
  });
}
