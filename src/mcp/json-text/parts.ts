/** Parts of a JSON text as they stand in it: every escape, every number format. The text must be valid JSON. */
import { membersOf, whole, type Member, type Span } from "./raw-json.ts";

const membersAt = (text: string, span: Span): Member[] =>
  text[span.start] === "{" ? membersOf(text, span) : [];

/** The value as it stands at a path; the last one of a key, as `JSON.parse` sees it. null: there is none. */
export function textAt(text: string, path: readonly string[]): string | null {
  let span = whole(text);
  for (const key of path) {
    const found = membersAt(text, span).findLast((member) => member.key === key);
    if (found === undefined) return null;
    span = found.value;
  }
  return text.slice(span.start, span.end);
}

/** Every member of the object at a path, its value as text; the last one of a key counts. */
export function textsIn(text: string, path: readonly string[]): Map<string, string> {
  const object = textAt(text, path) ?? "null";
  return new Map(
    membersAt(object, whole(object)).map(({ key, value }) => [
      key,
      object.slice(value.start, value.end),
    ]),
  );
}

/** An object's text from members' texts. */
export const objectText = (members: Iterable<readonly [string, string]>): string =>
  `{${[...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
