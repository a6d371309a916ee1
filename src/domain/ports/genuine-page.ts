/** Pages of a table in which rows may be that the router did not write. */
import type { AsyncResult } from "../refusals.ts";
import { ok } from "../result.ts";
import type { Page, PageRequest } from "./stores.ts";

/**
 * Leaves out rows that don't count. They end no page early, or one of them could hide what follows it.
 * @param read a page of all rows
 */
export async function genuinePage<T>(
  asked: PageRequest,
  read: (page: PageRequest) => AsyncResult<Page<T>>,
  isGenuine: (row: T) => Promise<boolean>,
): AsyncResult<Page<T>> {
  const data: T[] = [];
  for (let { cursor } = asked; ;) {
    const page = await read({ cursor, limit: asked.limit - data.length });
    if (!page.ok) return page;
    for (const row of page.value.data) if (await isGenuine(row)) data.push(row);
    cursor = page.value.nextCursor;
    if (cursor === null || data.length >= asked.limit) return ok({ data, nextCursor: cursor });
  }
}
