/**
 * Databases of one tenant each, such as Durable Objects. Nobody lists them: the name of such a database stands at the
 * end of its tenant's ids (`database-names.ts`), so an id or a token alone leads to it. The name says in which jurisdiction
 * the database is, because the database can't be found without that.
 */
import { idAlphabet } from "./ids.ts";

/** https://developers.cloudflare.com/durable-objects/reference/data-location/ */
export const jurisdictions = ["eu", "us", "fedramp", "fedramp-high"] as const;
export type Jurisdiction = (typeof jurisdictions)[number];

/** The letters only grow: they stand in ids. `n`: no jurisdiction. */
const letters: Readonly<Record<string, Jurisdiction | null>> = {
  n: null,
  e: "eu",
  u: "us",
  f: "fedramp",
  h: "fedramp-high",
};

/** Nobody guesses a name, and no two are equal: 100 random bits. */
const randomCharacters = 20;
/** Longer than `home`. */
const namePattern = /^t([neufh])[0-9a-z]{20}$/;

/** null: it names no such database. */
const letterIn = (name: string): string | null => namePattern.exec(name)?.[1] ?? null;

export const isTenantDatabase = (name: string): boolean => letterIn(name) !== null;

/** null: the database is in no jurisdiction, or the name is no such database's. */
export const jurisdictionOf = (name: string): Jurisdiction | null =>
  letters[letterIn(name) ?? ""] ?? null;

/** The name of a database for one more tenant. */
export function newTenantDatabase(
  randomBytesOf: (count: number) => Uint8Array,
  jurisdiction: Jurisdiction | null = null,
): string {
  const letter = Object.keys(letters).find((each) => letters[each] === jurisdiction) ?? "n";
  const random = Array.from(randomBytesOf(randomCharacters), (byte) => idAlphabet[byte % 32]);
  return `t${letter}${random.join("")}`;
}
