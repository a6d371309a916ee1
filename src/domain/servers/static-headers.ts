import { headerRules } from "./header-table.ts";

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
// Visible ASCII with inner spaces, so that no second header can be injected.
const content = /^[\x21-\x7e](?:[\x20\x21-\x7e\t]*[\x21-\x7e])?$/;
const maxHeaders = 32;
const maxValueCharacters = 8_192;
const maxCharacters = 16_384;

export interface HeaderProblem {
  name: string | null;
  detail: string;
}

/** null: valid. Repeats no value. */
export function problemWithHeaders(headers: Record<string, string>): HeaderProblem | null {
  const seen = new Set<string>();
  let characters = 0;
  const entries = Object.entries(headers);
  if (entries.length > maxHeaders) return { name: null, detail: `At most ${maxHeaders} headers.` };
  for (const [name, value] of entries) {
    if (!token.test(name)) return { name: null, detail: "A header's name is invalid." };
    const lower = name.toLowerCase();
    if (!headerRules(name).isSettable) return { name, detail: "This header is set by the router." };
    if (seen.has(lower)) return { name, detail: "This header occurs twice." };
    seen.add(lower);
    if (value.length > maxValueCharacters)
      return { name, detail: `At most ${maxValueCharacters} characters.` };
    if (!content.test(value))
      return { name, detail: "Use visible ASCII characters, with spaces only between them." };
    characters += name.length + value.length;
  }
  return characters > maxCharacters
    ? { name: null, detail: `At most ${maxCharacters} characters together.` }
    : null;
}

export const hasHeader = (names: readonly string[], wanted: string): boolean =>
  names.some((name) => name.toLowerCase() === wanted);
