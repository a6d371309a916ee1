import { sql } from "drizzle-orm";
import type { SinkStore, SinkStretch } from "../../domain/ports/audit-sink.ts";
import { ok } from "../../domain/result.ts";
import { raw, type Database } from "../db.ts";
import { execute } from "../execute.ts";

interface Due {
  tenantId: string;
  slug: string;
  head: number;
}

export const createSinkStore = (db: Database): SinkStore => ({
  async claim({ now, until, limit, max }) {
    const due = await db.read((builder) =>
      builder.all<Due>(sql`
        select tenantId, slug, head from (
          select t.id as tenantId, t.slug, coalesce(k.delivered, 0) as delivered,
            coalesce(k.next_at, 0) as nextAt,
            (select max(number) from seals s where s.tenant_id = t.id) as head
          from tenants t left join audit_sinks k on k.tenant_id = t.id)
        where head > delivered and nextAt <= ${now} order by nextAt, tenantId limit ${limit}`),
    );
    if (!due.ok) return due;
    if (due.value.length === 0) return ok([]);
    const written = await db.write(
      due.value.map(({ tenantId, head }) =>
        raw(sql`
          insert into audit_sinks (tenant_id, delivered, planned, attempts, next_at, behind_since)
          values (${tenantId}, 0, min(${head}, ${max}), 1, ${until}, ${now})
          on conflict (tenant_id) do update set
            planned = coalesce(planned, min(${head}, delivered + ${max})),
            attempts = attempts + 1, next_at = ${until},
            behind_since = coalesce(behind_since, ${now})
          where next_at <= ${now} and delivered < ${head}
          returning delivered, planned, attempts`),
      ),
    );
    if (!written.ok) return written;
    return ok(
      due.value.flatMap(({ tenantId, slug }, at): SinkStretch[] => {
        const row = written.value[at]?.[0];
        if (row === undefined) return [];
        const [after, through] = [Number(row["delivered"]), Number(row["planned"])];
        return [{ tenantId, slug, after, through, attempts: Number(row["attempts"]) }];
      }),
    );
  },

  delivered: ({ tenantId, after, through }) =>
    execute(db, [
      raw(sql`
        update audit_sinks set delivered = ${through}, planned = null, attempts = 0, next_at = 0,
          behind_since = null, fault = null
        where tenant_id = ${tenantId} and delivered = ${after} and planned = ${through}`),
    ]),

  failed: ({ tenantId, after, attempts }, { fault, nextAt }) =>
    execute(db, [
      raw(sql`
        update audit_sinks set fault = ${fault}, next_at = ${nextAt}
        where tenant_id = ${tenantId} and delivered = ${after} and attempts = ${attempts}`),
    ]),
});
