import { shortHash } from "./short-hash.ts";

const hashLength = 10;

/** Depends only on name and rule, so that repeated prefixes stay cacheable. */
export function aliasOf(
  name: string,
  { length, start = "" }: { length: number; start?: string },
): string {
  const cleaned = name.replaceAll(/[^a-zA-Z0-9_-]+/g, "_").slice(0, length - hashLength - 2);
  const safe = /^[a-zA-Z_]/.test(cleaned) ? cleaned : `_${cleaned}`;
  return `${start}${safe}_${shortHash(name, hashLength)}`;
}

/** Libraries with plain-object maps would find prototype members like `constructor`. */
const isFit = (name: string, pattern: RegExp): boolean =>
  pattern.test(name) && !Object.hasOwn(Object.prototype, name);

export interface Aliases {
  to(name: string): string;
  from(alias: string): string;
  any(): boolean;
}

const noAliases: Aliases = {
  to: (name) => name,
  from: (alias) => alias,
  any: () => false,
};

/** Valid names keep themselves, and no alias collides with one. */
export function aliasesFor(
  names: Iterable<string>,
  { pattern, length }: { pattern: RegExp; length: number },
): Aliases {
  const all = new Set(names);
  if (all.size === 0) return noAliases;
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
