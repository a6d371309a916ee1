import { and, eq, sql, type SQL } from "drizzle-orm";
import type { UnreadableRecord } from "../../domain/audit/record.ts";
import { raw, type Database } from "../db.ts";
import { samplingRequests } from "../schema.ts";
import { unreadableRecords } from "../schema/seal-schema.ts";

const dayMs = 86_400_000;

export interface UnreadableDeps {
  eventId: () => string;
  now: () => number;
  report: (found: UnreadableRecord) => void;
}

export type NoteUnreadable = (found: readonly UnreadableRecord[]) => Promise<void>;

/** The read that found the records succeeds even if this fails. */
export const createNoteUnreadable =
  (db: Database, deps: UnreadableDeps | undefined): NoteUnreadable =>
  async (found) => {
    if (deps === undefined || found.length === 0) return;
    const at = deps.now();
    const written = await db.write(
      found.flatMap(({ tenantId, id, problem }) => {
        const known = sql`exists (select 1 from unreadable_records u
          where u.tenant_id = ${tenantId} and u.request_id = ${id})`;
        return [
          raw(sql`
            insert into admin_events (id, at, actor, action, tenant_id, target, detail)
            select ${deps.eventId()}, ${at}, 'router', 'record.unreadable', ${tenantId}, ${id},
              ${JSON.stringify({ problem })}
            where not ${known}
            returning target`),
          db.builder
            .insert(unreadableRecords)
            .values({ tenantId, requestId: id, problem, foundAt: at })
            .onConflictDoUpdate({
              target: [unreadableRecords.tenantId, unreadableRecords.requestId],
              set: { foundAt: at, problem },
            }),
        ];
      }),
    );
    if (!written.ok) return;
    for (const [index, record] of found.entries())
      if ((written.value[2 * index] ?? []).length > 0) deps.report(record);
  };

const ofRecord = and(
  eq(unreadableRecords.tenantId, samplingRequests.tenantId),
  eq(unreadableRecords.requestId, samplingRequests.id),
);

/** Retried after a day, since the row may have been repaired. */
export const isUnreadableNow = (now: number): SQL =>
  sql`exists (select 1 from ${unreadableRecords} where ${ofRecord}
    and ${unreadableRecords.foundAt} > ${now - dayMs})`;
