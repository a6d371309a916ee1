import { sql } from "drizzle-orm";
import type { AllNameStore } from "../../domain/ports/names.ts";
import { ok } from "../../domain/result.ts";
import type { Database } from "../db.ts";

interface Named {
  id: string;
  name: string;
}

export const createNameStore = (db: Database): AllNameStore => {
  const ofAll: AllNameStore["ofAll"] = async (pairs) => {
    if (pairs.length === 0) return ok({});
    const wanted = sql`(select distinct value ->> 0 as tenant_id, value ->> 1 as id
      from json_each(${JSON.stringify(pairs)}))`;
    const found = await db.read((builder) =>
      builder.all<Named>(sql`
        select t.id, t.name from ${wanted} w join tenants t on t.id = w.id and t.id = w.tenant_id
        union all
        select k.id, coalesce(u.name || '’s sign-in', k.name) from ${wanted} w
        join api_keys k on k.id = w.id and k.tenant_id = w.tenant_id
        left join users u on u.id = k.user_id and u.tenant_id = k.tenant_id and u.key_id = k.id
        union all
        select s.id, s.slug as name from ${wanted} w
        join servers s on s.id = w.id and s.tenant_id = w.tenant_id
        union all
        select c.id, case when c.name = c.provider then c.name else c.provider || ', ' || c.name end
        from ${wanted} w join credentials c on c.id = w.id and c.tenant_id = w.tenant_id
        union all
        select u.id, u.name from ${wanted} w
        join users u on u.id = w.id and u.tenant_id = w.tenant_id where u.name is not null`),
    );
    return found.ok ? ok(Object.fromEntries(found.value.map(({ id, name }) => [id, name]))) : found;
  };
  return {
    ofAll,
    of: (tenantId, ids) => ofAll(ids.map((id) => [tenantId, id] as const)),
  };
};
