/** Names and ids of tools in the form that a wire takes, and back. */
import { shortHash } from "./short-hash.ts";

const hashLength = 10;

/**
 * A name that the rule takes: what is left of the original, cleaned, and a hash of the whole. Depends on name and
 * rule alone, so that a prompt's prefix stays what it was.
 */
export function aliasOf(
  name: string,
  { length, start = "" }: { length: number; start?: string },
): string {
  const cleaned = name.replaceAll(/[^a-zA-Z0-9_-]+/g, "_").slice(0, length - hashLength - 2);
  const safe = /^[a-zA-Z_]/.test(cleaned) ? cleaned : `_${cleaned}`;
  return `${start}${safe}_${shortHash(name, hashLength)}`;
}

/** A library that keeps names in a plain object finds its members, such as `constructor`, in place of what it kept. */
const isFit = (name: string, pattern: RegExp): boolean =>
  pattern.test(name) && !Object.hasOwn(Object.prototype, name);

/** Names by their aliases, and aliases by their names. */
export interface Aliases {
  to(name: string): string;
  /** the name itself where it is no alias */
  from(alias: string): string;
  /** whether some name has an alias */
  any(): boolean;
}

/** `names`: all that may be asked for. A name that is fit keeps itself, and no alias takes it. */
export function aliasesFor(
  names: Iterable<string>,
  { pattern, length }: { pattern: RegExp; length: number },
): Aliases {
  const all = new Set(names);
  const fit = [...all].filter((name) => isFit(name, pattern));
  const taken = new Map(fit.map((name) => [name, name]));
  const aliases = new Map<string, string>();
  for (const name of all) {
    if (taken.get(name) === name) continue;
    let salted = name;
    while (taken.has(aliasOf(salted, { length }))) salted += "\0";
    const alias = aliasOf(salted, { length });
    taken.set(alias, name);
    aliases.set(name, alias);
  }
  return {
    to: (name) => aliases.get(name) ?? name,
    from: (alias) => taken.get(alias) ?? alias,
    any: () => aliases.size > 0,
  };
}
