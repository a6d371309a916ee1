import type { AsyncResult } from "../refusals.ts";
import { ok } from "../result.ts";
import type { Page, PageRequest } from "./stores.ts";

/** Reads per page: direct writes may have filled the table with forged rows. */
const maxReads = 4;

/** Filters forged rows, so a page may be short or empty and still have a cursor. @param read a page of all rows */
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
    const isFull = data.length >= asked.limit || reads === maxReads;
    if (cursor === null || isFull) return ok({ data, nextCursor: cursor });
  }
}
