/** Webhook messages about pending calls, written in the transactions that change the calls. */
import { sql, type SQL } from "drizzle-orm";
import { raw, type Compiled } from "../db.ts";

const moment = (ms: SQL): SQL => sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`;

/** The id names call, stage, and state, so a batch that is sent twice writes the message once. */
export const announce = (condition: SQL, now: number): Compiled =>
  raw(sql`
    insert into webhook_messages (tenant_id, id, url, body, state, attempts, created_at, next_at)
    select tenant_id, 'msg_' || request_id || '_' || stage || '_' || what, webhook_url,
      json_object(
        'type', 'approval.' || what,
        'timestamp', ${moment(sql`${now}`)},
        'data', json_set(notice,
          '$.model', coalesce(edited ->> 'model', notice ->> 'model'),
          '$.deadline', ${moment(sql`deadline`)},
          '$.decidedBy', decided_by,
          '$.decidedAt', case when decided_at is null then null else ${moment(sql`decided_at`)} end)),
      'pending', 0, ${now}, ${now}
    from (
      select *, case
        when state = 'waiting' then 'held'
        when state = 'expired' and decided_by = 'timeout' then 'timed_out'
        when state = 'expired' then 'abandoned'
        else state end as what
      from approvals where webhook_url is not null and (${condition}))
    where true on conflict do nothing`);
