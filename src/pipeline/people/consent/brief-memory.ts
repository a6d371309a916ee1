import { createBoundedMap } from "../../../domain/bounded-map.ts";
import type { AsyncResult } from "../../../domain/refusals.ts";

export type BriefMemory<T> = (name: string, read: () => AsyncResult<T>) => AsyncResult<T>;

/** Caches values, never pending reads: an invocation may not wait for another's. */
export function createBriefMemory<T>(deps: {
  capacity: number;
  lifetimeMs: number;
  elapsed: () => number;
}): BriefMemory<T> {
  const { capacity, lifetimeMs, elapsed } = deps;
  const kept = createBoundedMap<string, { found: Awaited<AsyncResult<T>>; until: number }>(
    capacity,
  );
  return async (name, read) => {
    const known = kept.get(name);
    if (known !== undefined && known.until > elapsed()) return known.found;
    const found = await read();
    if (!found.ok) return found;
    kept.set(name, { found, until: elapsed() + lifetimeMs });
    return found;
  };
}
