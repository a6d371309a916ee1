/** JSON in one spelling, as RFC 8785 defines it: what is hashed and signed must have the same bytes everywhere. */

/**
 * Keys sorted by UTF-16 code units, no white space, numbers and strings as ECMAScript writes them.
 * A key whose value is undefined is left out.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(",")}]`;
  let members = "";
  // Sorted without a comparing function, which means by code units.
  for (const key of Object.keys(value).toSorted()) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}
