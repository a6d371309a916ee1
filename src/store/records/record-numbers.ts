/** Gapless record numbers per tenant, assigned in the transaction that writes the record. */
import { sql, type SQL } from "drizzle-orm";
import type { AsyncResult } from "../../domain/refusals.ts";
import { mapped } from "../../domain/result.ts";
import { textOf } from "./bulk-text.ts";
import type { Database } from "../db.ts";

export const nextNumber = (tenantId: string): SQL =>
  sql`(select coalesce(max(last), 0) + 1 from record_numbers where tenant_id = ${tenantId})`;

/** `?1`: id and tenant of each. Fresh until their numbers count as used, so a repeated batch finds none. */
export const written = sql`json_each(?1) j
  cross join sampling_requests r on r.id = j.value ->> 0 and +r.tenant_id = j.value ->> 1
  left join record_numbers n on n.tenant_id = r.tenant_id`;
export const isFresh = sql`r.record_number > coalesce(n.last, 0)`;

/** The same for one row of the table `of`. */
export const isFreshIn = (of: string): string => `${of}.record_number > coalesce((
  select last from record_numbers n where n.tenant_id = ${of}.tenant_id), 0)`;

/** Must run after everything else that counts the rows. */
export const useNumbers = textOf(sql`
  insert into record_numbers (tenant_id, last)
  select r.tenant_id, max(r.record_number) from ${written} where ${isFresh} group by 1
  on conflict (tenant_id) do update set last = excluded.last`);

export type RecordNumbers = Record<string, number>;

export const readRecordNumbers = (db: Database): AsyncResult<RecordNumbers> =>
  mapped(
    db.read((builder) =>
      builder.all<{ id: string; last: number }>(
        sql`select tenant_id as id, last from record_numbers`,
      ),
    ),
    (found) => Object.fromEntries(found.map(({ id, last }) => [id, last])),
  );

export interface MissingRecords {
  tenantId: string;
  /** `null` if the tenant is missing as well */
  slug: string | null;
  after: number;
  missing: number;
}

/** Missing record numbers, most first. Deleted tenants are skipped. */
export const missingRecords = (
  db: Database,
  numbers: RecordNumbers,
): AsyncResult<MissingRecords[]> =>
  db.read((builder) =>
    builder.all<MissingRecords>(sql`
      select j.key as tenantId, t.slug, coalesce(n.last, 0) as after,
        j.value - coalesce(n.last, 0) as missing
      from json_each(${JSON.stringify(numbers)}) j
        left join record_numbers n on n.tenant_id = j.key
        left join tenants t on t.id = j.key
      where j.value > coalesce(n.last, 0) and not exists (
        select 1 from admin_events e where e.tenant_id = j.key and e.action = 'tenant.delete')
      order by missing desc, j.key`),
  );
