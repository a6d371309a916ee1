/** Nesting limits before recursion. The attack: 12 MiB of brackets parse, and then exhaust the stack. */
import type { Refusal } from "./refusals.ts";

/** Deeper than the arguments of any tool in use. */
export const maxLevels = 256;

export const tooDeep: Refusal = {
  reason: "invalid_params",
  path: "params",
  detail: `Nested deeper than ${maxLevels} levels.`,
};

/** Limit for a caller's whole message: deeper than any schema of the protocol. */
export const maxMessageLevels = 64;

export function isDeeperThan(value: unknown, levels: number): boolean {
  // Breadth first, because recursion would exhaust the stack.
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
