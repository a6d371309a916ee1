/** One request for one image. */
import type {
  ImageModelV4,
  ImageModelV4CallOptions,
  ImageModelV4File,
  ImageModelV4Result,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ProviderFault } from "../domain/attempts.ts";
import { estimateInputTokens } from "../domain/sampling/estimate.ts";
import { tokenFamilyOf } from "../domain/tokens/tokenizers.ts";
import { own } from "../domain/json.ts";
import type { ProviderAnswer, ProviderRequest } from "../domain/sampling/providers.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { Block, SamplingCall } from "../domain/sampling/call.ts";
import { imageTokensOf } from "../domain/models/cost.ts";
import { type MediaUsage, type Usage } from "../domain/usage.ts";
import { briefingOf, settingsLeftOut, type Briefing } from "./briefing.ts";
import { emptyAnswer, faultContext, faultOf, malformedAnswer, notSent } from "./faults.ts";
import { reportMessage } from "./message.ts";
import { checkedBlocks, mediaBlockOf } from "./media.ts";
import { mergeOptions, optionsFromMetadata } from "./metadata.ts";
import { countedTokens } from "./usage.ts";
import { notesOfWarnings } from "./warnings.ts";

type Generated = Pick<ImageModelV4Result, "images" | "warnings" | "usage" | "providerMetadata">;

/** The used part of a library's model. */
export interface ImageModel {
  supportsFileInputs?: ImageModelV4["supportsFileInputs"] | undefined;
  doGenerate(asked: ImageModelV4CallOptions): PromiseLike<Generated>;
}

export interface ServedImage {
  model: ImageModel;
  /** of the library's own options */
  namespace: string;
  providerOptions?: SharedV4ProviderOptions;
  /** without an error */
  dropsInputImages?: true;
}

/** Prepends system prompt and earlier turns, since the endpoint takes one text. */
function promptOf(call: SamplingCall, { text, earlier }: Briefing): string {
  const parts = [call.systemPrompt?.trim() ?? ""];
  if (earlier.length > 0) parts.push(["The conversation so far:", ...earlier].join("\n"));
  return [...parts, text].filter((part) => part !== "").join("\n\n");
}

async function filesOf(
  { images }: Briefing,
  { model }: ProviderRequest,
  served: ServedImage,
): Promise<ImageModelV4File[] | null> {
  if (images.length === 0) return [];
  // The library knows some models, the catalogue the others.
  const refused = served.dropsInputImages || (await served.model.supportsFileInputs) === false;
  if (refused || !model.inputModalities.includes("image")) return null;
  return images.map(({ data, mimeType }) => ({
    type: "file",
    data,
    mediaType: mediaBlockOf(data)?.mimeType ?? mimeType,
  }));
}

const isSize = (value: unknown): value is `${number}x${number}` =>
  typeof value === "string" && /^\d{2,4}x\d{2,4}$/.test(value);

function imageInputTokensOf({ providerMetadata }: Generated): number {
  let tokens = 0;
  for (const metadata of Object.values(providerMetadata ?? {}))
    for (const image of metadata.images) tokens += Number(own(image, "imageTokens") ?? 0);
  return countedTokens(tokens) ?? 0;
}

function usageOf(generated: Generated, request: ProviderRequest, images: number): Usage {
  const input = countedTokens(generated.usage?.inputTokens);
  const output = countedTokens(generated.usage?.outputTokens);
  const counted = input !== null && input > 0 && output !== null && output > 0;
  const outputTokens = counted ? output : images * imageTokensOf(request.model);
  const imageInputTokens = imageInputTokensOf(generated);
  const media: MediaUsage = {
    images,
    imageOutputTokens: outputTokens,
    ...(imageInputTokens > 0 ? { imageInputTokens } : {}),
  };
  return {
    inputTokens: counted ? input : estimateInputTokens(request.call, tokenFamilyOf(request.model)),
    outputTokens,
    estimated: !counted,
    media,
  };
}

function answerOf(
  generated: Generated,
  request: ProviderRequest,
  notes: string[],
): Result<ProviderAnswer, ProviderFault> {
  const blocks: Block[] = [];
  const counted = usageOf(generated, request, generated.images.length);
  // A useless answer is still billed.
  const spent = { usage: counted.estimated ? null : counted };
  for (const image of generated.images) {
    if (image.length === 0) continue;
    const block = mediaBlockOf(image);
    if (block?.type !== "image") return err({ ...malformedAnswer(), ...spent });
    blocks.push(block);
  }
  if (blocks.length === 0) return err({ ...emptyAnswer(), ...spent });
  const checked = checkedBlocks(blocks, request.call);
  if (!checked.ok) return err({ ...checked.error, ...spent });
  return ok({
    content: checked.value,
    stopReason: "endTurn",
    providerStopReason: null,
    usage: usageOf(generated, request, blocks.length),
    notes,
  });
}

/** Never throws. */
export async function generateImage(
  request: ProviderRequest,
  served: ServedImage,
  now: () => number,
): Promise<Result<ProviderAnswer, ProviderFault>> {
  const { call, credential, signal } = request;
  try {
    const briefing = briefingOf(call);
    const files = await filesOf(briefing, request, served);
    if (briefing.text === "" || files === null) return err(notSent());
    const passed = optionsFromMetadata(call.metadata, credential.provider, "image");
    const { size, ...options } = passed.options ?? {};
    const notes = [...settingsLeftOut(call), ...passed.notes];
    if (briefing.earlier.length > 0) notes.push("earlier turns put into the prompt");
    if (call.systemPrompt?.trim()) notes.push("systemPrompt put into the prompt");
    const generated = await served.model.doGenerate({
      prompt: promptOf(call, briefing),
      n: 1,
      size: isSize(size) ? size : undefined,
      aspectRatio: undefined,
      seed: undefined,
      files: files.length === 0 ? undefined : files,
      mask: undefined,
      providerOptions: mergeOptions(served.namespace, options, served.providerOptions) ?? {},
      abortSignal: signal,
    });
    return answerOf(generated, request, [...notes, ...notesOfWarnings(generated.warnings, notes)]);
  } catch (thrown) {
    reportMessage(thrown, request);
    return err(faultOf(thrown, faultContext(request, now())));
  }
}
