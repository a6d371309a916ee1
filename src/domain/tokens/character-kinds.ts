export const lower = 0;
export const upper = 1;
export const accented = 2;
export const digit = 3;
export const space = 4;
export const newline = 5;
export const mark = 6;
export const tone = 7;
export type Script =
  | "cyrillic"
  | "greek"
  | "hebrew"
  | "arabic"
  | "indic"
  | "thai"
  | "han"
  | "kana"
  | "hangul"
  | "emoji"
  | "other";
export type Kind = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | Script;

/** Exclusive ends of ranges. Armenian counts as Cyrillic, Georgian as Indic. */
const ranges: readonly (readonly [number, Kind])[] = [
  [0xc0, mark],
  [0x370, accented],
  [0x400, "greek"],
  [0x590, "cyrillic"],
  [0x600, "hebrew"],
  [0x900, "arabic"],
  [0xe00, "indic"],
  [0xf00, "thai"],
  [0x1100, "indic"],
  [0x1200, "hangul"],
  [0x1e00, "indic"],
  [0x1f00, tone],
  [0x2000, "greek"],
  [0x2070, mark],
  [0x2e80, "other"],
  [0x3040, "han"],
  [0x3100, "kana"],
  [0x3400, "hangul"],
  [0xa000, "han"],
  [0xac00, "other"],
  [0xd7b0, "hangul"],
  [0xd800, "other"],
  [0xe000, "emoji"],
  [0xf900, "other"],
  [0xfb00, "han"],
  [0xff00, "other"],
  [0xfff0, "han"],
  [0x10000, "other"],
];

function rangeOf(code: number): Kind {
  if (code >= 97 && code <= 122) return lower;
  if (code === 32 || code === 9) return space;
  if (code < 128) {
    if (code >= 65 && code <= 90) return upper;
    if (code >= 48 && code <= 57) return digit;
    return code === 10 || code === 13 ? newline : mark;
  }
  for (const [end, kind] of ranges) if (code < end) return kind;
  return "other";
}

const kinds = Array.from({ length: 0x370 }, (_, code) => rangeOf(code));

export const kindOf = (code: number): Kind => kinds[code] ?? rangeOf(code);

export const isLatin = (kind: Kind | null): boolean =>
  kind === lower || kind === upper || kind === accented || kind === tone;
