/** The audit chain: a row per seal, and each record's position in its row. */
import { and, asc, between, desc, eq, gt, gte, lt, sql } from "drizzle-orm";
import type { UnreadableRecord } from "../../domain/audit/record.ts";
import { ok } from "../../domain/result.ts";
import type { ChainPosition, SealStore, StoredSeal } from "../../domain/audit/seals.ts";
import { createAuditKeyStore } from "./audit-keys.ts";
import type { Database } from "../db.ts";
import { readRecords } from "../records/readable.ts";
import { toRecord } from "../records/records.ts";
import { samplingRequests } from "../schema.ts";
import { headOf, withoutLeaves } from "./seal-columns.ts";
import { createSealRun } from "./seal-run.ts";
import { createSealedDeletions } from "./sealed-deletions.ts";
import { seals } from "../schema/seal-schema.ts";
import { type NoteUnreadable } from "../records/unreadable.ts";

export const createSealStore = (db: Database, note: NoteUnreadable): SealStore => ({
  ...createSealRun(db, note),
  ...createAuditKeyStore(db),
  ...createSealedDeletions(db),
  countWaiting: (tenantId) =>
    db.read(async (builder) => {
      // The first figure comes from the `waiting` index, the second from the few reported records.
      const [row] = await builder.all<{ all: number; unreadable: number }>(sql`
        select (select count(*) from sampling_requests
            where tenant_id = ${tenantId} and seal_number is null and outcome <> 'admitted') as "all",
          (select count(*) from unreadable_records u cross join sampling_requests r
            where u.tenant_id = ${tenantId} and r.id = u.request_id and +r.tenant_id = u.tenant_id
              and r.seal_number is null and r.outcome <> 'admitted') as unreadable`);
      const { all = 0, unreadable = 0 } = row ?? {};
      return { waiting: all - unreadable, unreadable };
    }),
  list: (tenantId, page) =>
    db.read(async (builder) => {
      const rows: StoredSeal[] = await builder
        .select(withoutLeaves)
        .from(seals)
        .where(
          and(
            eq(seals.tenantId, tenantId),
            page.cursor === null ? undefined : lt(seals.number, Number(page.cursor)),
          ),
        )
        .orderBy(desc(seals.number))
        .limit(page.limit + 1);
      const data = rows.slice(0, page.limit);
      const last = data.at(-1);
      const more = rows.length > page.limit && last !== undefined;
      return { data, nextCursor: more ? String(last.number) : null };
    }),
  head: (tenantId) =>
    db.read(async (builder) => {
      const [head] = await headOf(builder, tenantId);
      return head ?? null;
    }),
  sealRange: (tenantId, { after, from, to }) =>
    db.read(async (builder) => {
      const [row] = await builder
        .select({
          first: sql<number | null>`min(${seals.number})`,
          last: sql<number | null>`max(${seals.number})`,
        })
        .from(seals)
        .where(
          and(
            eq(seals.tenantId, tenantId),
            gt(seals.number, after),
            from === undefined ? undefined : gte(seals.lastCreatedAt, from),
            to === undefined ? undefined : lt(seals.firstCreatedAt, to),
          ),
        );
      const { first = null, last = null } = row ?? {};
      return first === null || last === null ? null : { first, last };
    }),
  spans: (tenantId, { first, last }, limit) =>
    db.read((builder) =>
      builder
        .select({ number: seals.number, count: seals.count })
        .from(seals)
        .where(and(eq(seals.tenantId, tenantId), between(seals.number, first, last)))
        .orderBy(asc(seals.number))
        .limit(limit),
    ),
  async read(tenantId, { first, last }) {
    const found = await readRecords(
      db,
      async (builder, row) => {
        const [chain, rows] = await builder.batch([
          builder
            .select()
            .from(seals)
            .where(and(eq(seals.tenantId, tenantId), between(seals.number, first, last)))
            .orderBy(asc(seals.number)),
          builder
            .select({ row })
            .from(samplingRequests)
            .where(
              and(
                eq(samplingRequests.tenantId, tenantId),
                between(samplingRequests.sealNumber, first, last),
              ),
            )
            .orderBy(asc(samplingRequests.sealNumber), asc(samplingRequests.sealPosition)),
        ]);
        return { chain, rows };
      },
      ({ rows }) => rows.map(({ row }) => row),
    );
    if (!found.ok) return found;
    const { read, decode } = found.value;
    const unreadable: (ChainPosition & UnreadableRecord)[] = [];
    const records = read.rows.flatMap(({ row }) => {
      const place = { seal: Number(row.sealNumber), position: Number(row.sealPosition) };
      const decoded = decode(row);
      if (decoded.ok) return [{ ...place, record: toRecord(decoded.value, false) }];
      unreadable.push({ ...place, tenantId, id: row.id, problem: decoded.error });
      return [];
    });
    await note(unreadable);
    return ok({ seals: read.chain, records, unreadable });
  },
  heads: (after, limit) =>
    db.read((builder) =>
      builder
        .select(withoutLeaves)
        .from(seals)
        .where(
          and(
            gt(seals.tenantId, after),
            eq(
              seals.number,
              sql`(select max(s.number) from seals s where s.tenant_id = ${seals.tenantId})`,
            ),
          ),
        )
        .orderBy(asc(seals.tenantId))
        .limit(limit),
    ),
});
