/** Globs over names of models. */

/**
 * `*` stands for any text, and case doesn't count. No regular expression: a tenant writes the globs, and a
 * dozen stars in one could keep the isolate, and with it all tenants, busy for minutes.
 */
export const matchesGlob = (glob: string, name: string): boolean =>
  matchesParts(glob.toLowerCase().split("*"), name.toLowerCase());

/** `parts`: a glob between its stars */
export function matchesParts([first = "", ...others]: readonly string[], text: string): boolean {
  const last = others.at(-1);
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others.slice(0, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
