/** Cursor pagination, newest first: ids sort by time, so the cursor is the last id of a page. */
import { and, eq, lt, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Page, PageRequest } from "../domain/ports/stores.ts";

export const isOnPage = (
  table: { id: SQLiteColumn; tenantId: SQLiteColumn },
  tenantId: string | null,
  { cursor }: PageRequest,
): SQL | undefined =>
  and(
    tenantId === null ? undefined : eq(table.tenantId, tenantId),
    cursor === null ? undefined : lt(table.id, cursor),
  );

/** One more row than shown tells whether a next page exists. */
export const rowsFor = (page: PageRequest): number => page.limit + 1;

export function pageOf<T extends { id: string }>(rows: T[], page: PageRequest): Page<T> {
  const data = rows.slice(0, page.limit);
  const last = data.at(-1);
  return { data, nextCursor: rows.length > page.limit && last !== undefined ? last.id : null };
}
