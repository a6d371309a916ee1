/** Images and audio that a provider sent: their real type, size and length. */
import type { ProviderFault } from "../domain/attempts.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { AudioBlock, Block, ImageBlock, SamplingCall } from "../domain/sampling/call.ts";
import {
  bytesOfBase64,
  headLength,
  sizeOfBase64,
  sniff,
  startsWith,
} from "../domain/media-format.ts";
import { emptyAnswer, tooLargeAnswer } from "./faults.ts";

/**
 * Bytes of all images and audio of one answer. That much is 11 MB as base64, and four copies exist at
 * once: the provider's body, its parsed form, our answer, and the sealed copy for a repetition. An
 * isolate has 128 MB for everything. It is enough for seven minutes of MP3, three of WAV, any image of
 * 1536 by 1024.
 */
export const maxMediaBytes = 8 * 1024 * 1024;

/** `String.fromCharCode` takes its arguments on the stack, where a whole image would not fit. */
const chunk = 8_192;

export function base64Of(data: string | Uint8Array): string {
  if (typeof data === "string") return data;
  let binary = "";
  for (let at = 0; at < data.length; at += chunk)
    binary += String.fromCharCode(...data.subarray(at, at + chunk));
  return btoa(binary);
}

/**
 * A block with the MIME type that the bytes themselves say; null: they say none, or the text is no
 * base64.
 */
export function mediaBlockOf(data: string | Uint8Array): ImageBlock | AudioBlock | null {
  const base64 = base64Of(data);
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  const mimeType = sniff(bytesOfBase64(base64.slice(0, headLength)));
  if (mimeType === null) return null;
  return { type: mimeType.startsWith("image/") ? "image" : "audio", data: base64, mimeType };
}

/** Raw samples (16 bits, one channel) inside a WAV container, so that they can be played. */
export function wavOf(samples: Uint8Array, sampleRate: number): Uint8Array {
  const wav = new Uint8Array(44 + samples.length);
  const view = new DataView(wav.buffer);
  const text = (at: number, word: string): void => wav.set(new TextEncoder().encode(word), at);
  text(0, "RIFF");
  view.setUint32(4, 36 + samples.length, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, samples.length, true);
  wav.set(samples, 44);
  return wav;
}

/** Gemini's rate where the type names none. */
const usualSampleRate = 24_000;

/**
 * `mediaBlockOf` for a MIME type that says that the data is raw samples: `audio/L16;rate=24000`.
 */
export function containedOf(data: string | Uint8Array, mimeType: string): string | Uint8Array {
  if (!/^audio\/(l16|pcm)(;|$)/i.test(mimeType)) return data;
  const rate = Number(/rate=(\d{4,6})/.exec(mimeType)?.[1] ?? usualSampleRate);
  try {
    return wavOf(typeof data === "string" ? bytesOfBase64(data) : data, rate);
  } catch {
    return data;
  }
}

/**
 * kbit/s of MPEG 1 and of MPEG 2, layer III, by the index in the frame's header; 0: the header does not
 * say.
 */
const mp3Rates: readonly (readonly number[])[] = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

/** Bytes of the ID3 tag in front of the frames. Its length has seven bits a byte. */
function id3Length(bytes: Uint8Array): number {
  if (!startsWith(bytes, "ID3")) return 0;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, 10);
  return 10 + ((a << 21) | (b << 14) | (c << 7) | d);
}

/** Seconds of a WAV by its header, of an MP3 by its first frame; null for others. */
export function secondsOf({ data, mimeType }: AudioBlock): number | null {
  if (mimeType !== "audio/wav" && mimeType !== "audio/mpeg") return null;
  const bytes = bytesOfBase64(data);
  const view = new DataView(bytes.buffer);
  if (mimeType === "audio/wav") {
    const perSecond = bytes.length < 44 ? 0 : view.getUint32(28, true);
    // Where the file was written as a stream, the length in the header is 0 or all ones.
    return perSecond === 0 ? null : Math.max(0, bytes.length - 44) / perSecond;
  }
  const at = id3Length(bytes);
  if (bytes.length < at + 4 || bytes[at] !== 0xff) return null;
  const version = ((bytes[at + 1] ?? 0) & 0x18) >> 3;
  const rate = mp3Rates[version === 3 ? 0 : 1]?.[(bytes[at + 2] ?? 0) >> 4] ?? 0;
  return rate === 0 ? null : ((bytes.length - at) * 8) / (rate * 1_000);
}

/**
 * The blocks of an answer that holds what was asked for, in a size that can be carried. A model that
 * was asked for an image and only wrote about it has not answered; a model that wants a tool run first
 * has not finished.
 */
export function checkedBlocks(
  blocks: Block[],
  { outputModalities }: Pick<SamplingCall, "outputModalities">,
): Result<Block[], ProviderFault> {
  let bytes = 0;
  for (const block of blocks)
    if (block.type === "image" || block.type === "audio") bytes += sizeOfBase64(block.data);
  if (bytes > maxMediaBytes) return err(tooLargeAnswer("media"));
  if (blocks.some(({ type }) => type === "tool_use")) return ok(blocks);
  const missing = outputModalities.some(
    (wanted) => wanted !== "text" && !blocks.some(({ type }) => type === wanted),
  );
  return missing ? err(emptyAnswer()) : ok(blocks);
}
