/** What every list promises: newest first, page by page, each object once. */
import type { AsyncResult } from "../../../src/domain/refusals.ts";
import { expect } from "vitest";
import type { Page, PageRequest } from "../../../src/domain/ports/stores.ts";
import { value } from "./open.ts";

/** `made`: the ids in the order in which they were made, five of them. */
export async function expectPages<T extends { id: string }>(
  list: (page: PageRequest) => AsyncResult<Page<T>>,
  made: readonly string[],
): Promise<void> {
  expect(made).toHaveLength(5);
  const newest = made.toReversed();
  const idsOf = (page: Page<T>): string[] => page.data.map(({ id }) => id);

  const all = value(await list({ cursor: null, limit: 5 }));
  expect([idsOf(all), all.nextCursor]).toEqual([newest, null]);

  const first = value(await list({ cursor: null, limit: 2 }));
  expect(idsOf(first)).toEqual(newest.slice(0, 2));
  const second = value(await list({ cursor: first.nextCursor, limit: 2 }));
  expect(idsOf(second)).toEqual(newest.slice(2, 4));
  const third = value(await list({ cursor: second.nextCursor, limit: 2 }));
  expect([idsOf(third), third.nextCursor]).toEqual([newest.slice(4), null]);
}
