/** Each receiver has its own shape, and some messages have no text. */
export function textIn(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  for (const [name, its] of Object.entries(value)) {
    const isText = typeof its === "string" && /^(?:text\w*|content|value)$/i.test(name);
    const found = isText ? its : textIn(its);
    if (found !== null) return found;
  }
  return null;
}
