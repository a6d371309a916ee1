/** Pages of a table in which rows may be that the router did not write. */
import type { AsyncResult } from "../refusals.ts";
import { ok } from "../result.ts";
import type { Page, PageRequest } from "./stores.ts";

/** Reads for one page. Direct writes to the database may have filled the table with invalid rows. */
const mostReads = 4;

/**
 * Leaves out rows that don't count. A page that met many of them has fewer rows than asked, or none, and a cursor.
 * @param read a page of all rows
 */
export async function genuinePage<T>(
  asked: PageRequest,
  read: (page: PageRequest) => AsyncResult<Page<T>>,
  isGenuine: (row: T) => Promise<boolean>,
): AsyncResult<Page<T>> {
  const data: T[] = [];
  let { cursor } = asked;
  for (let reads = 1; ; reads += 1) {
    const page = await read({ cursor, limit: asked.limit - data.length });
    if (!page.ok) return page;
    const rows = page.value.data;
    const isGood = await Promise.all(rows.map(isGenuine));
    data.push(...rows.filter((_, at) => isGood[at]));
    cursor = page.value.nextCursor;
    const isFull = data.length >= asked.limit || reads === mostReads;
    if (cursor === null || isFull) return ok({ data, nextCursor: cursor });
  }
}
