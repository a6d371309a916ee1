/**
 * Edits valid JSON text in place, keeping all other bytes. Duplicate keys are all edited, since parsers differ
 * in which they read.
 */
import { backslash, closeBrace, closeBracket, openBrace, openBracket, quote } from "./grammar.ts";

export interface Span {
  start: number;
  end: number;
}
export interface Member extends Span {
  key: string;
  value: Span;
}

/** Outside strings, only white space is up to the space character. */
const space = 32;

function skipBlank(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= space) at += 1;
  return at;
}

const comma = 44;

function stringEnd(text: string, from: number): number {
  let at = from + 1;
  for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at))
    at += code === backslash ? 2 : 1;
  return at + 1;
}

const endsPlainValue = (code: number): boolean =>
  code <= space || code === comma || code === closeBracket || code === closeBrace;

function valueEnd(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === quote) return stringEnd(text, from);
  let at = from;
  if (first !== openBrace && first !== openBracket) {
    while (at < text.length && !endsPlainValue(text.charCodeAt(at))) at += 1;
    return at;
  }
  for (let depth = 0; ;) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = stringEnd(text, at);
      continue;
    }
    if (code === openBrace || code === openBracket) depth += 1;
    if (code === closeBrace || code === closeBracket) depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
}

function keyOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw;
}

export function membersOf(text: string, object: Span): Member[] {
  const members: Member[] = [];
  let at = skipBlank(text, object.start + 1);
  while (text.charCodeAt(at) !== closeBrace) {
    const keyEnd = stringEnd(text, at);
    const valueStart = skipBlank(text, skipBlank(text, keyEnd) + 1);
    const end = valueEnd(text, valueStart);
    members.push({
      start: at,
      end,
      key: keyOf(text, at, keyEnd),
      value: { start: valueStart, end },
    });
    at = skipBlank(text, end);
    if (text.charCodeAt(at) === comma) at = skipBlank(text, at + 1);
  }
  return members;
}

export const whole = (text: string): Span => {
  const start = skipBlank(text, 0);
  return { start, end: valueEnd(text, start) };
};

/** Keeps the text between the remaining parts. */
function joined(text: string, list: Span, parts: readonly (Span & { text: string | null })[]) {
  const [first] = parts;
  const last = parts.at(-1);
  if (first === undefined || last === undefined) return text.slice(list.start, list.end);
  let out = text.slice(list.start, first.start);
  let hasBegun = false;
  for (const [at, part] of parts.entries()) {
    if (part.text === null) continue;
    if (hasBegun) out += text.slice(parts[at - 1]?.end, part.start);
    out += part.text;
    hasBegun = true;
  }
  return out + text.slice(last.end, list.end);
}

function edited(text: string, span: Span, path: readonly string[], value: string | null): string {
  const [key, ...rest] = path;
  if (key === undefined || text[span.start] !== "{") return text.slice(span.start, span.end);
  const members = membersOf(text, span);
  if (rest.length === 0 && value !== null && !members.some((member) => member.key === key)) {
    const added = `${JSON.stringify(key)}:${value}${members.length === 0 ? "" : ","}`;
    return `{${added}${text.slice(span.start + 1, span.end)}`;
  }
  return joined(
    text,
    span,
    members.map((member) => {
      if (member.key !== key) return { ...member, text: text.slice(member.start, member.end) };
      if (rest.length === 0 && value === null) return { ...member, text: null };
      const changed = rest.length === 0 ? value : edited(text, member.value, rest, value);
      return { ...member, text: text.slice(member.start, member.value.start) + changed };
    }),
  );
}

/** Sets or removes a member; non-objects on the path are left alone. */
export function withMember(text: string, path: readonly string[], value: string | null): string {
  const span = whole(text);
  return text.slice(0, span.start) + edited(text, span, path, value) + text.slice(span.end);
}

export function elementsOf(text: string, array: Span): Span[] {
  const elements: Span[] = [];
  let at = skipBlank(text, array.start + 1);
  while (text[at] !== "]") {
    const end = valueEnd(text, at);
    elements.push({ start: at, end });
    at = skipBlank(text, end);
    if (text[at] === ",") at = skipBlank(text, at + 1);
  }
  return elements;
}

/** `null` removes an element. */
export function mapElements(
  text: string,
  change: (element: string, index: number) => string | null,
): string {
  const span = whole(text);
  const parts = elementsOf(text, span).map((element, index) => ({
    ...element,
    text: change(text.slice(element.start, element.end), index),
  }));
  return text.slice(0, span.start) + joined(text, span, parts) + text.slice(span.end);
}

export const withoutElements = (text: string, taken: ReadonlySet<number>): string =>
  mapElements(text, (element, index) => (taken.has(index) ? null : element));
