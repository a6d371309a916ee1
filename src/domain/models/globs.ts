/** `*` matches any text. Not a regular expression, because tenants could cause exponential matching. */
export const matchesGlob = (glob: string, name: string): boolean =>
  matchesParts(glob.toLowerCase().split("*"), name.toLowerCase());

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
