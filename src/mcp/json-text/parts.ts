/** Parts of a valid JSON text with their original escapes and numbers. */
import { membersOf, whole, type Member, type Span } from "./raw-json.ts";

const membersAt = (text: string, span: Span): Member[] =>
  text[span.start] === "{" ? membersOf(text, span) : [];

/** The last of duplicate keys, as in `JSON.parse`. */
export function textAt(text: string, path: readonly string[]): string | null {
  let span = whole(text);
  for (const key of path) {
    const found = membersAt(text, span).findLast((member) => member.key === key);
    if (found === undefined) return null;
    span = found.value;
  }
  return text.slice(span.start, span.end);
}

/** Members of the object at a path; the last of duplicate keys. */
export function textsIn(text: string, path: readonly string[]): Map<string, string> {
  const object = textAt(text, path) ?? "null";
  return new Map(
    membersAt(object, whole(object)).map(({ key, value }) => [
      key,
      object.slice(value.start, value.end),
    ]),
  );
}

export const objectText = (members: Iterable<readonly [string, string]>): string =>
  `{${[...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
