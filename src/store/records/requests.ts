import { and, desc, eq, gte, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";
import type { UnreadableRecord } from "../../domain/audit/record.ts";
import { isCaptured, markCharacters } from "../../domain/audit/capture.ts";
import { minIdAt } from "../../domain/tenancy/ids.ts";
import type { PageRequest, RequestStore } from "../../domain/ports/stores.ts";
import type { ListFilter, Outcome } from "../../domain/audit/record.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import { raw, type Database } from "../db.ts";
import { countRows } from "../execute.ts";
import { pageOf, rowsFor } from "../page.ts";
import { readRecords } from "./readable.ts";
import { toRecord } from "./records.ts";
import { idempotency } from "../schema/ledger-schema.ts";
import { agedContents, idSlackMs } from "./retention.ts";
import { captures, samplingRequests } from "../schema.ts";
import type { NoteUnreadable } from "./unreadable.ts";

/** The unary plus disables this index: SQLite would fetch and sort a whole time span for one page. */
const createdAt = sql`+${samplingRequests.createdAt}`;

const timesOf = (filter: ListFilter) => [
  // Bounds the index scan by id; otherwise an old day is searched among all records.
  ...(filter.from === undefined
    ? []
    : [
        gte(createdAt, filter.from),
        gte(samplingRequests.id, minIdAt("request", filter.from - idSlackMs)),
      ]),
  ...(filter.to === undefined
    ? []
    : [
        lt(createdAt, filter.to),
        lt(samplingRequests.id, minIdAt("request", filter.to + idSlackMs)),
      ]),
];

const membersOf = (filter: ListFilter) => [
  filter.outcome === undefined
    ? undefined
    : inArray(samplingRequests.outcome, filter.outcome.split(",") as Outcome[]),
  filter.model === undefined ? undefined : eq(samplingRequests.model, filter.model),
  filter.key === undefined ? undefined : eq(samplingRequests.keyId, filter.key),
  // A person has few keys, and the list's index has the key.
  filter.user === undefined
    ? undefined
    : sql`${samplingRequests.keyId} in (
        select k.id from api_keys k
        where k.tenant_id = ${samplingRequests.tenantId} and k.user_id = ${filter.user})`,
  filter.server === undefined ? undefined : eq(samplingRequests.serverId, filter.server),
  filter.session === undefined ? undefined : eq(samplingRequests.sessionId, filter.session),
  filter.id === undefined
    ? undefined
    : sql`substr(${samplingRequests.id}, ${-filter.id.length}) = ${filter.id}`,
  // Held calls have no lease.
  filter.held === undefined
    ? undefined
    : and(
        eq(samplingRequests.outcome, "admitted"),
        (filter.held ? isNull : isNotNull)(samplingRequests.leaseUntil),
      ),
];

const onCapture = and(
  eq(captures.requestId, samplingRequests.id),
  eq(captures.tenantId, samplingRequests.tenantId),
);

const onReplayKey = and(
  eq(idempotency.requestId, samplingRequests.id),
  eq(idempotency.tenantId, samplingRequests.tenantId),
);

/** The list's index has the session. @param asked.since ms since the epoch */
const countsBySession = (asked: { tenantId: string; ids: string[]; since: number; max: number }) =>
  sql`select session_id as id, count(*) as requests from (
      select r.session_id from sampling_requests r
      where r.tenant_id = ${asked.tenantId} and r.id >= ${minIdAt("request", asked.since - idSlackMs)}
      order by r.id desc limit ${asked.max})
    where session_id in (select value from json_each(${JSON.stringify(asked.ids)}))
    group by session_id`;

const defaultMaxSearched = 100_000;

interface RequestStoreDeps {
  db: Database;
  note: NoteUnreadable;
  /** records that one filtered page may scan; default: about 50 ms */
  maxSearched?: number;
}

async function oldestSearched(
  { db, maxSearched = defaultMaxSearched }: RequestStoreDeps,
  asked: { tenantId: string; filter: ListFilter; page: PageRequest },
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
      .offset(maxSearched - 1),
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
      // The cursor passes every row that was read, including unreadable ones.
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
      // A partial page was scanned to its bound; the next page continues there.
      return ok({ data: shown, nextCursor: nextCursor ?? oldest.value });
    },
    async countBySession(tenantId, sessions) {
      if (sessions.length === 0) return ok(new Map());
      const ids = sessions.map(({ id }) => id);
      const since = Math.min(...sessions.map((each) => each.createdAt));
      const max = deps.maxSearched ?? defaultMaxSearched;
      const found = await db.read((builder) =>
        builder.all<{ id: string; requests: number }>(
          countsBySession({ tenantId, ids, since, max }),
        ),
      );
      if (!found.ok) return found;
      return ok(new Map(found.value.map(({ id, requests }) => [id, requests])));
    },
    pruneContents: (now) =>
      countRows(db, [
        raw(
          sql`delete from captures where request_id in (${agedContents(now)}) returning request_id`,
        ),
      ]),
  };
};
