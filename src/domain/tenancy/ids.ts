/** Ids: a prefix that names the kind, then 26 characters that sort by time, then the database. */
import { homeDatabase, markOf } from "./database-names.ts";

export const idPrefixes = {
  tenant: "ten",
  key: "key",
  credential: "cred",
  server: "srv",
  session: "ses",
  request: "req",
  event: "evt",
  console: "con",
  webhook: "whk",
  alert: "alt",
} as const;
export type IdKind = keyof typeof idPrefixes;

export interface Ids {
  next(kind: IdKind): string;
}

/** A caller is found by ids of these kinds, so these ids name the database: see `database-names.ts`. */
const marked: ReadonlySet<IdKind> = new Set<IdKind>(["tenant", "key", "session", "console"]);

export const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";
/** characters after an id's prefix that hold the id's time */
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

/** Every id of that kind that was made at that moment (ms) or later sorts after this text. */
export const leastIdAt = (kind: IdKind, ms: number): string =>
  `${idPrefixes[kind]}_${timeText(Math.max(0, ms))}`;

/** 48 bits of milliseconds, then 80 random bits; `randomBytesOf` fills from a secure source. */
export function createIds(deps: {
  now: () => number;
  randomBytesOf: (count: number) => Uint8Array;
  /** absent: `home` */
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
