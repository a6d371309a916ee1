/**
 * Edits of JSON as text: what is not edited keeps its every character, spelling of numbers, escapes,
 * white space and order of keys included. Expects text that `JSON.parse` has accepted. A key that
 * occurs twice is edited wherever it stands, so that no reader finds another value than the next.
 */
export interface Span {
  start: number;
  end: number;
}

interface Member {
  key: string;
  start: number;
  value: Span;
}

interface Edit extends Span {
  text: string;
}

const isSpace = (character: string | undefined): boolean =>
  character === " " || character === "\n" || character === "\r" || character === "\t";

function pastSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text[at])) at += 1;
  return at;
}

/** The position after the string whose quote stands at `from`. */
function pastString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function pastValue(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return pastString(text, from);
  let at = from;
  if (first !== "{" && first !== "[") {
    while (at < text.length && !",]}".includes(text[at] ?? "") && !isSpace(text[at])) at += 1;
    return at;
  }
  let depth = 0;
  do {
    const character = text[at];
    if (character === '"') {
      at = pastString(text, at);
      continue;
    }
    if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    at += 1;
  } while (depth > 0 && at < text.length);
  return at;
}

/** The whole text's value, without the space around it. */
const wholeOf = (text: string): Span => {
  const start = pastSpace(text, 0);
  return { start, end: pastValue(text, start) };
};

/** Members in the order in which they stand; none if it is no object. */
function membersOf(text: string, { start }: Span): Member[] {
  if (text[start] !== "{") return [];
  const members: Member[] = [];
  let at = pastSpace(text, start + 1);
  while (at < text.length && text[at] !== "}") {
    const keyEnd = pastString(text, at);
    const valueStart = pastSpace(text, pastSpace(text, keyEnd) + 1);
    const value = { start: valueStart, end: pastValue(text, valueStart) };
    members.push({ key: JSON.parse(text.slice(at, keyEnd)) as string, start: at, value });
    at = pastSpace(text, value.end);
    if (text[at] === ",") at = pastSpace(text, at + 1);
  }
  return members;
}

const applied = (text: string, edits: readonly Edit[]): string => {
  let done = 0;
  let edited = "";
  for (const edit of edits.toSorted((left, right) => left.start - right.start)) {
    edited += text.slice(done, edit.start) + edit.text;
    done = edit.end;
  }
  return edited + text.slice(done);
};

/** The value as it stands at a path; the last one, as `JSON.parse` sees it. null: there is none. */
export function textAt(text: string, path: readonly string[]): string | null {
  let span = wholeOf(text);
  for (const key of path) {
    const found = membersOf(text, span).findLast((member) => member.key === key);
    if (found === undefined) return null;
    span = found.value;
  }
  return text.slice(span.start, span.end);
}

/** Every member of the object at a path, its value as text; the last one of a key counts. */
export function textsIn(text: string, path: readonly string[]): Map<string, string> {
  const object = textAt(text, path) ?? "";
  return new Map(
    membersOf(object, wholeOf(object)).map(({ key, value }) => [
      key,
      object.slice(value.start, value.end),
    ]),
  );
}

/** An object's text from members' texts. */
export const objectText = (members: Iterable<readonly [string, string]>): string =>
  `{${[...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;

function settings(text: string, object: Span, path: readonly string[], value: string): Edit[] {
  const [key = "", ...deeper] = path;
  const members = membersOf(text, object);
  const same = members.filter((member) => member.key === key);
  if (same.length > 0)
    return same.flatMap((member) =>
      deeper.length === 0
        ? [{ ...member.value, text: value }]
        : settings(text, member.value, deeper, value),
    );
  if (text[object.start] !== "{") return [];
  const inner = deeper.reduceRight((built, name) => objectText([[name, built]]), value);
  const last = members.at(-1);
  const at = last?.value.end ?? object.start + 1;
  const added = `${last === undefined ? "" : ","}${JSON.stringify(key)}:${inner}`;
  return [{ start: at, end: at, text: added }];
}

/** Sets what stands at a path, as JSON text; absent objects on the way are made. */
export const withText = (text: string, path: readonly string[], value: string): string =>
  applied(text, settings(text, wholeOf(text), path, value));

function removals(text: string, object: Span, path: readonly string[]): Edit[] {
  const [key = "", ...deeper] = path;
  const members = membersOf(text, object);
  if (deeper.length > 0)
    return members
      .filter((member) => member.key === key)
      .flatMap((member) => removals(text, member.value, deeper));
  const lastKept = members.findLastIndex((member) => member.key !== key);
  // Up to the next member; what follows the last that is kept, from that one's end.
  const edits = members
    .slice(0, lastKept + 1)
    .flatMap((member, index) =>
      member.key === key
        ? [{ start: member.start, end: members[index + 1]?.start ?? member.value.end, text: "" }]
        : [],
    );
  const tail = members[lastKept + 1];
  if (tail === undefined) return edits;
  const start = members[lastKept]?.value.end ?? tail.start;
  return [...edits, { start, end: members.at(-1)?.value.end ?? tail.value.end, text: "" }];
}

/** Takes a member out, with the comma that belonged to it. */
export const withoutText = (text: string, path: readonly string[]): string =>
  applied(text, removals(text, wholeOf(text), path));
