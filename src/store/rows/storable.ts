/** Normalizes values so that what is written, covered by codes, and read back is equal. */
import { asReadable } from "../../domain/magnitudes.ts";

export type Parameter = string | number | null;

/** UTF-8 has no lone surrogates, and libsql truncates text at NUL. */
export const storable = (text: string): string =>
  text.includes("\0") ? text.toWellFormed().replaceAll("\0", "\uFFFD") : text.toWellFormed();

export function writable(parameter: unknown): Parameter {
  if (typeof parameter === "string") return storable(parameter);
  return typeof parameter === "number" && !Number.isSafeInteger(parameter)
    ? asReadable(parameter)
    : (parameter as Parameter);
}
