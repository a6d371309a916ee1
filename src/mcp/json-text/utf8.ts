/** UTF-8 as strictly as RFC 3629 defines it. Parsers differ in what they put in the place of bad bytes. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A short text is decoded by hand, since calling the runtime's decoder takes longer. */
export function textOf(raw: Uint8Array<ArrayBuffer>): string {
  if (raw.length > 64) return decoder.decode(raw);
  let wide = 0;
  for (let i = 0; i < raw.length; i += 1) wide |= raw[i] as number;
  return wide > 127 ? decoder.decode(raw) : String.fromCharCode.apply(null, raw as never);
}

/** Checks bytes that come in parts, without decoding them. */
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
