/**
 * How deep JSON may be nested before a recursive function walks it: canonicalising, rewriting, printing. The
 * attack: 12 MiB of brackets parse well, and then exhaust the stack.
 */
import type { Refusal } from "./refusals.ts";

/** Deeper than the arguments of any tool in use, and shallow enough for every walk of the router. */
export const mostLevels = 256;

export const tooDeep: Refusal = {
  reason: "invalid_params",
  path: "params",
  detail: `Nested deeper than ${mostLevels} levels.`,
};

/** Of a caller's whole message: deeper than any schema of the protocol. */
export const mostMessageLevels = 64;

/** Whether a value is nested deeper than so many levels. An array or object of plain values has one level. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  // Level by level, and not by recursion, against which this function guards.
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const each of level)
      if (typeof each === "object" && each !== null) {
        if (depth >= levels) return true;
        for (const inner of Object.values(each)) if (typeof inner === "object") next.push(inner);
      }
    level = next;
  }
  return false;
}
