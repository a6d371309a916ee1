/** Type, size, and length of media from providers. */
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
 * Bytes of an answer's media: 11 MB as base64, held four times (body, parsed, answer, sealed copy) in an
 * isolate of 128 MB. Enough for seven minutes of MP3, three of WAV, or any 1536 × 1024 image.
 */
export const maxMediaBytes = 8 * 1024 * 1024;

/** `String.fromCharCode` takes arguments on the stack. */
const chunk = 8_192;

export function base64Of(data: string | Uint8Array): string {
  if (typeof data === "string") return data;
  let binary = "";
  for (let at = 0; at < data.length; at += chunk)
    binary += String.fromCharCode(...data.subarray(at, at + chunk));
  return btoa(binary);
}

/** With the type detected from the bytes; `null` if unknown or invalid base64. */
export function mediaBlockOf(data: string | Uint8Array): ImageBlock | AudioBlock | null {
  const base64 = base64Of(data);
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  const mimeType = sniff(bytesOfBase64(base64.slice(0, headLength)));
  if (mimeType === null) return null;
  return { type: mimeType.startsWith("image/") ? "image" : "audio", data: base64, mimeType };
}

/** 16-bit mono samples in a WAV container. */
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

/** Gemini's default. */
const usualSampleRate = 24_000;

/** Also accepts raw samples, as in `audio/L16;rate=24000`. */
export function containedOf(data: string | Uint8Array, mimeType: string): string | Uint8Array {
  if (!/^audio\/(l16|pcm)(;|$)/i.test(mimeType)) return data;
  const rate = Number(/rate=(\d{4,6})/.exec(mimeType)?.[1] ?? usualSampleRate);
  try {
    return wavOf(typeof data === "string" ? bytesOfBase64(data) : data, rate);
  } catch {
    return data;
  }
}

/** kbit/s of MPEG 1 and 2, layer III, by header index; 0 if undefined. */
const mp3Rates: readonly (readonly number[])[] = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

/** The length of an ID3 tag has seven bits per byte. */
function id3Length(bytes: Uint8Array): number {
  if (!startsWith(bytes, "ID3")) return 0;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, 10);
  return 10 + ((a << 21) | (b << 14) | (c << 7) | d);
}

/** From a WAV's header or an MP3's first frame; `null` for others. */
export function secondsOf({ data, mimeType }: AudioBlock): number | null {
  if (mimeType !== "audio/wav" && mimeType !== "audio/mpeg") return null;
  const bytes = bytesOfBase64(data);
  const view = new DataView(bytes.buffer);
  if (mimeType === "audio/wav") {
    const perSecond = bytes.length < 44 ? 0 : view.getUint32(28, true);
    // Streamed files have a length of 0 or all ones.
    return perSecond === 0 ? null : Math.max(0, bytes.length - 44) / perSecond;
  }
  const at = id3Length(bytes);
  if (bytes.length < at + 4 || bytes[at] !== 0xff) return null;
  const version = ((bytes[at + 1] ?? 0) & 0x18) >> 3;
  const rate = mp3Rates[version === 3 ? 0 : 1]?.[(bytes[at + 2] ?? 0) >> 4] ?? 0;
  return rate === 0 ? null : ((bytes.length - at) * 8) / (rate * 1_000);
}

/**
 * Faults if requested media is missing or too large. Text about an image isn't an answer; a tool use is not
 * finished.
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
