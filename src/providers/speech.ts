/** Reads the last user message aloud, in one request. */
import type {
  SpeechModelV4,
  SpeechModelV4CallOptions,
  SpeechModelV4Result,
} from "@ai-sdk/provider";
import type { ProviderFault } from "../domain/attempts.ts";
import { tokensOfText } from "../domain/sampling/estimate.ts";
import { own, type JsonObject } from "../domain/json.ts";
import type { ProviderAnswer, ProviderRequest } from "../domain/sampling/providers.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { AudioBlock } from "../domain/sampling/call.ts";
import { charactersPerSecond, tokensPerAudioSecond } from "../domain/models/cost.ts";
import { type Usage } from "../domain/usage.ts";
import { briefingOf, settingsLeftOut } from "./briefing.ts";
import { emptyAnswer, faultContext, faultOf, malformedAnswer, notSent } from "./faults.ts";
import { reportMessage } from "./message.ts";
import { checkedBlocks, mediaBlockOf, secondsOf } from "./media.ts";
import { optionsFromMetadata } from "./metadata.ts";
import { countedTokens } from "./usage.ts";
import { notesOfWarnings } from "./warnings.ts";

export interface ServedSpeech {
  model: SpeechModelV4;
  /** other models read instructions aloud or reject them */
  takesInstructions: boolean;
  /** defaults to the library's */
  outputFormat?: string;
}

/** Containers, so that the type can be detected. */
const formats = new Set(["mp3", "wav", "flac", "aac", "opus"]);

type Asked = Pick<SpeechModelV4CallOptions, "voice" | "outputFormat" | "speed">;

/** Drops options of the wrong type; the provider validates values. */
function askedOf(options: JsonObject | null, served: ServedSpeech): Asked {
  const { voice, speed } = options ?? {};
  const format = options?.["outputFormat"];
  const outputFormat =
    typeof format === "string" && formats.has(format) ? format : served.outputFormat;
  return {
    ...(typeof voice === "string" ? { voice } : {}),
    ...(typeof speed === "number" ? { speed } : {}),
    ...(outputFormat === undefined ? {} : { outputFormat }),
  };
}

/** Google reports tokens; OpenAI returns only bytes. */
function usageOf(generated: SpeechModelV4Result, spoken: string, audio: AudioBlock): Usage {
  const tokens = (name: string): number | null => {
    const count = own(generated.usage, name);
    return countedTokens(typeof count === "number" ? count : undefined);
  };
  const input = tokens("promptTokenCount");
  const output = tokens("candidatesTokenCount");
  const characters = [...spoken].length;
  const audioSeconds = secondsOf(audio) ?? characters / charactersPerSecond;
  const media = { audioSeconds, characters };
  if (input !== null && input > 0 && output !== null && output > 0)
    return { inputTokens: input, outputTokens: output, estimated: false, media };
  return {
    inputTokens: tokensOfText(spoken),
    outputTokens: Math.ceil(audioSeconds * tokensPerAudioSecond),
    estimated: true,
    media,
  };
}

/** Never throws. */
export async function generateSpeech(
  request: ProviderRequest,
  served: ServedSpeech,
  now: () => number,
): Promise<Result<ProviderAnswer, ProviderFault>> {
  const { call, credential, signal } = request;
  try {
    const { text, earlier } = briefingOf(call);
    if (text === "") return err(notSent());
    const passed = optionsFromMetadata(call.metadata, credential.provider, "speech");
    const notes = [...settingsLeftOut(call), ...passed.notes];
    if (earlier.length > 0)
      notes.push("messages before the last left out: this model reads the last one");
    const systemPrompt = call.systemPrompt?.trim() ?? "";
    const instructions = served.takesInstructions ? systemPrompt : "";
    if (systemPrompt !== instructions)
      notes.push("systemPrompt left out: this model does not take it");
    const generated = await served.model.doGenerate({
      text,
      ...askedOf(passed.options, served),
      ...(instructions === "" ? {} : { instructions }),
      abortSignal: signal,
    });
    if (generated.audio.length === 0) return err(emptyAnswer());
    const audio = mediaBlockOf(generated.audio);
    if (audio?.type !== "audio") return err(malformedAnswer());
    const checked = checkedBlocks([audio], call);
    if (!checked.ok) return checked;
    return ok({
      content: checked.value,
      stopReason: "endTurn",
      providerStopReason: null,
      usage: usageOf(generated, `${instructions}${text}`, audio),
      notes: [...notes, ...notesOfWarnings(generated.warnings, notes)],
    });
  } catch (thrown) {
    reportMessage(thrown, request);
    return err(faultOf(thrown, faultContext(request, now())));
  }
}
