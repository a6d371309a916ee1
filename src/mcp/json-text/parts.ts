/** Parts of a JSON text as they stand there, with every escape and number format. The text must be valid JSON. */
import { membersOf, whole, type Member, type Span } from "./raw-json.ts";

const membersAt = (text: string, span: Span): Member[] =>
  text[span.start] === "{" ? membersOf(text, span) : [];

/**
 * The value at a path, as it stands in the text; the last one of a repeated key, as `JSON.parse` reads it.
 * null: there is none.
 */
export function textAt(text: string, path: readonly string[]): string | null {
  let span = whole(text);
  for (const key of path) {
    const found = membersAt(text, span).findLast((member) => member.key === key);
    if (found === undefined) return null;
    span = found.value;
  }
  return text.slice(span.start, span.end);
}

/** Every member of the object at a path, with its value as text. The last one of a repeated key counts. */
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
