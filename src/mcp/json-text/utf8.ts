/** Strict UTF-8 (RFC 3629): parsers differ in how they replace invalid bytes. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Short texts are decoded without the slower runtime decoder. */
export function textOf(raw: Uint8Array<ArrayBuffer>): string {
  if (raw.length > 64) return decoder.decode(raw);
  let wide = 0;
  for (let i = 0; i < raw.length; i += 1) wide |= raw[i] as number;
  return wide > 127 ? decoder.decode(raw) : String.fromCharCode.apply(null, raw as never);
}

/** Cache of short ASCII texts by hash. */
const places = 256;
const maxRemembered = 48;
const remembered: string[] = Array.from({ length: places }, () => "");

/** Cached: messages repeat few keys. */
export function textBetween(bytes: Uint8Array<ArrayBuffer>, from: number, to: number): string {
  const length = to - from;
  if (length > maxRemembered) return textOf(bytes.subarray(from, to));
  let hash = length;
  let wide = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number;
    wide |= byte;
    hash = (Math.imul(hash, 31) + byte) | 0;
  }
  if (wide > 127) return textOf(bytes.subarray(from, to));
  const place = (hash ^ (hash >>> 8)) & (places - 1);
  const known = remembered[place] as string;
  let at = known.length === length ? 0 : -1;
  while (at !== -1 && at < length) at = known.charCodeAt(at) === bytes[from + at] ? at + 1 : -1;
  if (at === length) return known;
  const text = textOf(bytes.subarray(from, to));
  remembered[place] = text;
  return text;
}

/** Validates chunks without decoding. */
export function createUtf8Check() {
  const strict = new TextDecoder("utf-8", { fatal: true });
  const isFine = (bytes: Uint8Array<ArrayBuffer> | undefined): boolean => {
    try {
      strict.decode(bytes, { stream: bytes !== undefined });
      return true;
    } catch {
      return false;
    }
  };
  return { takes: isFine, ends: (): boolean => isFine(undefined) };
}
