/** Values as every database gives them back, so that what is written, what codes cover and what is read are equal. */
import { asReadable } from "../../domain/magnitudes.ts";

export type Parameter = string | number | null;

/** UTF-8 can't say half a surrogate pair, and libsql ends a text at NUL when it reads. U+FFFD stands for both. */
export const storable = (text: string): string =>
  text.includes("\0") ? text.toWellFormed().replaceAll("\0", "\uFFFD") : text.toWellFormed();

/** A parameter as it is written. Numbers are held as `domain/magnitudes.ts` says. */
export function writable(parameter: unknown): Parameter {
  if (typeof parameter === "string") return storable(parameter);
  return typeof parameter === "number" && !Number.isSafeInteger(parameter)
    ? asReadable(parameter)
    : (parameter as Parameter);
}
