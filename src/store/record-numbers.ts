/** Numbers of a tenant's records, without gaps. The transaction that writes a record gives out its number. */
import { sql, type SQL } from "drizzle-orm";
import { raw, type Compiled } from "./db.ts";

/** The number of the record that is being written, as a value of its row. */
export const nextNumber = (tenantId: string): SQL =>
  sql`(select coalesce(max(last), 0) + 1 from record_numbers where tenant_id = ${tenantId})`;

/**
 * Counts the number as used. It comes after the record's row is written and before the row says that it
 * is counted. So a batch that is sent twice finds the row counted, and a row that was not kept has used
 * no number.
 */
export const useNumber = ({ id, tenantId }: { id: string; tenantId: string }): Compiled =>
  raw(sql`
    insert into record_numbers (tenant_id, last)
    select r.tenant_id, r.record_number from sampling_requests r
    where r.id = ${id} and r.tenant_id = ${tenantId} and r.counted = 0
      and r.record_number is not null
    on conflict (tenant_id) do update set last = excluded.last`);
