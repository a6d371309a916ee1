export const lower = 0;
export const upper = 1;
export const accented = 2;
export const digit = 3;
export const space = 4;
export const newline = 5;
export const mark = 6;
export const tone = 7;
/** Kinds from `firstScript` on, in this order. */
export const scripts = [
  "cyrillic",
  "greek",
  "hebrew",
  "arabic",
  "indic",
  "thai",
  "han",
  "kana",
  "hangul",
  "emoji",
  "other",
] as const;
export const firstScript = 8;
export const [cyrillic, arabic, han] = [8, 11, 14];

/** Exclusive ends of ranges. Armenian counts as Cyrillic, Georgian as Indic. */
const ranges: readonly (readonly [number, number | (typeof scripts)[number]])[] = [
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

/** Of each UTF-16 unit. */
const kinds = new Uint8Array(0x10000);
let start = 0;
for (const [end, kind] of ranges) {
  kinds.fill(typeof kind === "string" ? firstScript + scripts.indexOf(kind) : kind, start, end);
  start = end;
}
for (const code of [9, 32]) kinds[code] = space;
for (const code of [10, 13]) kinds[code] = newline;
kinds.fill(digit, 48, 58);
kinds.fill(upper, 65, 91);
kinds.fill(lower, 97, 123);

export const kindOf = (code: number): number => kinds[code] ?? mark;

export const isLatin = (kind: number): boolean =>
  kind === lower || kind === upper || kind === accented || kind === tone;
