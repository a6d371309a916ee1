import { bareName } from "./plain-name.ts";
import type { ModelIndex, ReadHint } from "./model-index.ts";

/** Shorter lines are too close to ordinary words. */
const shortestLine = 6;

function isOneEdit(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1 || one === other) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  return short.slice(at + (short.length === long.length ? 1 : 0)) === long.slice(at + 1);
}

const isWord = (word: string): boolean => /^[a-z]+$/.test(word);

export function meantBy({ folded }: ReadHint, { byLine, byName, text }: ModelIndex): string | null {
  if (byName.has(folded) || text.includes(folded)) return null;
  const words = bareName(folded).split("-");
  const written = words.filter(isWord).join("-");
  if (written.length < shortestLine - 1 || byLine.has(written) || text.includes(written))
    return null;
  const lines = [...byLine.keys()].filter(
    (line) => line.length >= shortestLine && isOneEdit(line, written),
  );
  const [line] = lines;
  if (line === undefined || lines.length > 1) return null;
  return [line, ...words.filter((word) => !isWord(word))].join("-");
}
