import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import type { UnreadableRecord } from "../../domain/audit/record.ts";
import { isCaptured, markCharacters } from "../../domain/audit/capture.ts";
import { leastIdAt } from "../../domain/tenancy/ids.ts";
import type { PageRequest, RequestStore } from "../../domain/ports/stores.ts";
import type { RequestFilter } from "../../domain/audit/record.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import { raw, type Database } from "../db.ts";
import { pageOf, rowsFor } from "../page.ts";
import { readRecords } from "./readable.ts";
import { toRecord } from "./records.ts";
import { idempotency } from "../schema/ledger-schema.ts";
import { agedContents, idSlackMs } from "./retention.ts";
import { captures, samplingRequests } from "../schema.ts";
import type { NoteUnreadable } from "./unreadable.ts";

/**
 * With a sign, so that no index on this column is used. Else SQLite would leave the order of ids, fetch
 * all that a time span has and sort it, to give one page of it.
 */
const createdAt = sql`+${samplingRequests.createdAt}`;

const timesOf = (filter: RequestFilter) => [
  // The ids bound what is read of the index: else a day of long ago is looked for among all records.
  ...(filter.from === undefined
    ? []
    : [
        gte(createdAt, filter.from),
        gte(samplingRequests.id, leastIdAt("request", filter.from - idSlackMs)),
      ]),
  ...(filter.to === undefined
    ? []
    : [
        lt(createdAt, filter.to),
        lt(samplingRequests.id, leastIdAt("request", filter.to + idSlackMs)),
      ]),
];

const membersOf = (filter: RequestFilter) => [
  filter.outcome === undefined ? undefined : eq(samplingRequests.outcome, filter.outcome),
  filter.model === undefined ? undefined : eq(samplingRequests.model, filter.model),
  filter.key === undefined ? undefined : eq(samplingRequests.keyId, filter.key),
  // A person's keys are few, and the index of lists has the key.
  filter.user === undefined
    ? undefined
    : sql`${samplingRequests.keyId} in (
        select k.id from api_keys k
        where k.tenant_id = ${samplingRequests.tenantId} and k.user_id = ${filter.user})`,
  filter.server === undefined ? undefined : eq(samplingRequests.serverId, filter.server),
  filter.session === undefined ? undefined : eq(samplingRequests.sessionId, filter.session),
];

const onCapture = and(
  eq(captures.requestId, samplingRequests.id),
  eq(captures.tenantId, samplingRequests.tenantId),
);

const onReplayKey = and(
  eq(idempotency.requestId, samplingRequests.id),
  eq(idempotency.tenantId, samplingRequests.tenantId),
);

interface RequestStoreDeps {
  db: Database;
  note: NoteUnreadable;
  /** how many records one page of a filtered list looks at; absent: as many as take some 50 ms */
  mostSearched?: number;
}

/**
 * The oldest record that one page looks at, where the filter may match few: they would else be looked for among millions. null: the
 * page looks at all.
 */
async function oldestSearched(
  { db, mostSearched = 100_000 }: RequestStoreDeps,
  asked: { tenantId: string; filter: RequestFilter; page: PageRequest },
): AsyncResult<string | null> {
  const { tenantId, filter, page } = asked;
  if (membersOf(filter).every((condition) => condition === undefined)) return ok(null);
  const found = await db.read((builder) =>
    builder
      .select({ id: samplingRequests.id })
      .from(samplingRequests)
      .where(and(...listed(tenantId, page), ...timesOf(filter)))
      .orderBy(desc(samplingRequests.id))
      .limit(1)
      .offset(mostSearched - 1),
  );
  return found.ok ? ok(found.value[0]?.id ?? null) : found;
}

const listed = (tenantId: string, { cursor }: PageRequest) => [
  eq(samplingRequests.tenantId, tenantId),
  cursor === null ? undefined : lt(samplingRequests.id, cursor),
];

export const createRequestStore = (deps: RequestStoreDeps): RequestStore => {
  const { db, note } = deps;
  return {
    async get(tenantId, id) {
      const found = await readRecords(
        db,
        (builder, row) =>
          builder
            .select({ row, sealed: captures.sealed, replays: idempotency.replays })
            .from(samplingRequests)
            .leftJoin(captures, onCapture)
            .leftJoin(idempotency, onReplayKey)
            .where(and(eq(samplingRequests.tenantId, tenantId), eq(samplingRequests.id, id)))
            .limit(1),
        (rows) => rows.map(({ row }) => row),
      );
      if (!found.ok) return found;
      const [first] = found.value.read;
      if (first === undefined) return ok(null);
      const row = found.value.decode(first.row);
      if (!row.ok) {
        await note([{ tenantId, id, problem: row.error }]);
        return err({ reason: "unreadable", what: `request ${id}` });
      }
      const { sealed, replays } = first;
      return ok({ ...toRecord(row.value, isCaptured(sealed), replays), content: sealed });
    },
    async list(tenantId, filter, page) {
      const oldest = await oldestSearched(deps, { tenantId, filter, page });
      if (!oldest.ok) return oldest;
      const found = await readRecords(
        db,
        (builder, row) =>
          builder
            .select({
              row,
              mark: sql<string | null>`substr(${captures.sealed}, 1, ${markCharacters})`,
              replays: idempotency.replays,
            })
            .from(samplingRequests)
            .leftJoin(captures, onCapture)
            .leftJoin(idempotency, onReplayKey)
            .where(
              and(
                ...listed(tenantId, page),
                oldest.value === null ? undefined : gte(samplingRequests.id, oldest.value),
                ...timesOf(filter),
                ...membersOf(filter),
              ),
            )
            .orderBy(desc(samplingRequests.id))
            .limit(rowsFor(page)),
        (rows) => rows.map(({ row }) => row),
      );
      if (!found.ok) return found;
      const { read, decode } = found.value;
      // The cursor leads past every row that was read, also those that can't be shown.
      const { data, nextCursor } = pageOf(
        read.map((each) => ({ ...each, id: each.row.id })),
        page,
      );
      const unreadable: UnreadableRecord[] = [];
      const shown = data.flatMap(({ id, row, mark, replays }) => {
        const decoded = decode(row);
        if (decoded.ok) return [toRecord(decoded.value, isCaptured(mark), replays)];
        unreadable.push({ tenantId, id, problem: decoded.error });
        return [];
      });
      await note(unreadable);
      // A page that is not full was searched to its end, and the next one goes on there.
      return ok({ data: shown, nextCursor: nextCursor ?? oldest.value });
    },
    async pruneContents(now) {
      const written = await db.write([
        raw(
          sql`delete from captures where request_id in (${agedContents(now)}) returning request_id`,
        ),
      ]);
      return written.ok ? ok((written.value[0] ?? []).length) : written;
    },
  };
};
