import { sql } from "drizzle-orm";
import type { NameStore } from "../../domain/ports/names.ts";
import { ok } from "../../domain/result.ts";
import type { Database } from "../db.ts";

interface Named {
  id: string;
  name: string;
}

export const createNameStore = (db: Database): NameStore => ({
  async of(tenantId, ids) {
    if (ids.length === 0) return ok({});
    const wanted = JSON.stringify([...new Set(ids)]);
    const found = await db.read((builder) =>
      builder.all<Named>(sql`
        select id, name from tenants
        where id = ${tenantId} and id in (select value from json_each(${wanted}))
        union all
        select id, name from api_keys
        where tenant_id = ${tenantId} and id in (select value from json_each(${wanted}))
        union all
        select id, slug as name from servers
        where tenant_id = ${tenantId} and id in (select value from json_each(${wanted}))
        union all
        select id, case when name = provider then name else provider || ', ' || name end as name
        from credentials
        where tenant_id = ${tenantId} and id in (select value from json_each(${wanted}))
        union all
        select id, name from users where tenant_id = ${tenantId} and name is not null
          and id in (select value from json_each(${wanted}))`),
    );
    return found.ok ? ok(Object.fromEntries(found.value.map(({ id, name }) => [id, name]))) : found;
  },
});
