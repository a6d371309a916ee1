/** Numbers of a tenant's records, without gaps. The transaction that writes a record gives out its number. */
import { sql, type SQL } from "drizzle-orm";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import { textOf } from "./bulk-text.ts";
import type { Database } from "../db.ts";

/** The number of the record that is being written, as a value of its row. */
export const nextNumber = (tenantId: string): SQL =>
  sql`(select coalesce(max(last), 0) + 1 from record_numbers where tenant_id = ${tenantId})`;

/**
 * Rows `r` that the statements before wrote; `?1`: id and tenant of each. They are fresh until their numbers count as
 * used. So the same batch sent again finds no fresh row, and a row that was not kept has used no number.
 */
export const written = sql`json_each(?1) j
  cross join sampling_requests r on r.id = j.value ->> 0 and +r.tenant_id = j.value ->> 1
  left join record_numbers n on n.tenant_id = r.tenant_id`;
export const isFresh = sql`r.record_number > coalesce(n.last, 0)`;

/** The same of one row, as a condition on the table `of`. */
export const isFreshIn = (of: string): string => `${of}.record_number > coalesce((
  select last from record_numbers n where n.tenant_id = ${of}.tenant_id), 0)`;

/** Counts the rows' numbers as used, after all else that is counted of them. */
export const useNumbers = textOf(sql`
  insert into record_numbers (tenant_id, last)
  select r.tenant_id, max(r.record_number) from ${written} where ${isFresh} group by 1
  on conflict (tenant_id) do update set last = excluded.last`);

/** The last number of each tenant, by the tenant's id. */
export type RecordNumbers = Record<string, number>;

export async function readRecordNumbers(db: Database): AsyncResult<RecordNumbers> {
  const found = await db.read((builder) =>
    builder.all<{ id: string; last: number }>(
      sql`select tenant_id as id, last from record_numbers`,
    ),
  );
  return found.ok ? ok(Object.fromEntries(found.value.map(({ id, last }) => [id, last]))) : found;
}

export interface MissingRecords {
  tenantId: string;
  /** null: the tenant is missing too */
  slug: string | null;
  /** the last number that the database has */
  after: number;
  missing: number;
}

/** Which records of those numbers the database no longer has, most first. Tenants that were deleted have none. */
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
