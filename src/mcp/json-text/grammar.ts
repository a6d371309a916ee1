/** Characters and numbers of JSON, byte by byte (RFC 8259, sections 6 and 7). */

export const minus = 0;
const zero = 1;
const integer = 2;
const dot = 3;
const fraction = 4;
const exponent = 5;
const sign = 6;
const power = 7;

export const quote = 34;
export const comma = 44;
export const hyphen = 45;
export const colon = 58;
export const letterU = 117;
export const backslash = 92;
export const openBrace = 123;
export const closeBrace = 125;
export const openBracket = 91;
export const closeBracket = 93;
/** Bytes that end a run of unescaped ASCII characters. */
export const endsAsciiRun = Uint8Array.from({ length: 256 }, (_, c) =>
  c < 32 || c > 127 || c === quote || c === backslash ? 1 : 0,
);
/** Bytes that end a run of unescaped characters, including non-ASCII ones. */
export const endsUnicodeRun = endsAsciiRun.map((ends, c) => (c > 127 ? 0 : ends));
/** Single-character escapes. */
export const plainEscapes = new Uint8Array(256);
for (const escape of '"\\/bfnrt') plainEscapes[escape.charCodeAt(0)] = 1;
export const literals = new Map(
  ["true", "false", "null"].map((word) => [word.charCodeAt(0), word] as const),
);
export const isDigit = (c: number): boolean => c >= 48 && c <= 57;
export const isHex = (c: number): boolean => isDigit(c) || ((c | 32) >= 97 && (c | 32) <= 102);
export const isBlank = (c: number): boolean => c === 32 || c === 10 || c === 13 || c === 9;
export const isCompleteNumber = (part: number): boolean =>
  part === zero || part === integer || part === fraction || part === power;

/** Next state within a number; -1 if invalid. */
export function nextNumberPart(part: number, c: number): number {
  if (isDigit(c)) {
    if (part === minus) return c === 48 ? zero : integer;
    if (part === zero) return -1;
    if (part === dot) return fraction;
    return part === exponent || part === sign ? power : part;
  }
  if (c === 46) return part === zero || part === integer ? dot : -1;
  if ((c | 32) === 101)
    return part === zero || part === integer || part === fraction ? exponent : -1;
  return (c === 43 || c === hyphen) && part === exponent ? sign : -1;
}

/** Bytes of a run that are read one by one; the rest is read four at a time. */
const shortRun = 64;
const tops = 0x80808080;

/** Whether any of four bytes is below a space, a quote, or a backslash. */
function mayEndRun(four: number): boolean {
  const quoted = four ^ 0x22222222;
  const escaped = four ^ 0x5c5c5c5c;
  const below = (four - 0x20202020) & ~four;
  return (
    ((below | ((quoted - 0x01010101) & ~quoted) | ((escaped - 0x01010101) & ~escaped)) & tops) !== 0
  );
}

/** The end of a run without bytes in `ends`. */
export function plainRun(bytes: Uint8Array<ArrayBuffer>, from: number, ends: Uint8Array): number {
  const to = bytes.length;
  let i = from;
  // Reads single bytes up to alignment.
  const near = Math.min(to, from + shortRun + ((4 - ((bytes.byteOffset + from) & 3)) & 3));
  while (i < near && ends[bytes[i] as number] === 0) i += 1;
  if (i < near || i === to) return i;
  const fours = new Int32Array(bytes.buffer, bytes.byteOffset + i, (to - i) >> 2);
  const wide = ends === endsUnicodeRun ? 0 : tops;
  for (let at = 0; at < fours.length; at += 1) {
    const four = fours[at] as number;
    if ((four & wide) === 0 && !mayEndRun(four)) continue;
    for (let each = 0; each < 4; each += 1)
      if (ends[bytes[i + 4 * at + each] as number] === 1) return i + 4 * at + each;
  }
  i += 4 * fours.length;
  while (i < to && ends[bytes[i] as number] === 0) i += 1;
  return i;
}

/** The end of a run of escapes. */
export function escapesEnd(bytes: Uint8Array<ArrayBuffer>, from: number): number {
  let end = from;
  while (bytes[end] === backslash && plainEscapes[bytes[end + 1] as number] === 1) end += 2;
  return end;
}
