/**
 * Fill level of a tenant's own database, and early deletion to make room. The database holds one tenant, so its
 * oldest rows are that tenant's.
 */
import { sql, type SQL } from "drizzle-orm";
import type { AdminEvent } from "../../domain/admin-event.ts";
import { roomLevels, type RoomLevel } from "../../domain/limits/room.ts";
import { defaultEarlyDeletion, expendable, type Expendable } from "../../domain/choice/policy.ts";
import type { RoomStore } from "../../domain/ports/room.ts";
import { ok } from "../../domain/result.ts";
import { raw, type Compiled, type Database } from "../db.ts";
import { countRows, execute } from "../execute.ts";

const job = "room";
/** Captures and results may have megabytes each. */
const largeRowsAtOnce = 50;

const levelOf = (cursor: unknown): RoomLevel =>
  roomLevels.find((level) => level === cursor) ?? "enough";

function earlyDeletionIn(policy: string | null): readonly Expendable[] {
  const named: unknown = policy === null ? null : JSON.parse(policy);
  if (!Array.isArray(named)) return defaultEarlyDeletion;
  return named.flatMap((name) => expendable.find((kind) => kind === name) ?? []);
}

const current = sql`select cursor from job_leases where job = ${job}`;

/** Names the tenant, because operators can't identify a database otherwise. */
const appendTenantsEvent = (event: AdminEvent, condition: SQL): Compiled =>
  raw(sql`
    insert into admin_events (id, at, actor, action, tenant_id, target, detail)
    select ${event.id}, ${event.at}, ${event.actor}, ${event.action}, t.id, t.id,
      ${JSON.stringify(event.detail)}
    from tenants t where ${condition} limit 1`);

const deletions: Readonly<Record<"contents" | "results", readonly Compiled[]>> = {
  contents: [
    raw(sql`
      delete from captures where request_id in (
        select c.request_id from tenants t cross join captures c where c.tenant_id = t.id
        order by c.tenant_id, c.request_id limit ${largeRowsAtOnce}) returning 1`),
  ],
  // Claims of idempotency keys stay until they expire: a repeated call must not reach a provider again.
  results: [
    raw(sql`
      delete from results where rowid in (
        select rowid from results order by expires_at limit ${largeRowsAtOnce}) returning 1`),
  ],
};

export const createRoomStore = (db: Database): RoomStore => ({
  async noted() {
    const found = await db.read((builder) =>
      builder.all<{ level: string | null; early: string | null }>(sql`
        select (${current}) as level,
          (select policy -> '$.earlyDeletion' from tenants limit 1) as early`),
    );
    if (!found.ok) return found;
    const [row] = found.value;
    return ok({ level: levelOf(row?.level), earlyDeletion: earlyDeletionIn(row?.early ?? null) });
  },
  note({ from, to }, event) {
    const isStill = sql`coalesce((${current}), 'enough') = ${from}`;
    return execute(db, [
      // Must precede the change, which ends the condition.
      appendTenantsEvent(event, isStill),
      raw(sql`
        insert into job_leases (job, until, cursor) select ${job}, 0, ${to} where ${isStill}
        on conflict (job) do update set cursor = excluded.cursor`),
    ]);
  },
  deleteOldest: (kind) => countRows(db, deletions[kind]),
  append: (event) => execute(db, [appendTenantsEvent(event, sql`true`)]),
});
