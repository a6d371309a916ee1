/** Ids: a prefix for the kind, 26 characters sortable by time, and the database. */
import { homeDatabase, markOf } from "./database-names.ts";

export const idPrefixes = {
  tenant: "ten",
  key: "key",
  credential: "cred",
  server: "srv",
  session: "ses",
  request: "req",
  question: "qst",
  event: "evt",
  console: "con",
  webhook: "whk",
  alert: "alt",
} as const;
export type IdKind = keyof typeof idPrefixes;

export interface Ids {
  next(kind: IdKind): string;
}

/** Ids that identify a caller also name the database; see `database-names.ts`. */
const marked: ReadonlySet<IdKind> = new Set<IdKind>(["tenant", "key", "session", "console"]);

export const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";
export const timeCharacters = 10;
const randomBytes = 16;

const timeText = (ms: number): string => {
  let text = "";
  for (let at = 0, time = ms; at < timeCharacters; at += 1) {
    text = `${idAlphabet[time % 32]}${text}`;
    time = Math.floor(time / 32);
  }
  return text;
};

export const minIdAt = (kind: IdKind, ms: number): string =>
  `${idPrefixes[kind]}_${timeText(Math.max(0, ms))}`;

/** 48 bits of milliseconds and 80 random bits from a secure source. */
export function createIds(deps: {
  now: () => number;
  randomBytesOf: (count: number) => Uint8Array;
  database?: string;
}): Ids {
  const mark = markOf(deps.database ?? homeDatabase);
  return {
    next(kind) {
      let text = timeText(deps.now());
      for (const byte of deps.randomBytesOf(randomBytes)) text += idAlphabet[byte % 32];
      return `${idPrefixes[kind]}_${text}${marked.has(kind) ? mark : ""}`;
    },
  };
}
