/**
 * How deep JSON may be nested before something that calls itself walks it: canonicalising, rewriting,
 * printing. Names the attack: 12 MiB of brackets parse well, and then exhaust the stack.
 */

/** Deeper than any tool's arguments in use; shallow enough for every walk of the router. */
export const mostLevels = 256;

/** Whether a value is nested deeper than so many levels; `1` is an array or object of plain values. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  // Level by level, and not by recursion, which is what is to be guarded.
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
