import { sidesOf, type Sides } from "./image-sides.ts";

export const bytesOfBase64 = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

export const sizeOfBase64 = (text: string): number =>
  (text.length / 4) * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);

/** Bytes, enough for every signature below. A multiple of four, to cut base64. */
export const headLength = 64;

export const startsWith = (bytes: Uint8Array, text: string, from = 0): boolean =>
  [...text].every((character, at) => bytes[from + at] === character.charCodeAt(0));

export function sniff(bytes: Uint8Array): string | null {
  if (startsWith(bytes, "\u0089PNG\r\n\u001a\n")) return "image/png";
  if (startsWith(bytes, "\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a")) return "image/gif";
  if (startsWith(bytes, "RIFF")) {
    if (startsWith(bytes, "WEBP", 8)) return "image/webp";
    return startsWith(bytes, "WAVE", 8) ? "audio/wav" : null;
  }
  if (startsWith(bytes, "OggS")) return "audio/ogg";
  if (startsWith(bytes, "fLaC")) return "audio/flac";
  if (startsWith(bytes, "ID3")) return "audio/mpeg";
  const [first, second = 0] = bytes;
  // A frame's sync word, then its layer: 01 is MP3's third; AAC's ADTS has 00, which MPEG reserves.
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return null;
  if ((second & 0xf6) === 0xf0) return "audio/aac";
  return (second & 0x06) === 0x02 ? "audio/mpeg" : null;
}

const brands: Readonly<Record<string, string>> = {
  avif: "image/avif",
  avis: "image/avif",
  heic: "image/heic",
  heix: "image/heic",
  mif1: "image/heif",
};

function sniffRare(bytes: Uint8Array): string | null {
  if (startsWith(bytes, "BM")) return "image/bmp";
  if (startsWith(bytes, "II*\0") || startsWith(bytes, "MM\0*")) return "image/tiff";
  const head = String.fromCharCode(...bytes);
  if (head.slice(4, 8) === "ftyp") return brands[head.slice(8, 12)] ?? null;
  return /^[\s\u00bb\u00bf\u00ef]*<(svg|\?xml)/i.test(head) ? "image/svg+xml" : null;
}

export interface ImageFacts {
  /** sniffed MIME type, otherwise the declared one, in lower case */
  format: string;
  bytes: number;
  sides: Sides | null;
}

export const bareType = (label: string): string =>
  (label.split(";", 1)[0] ?? label).trim().toLowerCase();

function headOf(base64: string): Uint8Array {
  try {
    return bytesOfBase64(base64.slice(0, headLength));
  } catch {
    return new Uint8Array();
  }
}

export function imageFacts({ data, mimeType }: { data: string; mimeType: string }): ImageFacts {
  const head = headOf(data);
  const sniffed = sniff(head) ?? sniffRare(head);
  const label = bareType(mimeType);
  return {
    format: sniffed ?? (label === "image/jpg" ? "image/jpeg" : label),
    bytes: sizeOfBase64(data),
    sides: sniffed === null ? null : sidesOf(data, sniffed),
  };
}
