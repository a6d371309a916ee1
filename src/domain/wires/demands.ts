/** What a call demands of a wire that no other form of the call can spare it, and which wires that excludes. */
import { imageFacts } from "../media-format.ts";
import type { ExclusionReason, WireDemands } from "../requirements.ts";
import type { Model } from "../models/model.ts";
import { blocksOf, type Message, type SamplingCall } from "../sampling/call.ts";
import { rulesOf, takesPrefill, wireOf, wires } from "./rules.ts";

const fewestTools = Math.min(...wires.map((wire) => rulesOf[wire].mostTools));

const hasWord = ({ content }: Message): boolean =>
  content.some((block) => block.type !== "text" || block.text.trim() !== "");

/** undefined: nothing that some wire would refuse. */
export function demandsOf(call: Pick<SamplingCall, "messages" | "tools">): WireDemands | undefined {
  const demands: WireDemands = {};
  // An empty turn of the assistant at the end is left out on every wire.
  const last = call.messages.findLast((message) => message.role === "user" || hasWord(message));
  if (last?.role === "assistant") demands.prefill = true;
  const tools = new Set(call.tools.map(({ name }) => name)).size;
  if (tools > fewestTools) demands.tools = tools;
  for (const block of blocksOf(call)) {
    if (block.type !== "image") continue;
    const { format, bytes, longerSide } = imageFacts(block);
    const images = (demands.images ??= { formats: [], mostBytes: 0, fewestBytes: bytes });
    if (!images.formats.includes(format)) images.formats.push(format);
    images.mostBytes = Math.max(images.mostBytes, bytes);
    images.fewestBytes = Math.min(images.fewestBytes, bytes);
    if (longerSide !== null) images.longestSide = Math.max(images.longestSide ?? 0, longerSide);
  }
  return Object.keys(demands).length === 0 ? undefined : demands;
}

/** Why a model's wire can't take the call in any form; null: it can. */
export function misfitOf(
  model: Pick<Model, "provider" | "id" | "name" | "family">,
  { prefill, tools = 0, images }: WireDemands,
): ExclusionReason | null {
  const rules = rulesOf[wireOf(model)];
  if (tools > rules.mostTools) return "tool_count";
  if (images !== undefined) {
    if (images.formats.some((format) => !rules.imageFormats.includes(format)))
      return "image_format";
    if (images.fewestBytes === 0 || images.mostBytes > rules.imageBytes) return "image_size";
    if ((images.longestSide ?? 0) > rules.imageSide) return "image_size";
  }
  return prefill === true && !takesPrefill(model) ? "prefill" : null;
}
