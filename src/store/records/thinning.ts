/** Refusals are counted in the transaction that decides them, so a hundred a minute holds across isolates. */
import { sql } from "drizzle-orm";
import type { ThinningStore } from "../../domain/ports/ledger.ts";
import {
  minuteOf,
  minuteSeconds,
  recordedRefusals,
  type ThinnedMinute,
} from "../../domain/audit/thinning.ts";
import { prepared, raw, type Compiled, type Database } from "../db.ts";
import { execute } from "../execute.ts";
import { isFreshIn } from "./record-numbers.ts";
import { usageHourOf } from "./usage.ts";

/** In `counters`, with the key as subject and the minute as bucket. */
const resource = "refusals";
/** Tolerates clock differences between isolates. */
const lagSeconds = minuteSeconds;
const listed = 50;

// Built once, since every admission under a rate limit sends both. Parameters are positional.
const isNewRefusal = `id = ? and tenant_id = ?
  and outcome = 'refused' and reason = 'rate_limited' and ${isFreshIn("sampling_requests")}`;
const countText = `
  insert into counters (tenant_id, subject, resource, bucket, amount)
  select tenant_id, key_id, '${resource}', ?, 1 from sampling_requests where ${isNewRefusal}
  on conflict (tenant_id, subject, resource, bucket) do update set amount = amount + 1`;
const thinText = `
  delete from sampling_requests where ${isNewRefusal}
    and (select c.amount from counters c where c.tenant_id = sampling_requests.tenant_id
      and c.subject = sampling_requests.key_id and c.resource = '${resource}'
      and c.bucket = ?) > ${recordedRefusals}
  returning outcome, refused_check, retry_after_ms, reserved_tokens`;

interface NewRequest {
  id: string;
  tenantId: string;
  now: number;
}

/** Must run after the request is written and before it is numbered or counted. */
export const countRefusal = ({ id, tenantId, now }: NewRequest): Compiled =>
  prepared(countText, [minuteOf(now), id, tenantId]);

/** Removes the row if its minute already has a hundred. Returns the refusal. */
export const thinRefusal = ({ id, tenantId, now }: NewRequest): Compiled =>
  prepared(thinText, [id, tenantId, minuteOf(now)]);

export const createThinningStore = (db: Database): ThinningStore => ({
  ended: (now) =>
    db.read((builder) =>
      builder.all<ThinnedMinute>(sql`
        select tenant_id as tenantId, subject as keyId, bucket as minute,
          amount - ${recordedRefusals} as requests
        from counters
        where resource = ${resource} and bucket < ${minuteOf(now) - lagSeconds}
          and amount > ${recordedRefusals}
        order by bucket limit ${listed}`),
    ),
  recorded({ tenantId, keyId, minute }) {
    const where = sql`tenant_id = ${tenantId} and subject = ${keyId} and resource = ${resource}
      and bucket = ${minute}`;
    return execute(db, [
      // Usage counted the summary record as one refusal, but its requests were already counted.
      raw(sql`
        update usage set refused = refused - 1, delivered = 0
        where tenant_id = ${tenantId} and hour = ${usageHourOf(minute * 1_000)}
          and key_id = ${keyId} and server_id = '' and model = ''
          and exists (select 1 from counters where ${where})`),
      raw(sql`delete from counters where ${where}`),
    ]);
  },
});
