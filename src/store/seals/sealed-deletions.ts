import { sql, type SQL } from "drizzle-orm";
import type { DeletionNotice } from "../../domain/audit/deletion-notices.ts";
import { ok } from "../../domain/result.ts";
import type { EmptiedPosition } from "../../domain/audit/deletion-notices.ts";
import type { ChainPosition, SealStore } from "../../domain/audit/seals.ts";
import { raw, type Compiled, type Database } from "../db.ts";
import type { RequestRow } from "../records/record-codes.ts";
import { agedRecords } from "../records/retention.ts";
import { withoutLeaves } from "./seal-columns.ts";
import { seals } from "../schema/seal-schema.ts";

const oldestAtOnce = 500;

export const previousPositionOf = ({
  formerSeal,
  formerPosition,
}: RequestRow): ChainPosition | null =>
  formerSeal === null || formerPosition === null
    ? null
    : { seal: formerSeal, position: formerPosition };

/** Appended in SQL, so that concurrent notices are kept. */
export function appendNotices(
  notices: readonly DeletionNotice[],
  condition: SQL = sql`true`,
): Compiled[] {
  if (notices.length === 0) return [];
  const bySeal = Map.groupBy(notices, ({ tenantId, seal }) => `${tenantId} ${seal}`);
  const changes = JSON.stringify(
    Array.from(bySeal.values(), (added) => [added[0]?.tenantId, added[0]?.seal, added]),
  );
  const kept = sql`case when json_valid(seals.deletions) then seals.deletions else '[]' end`;
  return [
    raw(sql`
      update seals set deletions = (
        select json_group_array(json(n.value)) from (
          select value from json_each(${kept}) union all select value from json_each(c.added)) n)
      from (select value ->> 0 as tenant, value ->> 1 as number, value -> 2 as added
        from json_each(${changes})) as c
      where seals.tenant_id = c.tenant and seals.number = c.number and ${condition}`),
  ];
}

type SealedDeletions = Pick<SealStore, "aged" | "oldest" | "sealsAt" | "deleteSealed">;

export const createSealedDeletions = (db: Database): SealedDeletions => ({
  aged: (now) =>
    db.read(async (builder) => {
      const rows = await builder.all<Omit<EmptiedPosition, "reason">>(agedRecords(now));
      return rows.map((row) => ({ ...row, reason: "retention" as const }));
    }),
  oldest: () =>
    db.read(async (builder) => {
      const rows = await builder.all<Omit<EmptiedPosition, "reason" | "createdBefore">>(sql`
        select r.tenant_id as tenantId, r.id as id, r.seal_number as seal,
          r.seal_position as position
        from tenants t cross join sampling_requests r
        where r.tenant_id = t.id and r.seal_number is not null order by r.tenant_id, r.id
        limit ${oldestAtOnce}`);
      return rows.map((row) => ({ ...row, reason: "space" as const, createdBefore: null }));
    }),
  sealsAt: (positions) => {
    const distinct = new Map(
      positions.map(({ tenantId, seal }) => [`${tenantId} ${seal}`, [tenantId, seal]]),
    );
    const wanted = JSON.stringify([...distinct.values()]);
    return db.read((builder) =>
      builder
        .select(withoutLeaves)
        .from(seals)
        .where(
          sql`(${seals.tenantId}, ${seals.number}) in (select value ->> 0, value ->> 1 from json_each(${wanted}))`,
        ),
    );
  },
  async deleteSealed(positions, notices) {
    const changes = JSON.stringify(
      positions.map(({ id, tenantId, seal, position }) => [id, tenantId, seal, position]),
    );
    // The unary plus disables the tenant's index: each record is found by id.
    const still = sql`
      select r.id from json_each(${changes}) j cross join sampling_requests r
      where r.id = j.value ->> 0 and +r.tenant_id = j.value ->> 1
        and r.seal_number = j.value ->> 2 and r.seal_position = j.value ->> 3`;
    const before = [
      ...appendNotices(notices),
      raw(sql`delete from captures where request_id in (${still})`),
    ];
    const written = await db.write([
      ...before,
      raw(sql`delete from sampling_requests where id in (${still}) returning id`),
    ]);
    return written.ok ? ok((written.value[before.length] ?? []).length) : written;
  },
});
