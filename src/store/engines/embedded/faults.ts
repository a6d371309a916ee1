import type { Fault } from "../contract/engine.ts";

const sentences: readonly [RegExp, string][] = [
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    "is corrupted: restore a backup of it, or move it away to start over",
  ],
  [/^SQLITE_(READONLY|PERM|AUTH)/, "can't be written: see its mode, its owner and its file system"],
  [/^SQLITE_CANTOPEN/, "can't be opened: see its mode, its owner and its folder"],
  [/^SQLITE_FULL/, "can't be written: the disk is full"],
];

/** Further writes to a damaged file would lose more. */
export const isDamage = ({ code }: Fault): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(code);

export const startFault = (path: string, { code, message }: Fault): string => {
  const found = sentences.find(([pattern]) => pattern.test(code));
  return `${path} ${found?.[1] ?? `can't be opened: ${message}`}`;
};
