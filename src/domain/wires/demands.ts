/** What a call demands of a wire and no conversion can replace, and why a wire that lacks it excludes a model. */
import { imageFacts } from "../media-format.ts";
import type { ExclusionReason, ImageDemands, WireDemands } from "../requirements.ts";
import type { Model } from "../models/model.ts";
import { blocksOf, type Message, type SamplingCall } from "../sampling/call.ts";
import { rulesOf, takesPrefill, wireOf, wires, type WireRules } from "./rules.ts";

const smallestToolLimit = Math.min(...wires.map((wire) => rulesOf[wire].maxTools));

const hasContent = ({ content }: Message): boolean =>
  content.some((block) => block.type !== "text" || block.text.trim() !== "");

function imageDemandsOf(call: Pick<SamplingCall, "messages">): ImageDemands | undefined {
  let images: ImageDemands | undefined;
  for (const block of blocksOf(call)) {
    if (block.type !== "image") continue;
    const { format, bytes, sides } = imageFacts(block);
    images ??= {
      count: 0,
      formats: [],
      fewestBytes: bytes,
      maxBytes: 0,
      totalBytes: 0,
      longestSide: 0,
      maxPixels: 0,
    };
    images.count += 1;
    if (!images.formats.includes(format)) images.formats.push(format);
    images.fewestBytes = Math.min(images.fewestBytes, bytes);
    images.maxBytes = Math.max(images.maxBytes, bytes);
    images.totalBytes += bytes;
    if (sides === null) continue;
    images.longestSide = Math.max(images.longestSide, sides.width, sides.height);
    images.maxPixels = Math.max(images.maxPixels, sides.width * sides.height);
  }
  return images;
}

export function demandsOf(
  call: Pick<SamplingCall, "messages" | "tools" | "schema" | "singleToolUse">,
): WireDemands | undefined {
  const demands: WireDemands = {};
  // Blank assistant messages at the end are dropped on every wire.
  const last = call.messages.findLast((message) => message.role === "user" || hasContent(message));
  if (last?.role === "assistant") demands.prefill = true;
  const tools = new Set(call.tools.map(({ name }) => name)).size;
  if (tools > smallestToolLimit) demands.tools = tools;
  const images = imageDemandsOf(call);
  if (images !== undefined) demands.images = images;
  if (call.schema !== undefined) demands.schema = tools > 0 ? "beside_tools" : "alone";
  if (call.singleToolUse === true && tools > 0) demands.singleToolUse = true;
  return Object.keys(demands).length === 0 ? undefined : demands;
}

function imageMisfitOf(
  images: ImageDemands,
  { rules, contextTokens }: { rules: WireRules; contextTokens: number | null },
): ExclusionReason | null {
  if (images.formats.some((format) => !rules.imageFormats.includes(format))) return "image_format";
  if (images.count > rules.maxImages(contextTokens)) return "image_count";
  const side = images.count > rules.manyImages ? rules.sideOfMany : rules.imageSide;
  const isTooLarge =
    images.maxBytes > rules.imageBytes ||
    images.totalBytes > rules.imagesBytes ||
    images.longestSide > side ||
    images.maxPixels > rules.imagePixels;
  return images.fewestBytes === 0 || isTooLarge ? "image_size" : null;
}

const takesSchema = (
  { answerSchemas }: WireRules,
  demanded: NonNullable<WireDemands["schema"]>,
): boolean =>
  answerSchemas === "always" || (answerSchemas === "without_tools" && demanded === "alone");

export function misfitOf(
  model: Pick<Model, "provider" | "id" | "like" | "name" | "family" | "prefill" | "contextTokens">,
  { prefill, tools = 0, images, schema, singleToolUse }: WireDemands,
): ExclusionReason | null {
  const rules = rulesOf[wireOf(model)];
  if (tools > rules.maxTools) return "tool_count";
  const { contextTokens } = model;
  const misfit = images === undefined ? null : imageMisfitOf(images, { rules, contextTokens });
  if (misfit !== null) return misfit;
  if (schema !== undefined && !takesSchema(rules, schema)) return "response_schema";
  if (singleToolUse === true && !rules.singleToolUse) return "parallel_tools";
  return prefill === true && !takesPrefill(model) ? "prefill" : null;
}
