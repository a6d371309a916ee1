/** Response headers without `Headers`, which checks and copies each one: Node's parser has checked them, and few are read. */
import type { Dispatcher } from "undici";

export type SentHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

export type AnswerHeaders = Pick<Headers, "get" | "has" | "forEach"> &
  Iterable<[name: string, value: string]>;

export function answerHeadersFrom(sent: SentHeaders): AnswerHeaders {
  const headers = new Map<string, string>();
  for (const [name, value = ""] of Object.entries(sent))
    headers.set(name.toLowerCase(), (Array.isArray(value) ? value.join(", ") : value).trim());
  return {
    get: (name) => headers.get(name.toLowerCase()) ?? null,
    has: (name) => headers.has(name.toLowerCase()),
    forEach: (act) => headers.forEach((value, name) => act(value, name, headers as never)),
    [Symbol.iterator]: () => headers.entries(),
  };
}
