/**
 * No list: the name is the suffix of its tenant's ids and includes the jurisdiction, without which a database
 * can't be found.
 */
import { idAlphabet } from "./ids.ts";

/** https://developers.cloudflare.com/durable-objects/reference/data-location/ */
export const jurisdictionTitles = {
  eu: "European Union",
  us: "United States",
  fedramp: "FedRAMP",
  "fedramp-high": "FedRAMP High",
} as const;
export type Jurisdiction = keyof typeof jurisdictionTitles;
export const jurisdictions = Object.keys(jurisdictionTitles) as Jurisdiction[];

/** Append only, because ids contain the letters. `n`: no jurisdiction. */
const letters: Readonly<Record<string, Jurisdiction | null>> = {
  n: null,
  e: "eu",
  u: "us",
  f: "fedramp",
  h: "fedramp-high",
};

/** 100 random bits: unique and not guessable. */
const randomCharacters = 20;
/** Can't match `home`. */
const namePattern = /^t([neufh])[0-9a-z]{20}$/;

const letterIn = (name: string): string | null => namePattern.exec(name)?.[1] ?? null;

export const isTenantDatabase = (name: string): boolean => letterIn(name) !== null;

export const jurisdictionOf = (name: string): Jurisdiction | null =>
  letters[letterIn(name) ?? ""] ?? null;

export function newTenantDatabase(
  randomBytesOf: (count: number) => Uint8Array,
  jurisdiction: Jurisdiction | null = null,
): string {
  const letter = Object.keys(letters).find((each) => letters[each] === jurisdiction) ?? "n";
  const random = Array.from(randomBytesOf(randomCharacters), (byte) => idAlphabet[byte % 32]);
  return `t${letter}${random.join("")}`;
}
