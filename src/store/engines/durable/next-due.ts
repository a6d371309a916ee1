/** Computes when scheduled jobs have work. Each query reads one table by one index. */
import { forgottenAfterMs } from "../../../domain/choice/circuits.ts";
import { defaultRetentionDays } from "../../../domain/choice/policy.ts";
import { recordedRefusals } from "../../../domain/audit/thinning.ts";
import { keptCancellationsMs } from "../../sessions/cancellations.ts";
import { keptSamplesMs } from "../../tenants/health.ts";
import { keptAlertsMs } from "../../notifications/alerts.ts";
import { keptMessagesMs } from "../../../domain/ports/webhooks.ts";
import { keptRunSeconds, keptSeconds, runResources } from "../../ledger/ledger.ts";
import type { ObjectSql } from "./object-sql.ts";

const dayMs = 86_400_000;
/** ms until a minute is over for every isolate. */
const thinnedAfterMs = 120_000;

const policyDays = (name: string): string =>
  `json_extract(case when json_valid(t.policy) then t.policy end, '$.${name}')`;
const oldestRecord = `select r.created_at + ${dayMs} * coalesce(${policyDays("retentionDays")}, ${defaultRetentionDays})
  from tenants t cross join sampling_requests r where r.tenant_id = t.id and r.seal_number is not null
  order by r.tenant_id, r.id limit 1`;
const oldestContent = `select r.created_at + ${dayMs} * ${policyDays("contentRetentionDays")}
  from tenants t cross join captures c join sampling_requests r on r.id = c.request_id
  where c.tenant_id = t.id order by c.tenant_id, c.request_id limit 1`;

const texts: readonly string[] = [
  "select min(lease_until) from sampling_requests where outcome = 'admitted'",
  "select 0 from sampling_requests where seal_number is null and outcome <> 'admitted' limit 1",
  // Sealed records that are not in the latency counts; due immediately.
  `select 0 from tenants t left join latency_cursors c on c.tenant_id = t.id
    where exists (select 1 from sampling_requests r where r.tenant_id = t.id and r.seal_number is not null
      and (r.seal_number, r.seal_position) > (coalesce(c.seal, 0), coalesce(c.position, -1))) limit 1`,
  ...Object.entries(keptSeconds).map(
    ([resource, seconds]) =>
      `select (min(bucket) + ${seconds}) * 1000 from counters where resource = '${resource}'`,
  ),
  ...runResources.map(
    (resource) => `select (min(last) + ${keptRunSeconds}) * 1000 from (
      select max(bucket) as last from counters where resource = '${resource}' group by tenant_id, subject)`,
  ),
  `select bucket * 1000 + ${thinnedAfterMs} from counters
    where resource = 'refusals' and amount > ${recordedRefusals} order by bucket limit 1`,
  "select min(expires_at) from idempotency",
  "select min(expires_at) from results",
  `select min(at) + ${keptCancellationsMs} from cancellations`,
  "select min(deadline) from questions",
  `select min(updated_at) + ${keptSamplesMs} from health`,
  `select min(updated_at) + ${forgottenAfterMs} from circuits`,
  "select min(expires_at) from sessions",
  "select min(expires_at) from console_sessions",
  "select min(expires_at) from authorizations",
  "select min(expires_at) from oauth_entries",
  // Pending calls with a passed deadline, or decided calls to end immediately.
  `select min(deadline) from approvals where is_open = 1
    and (state = 'waiting' or (state = 'approved' and stage = 'request'))`,
  `select 0 from approvals where is_open = 1
    and (state in ('denied', 'expired', 'withdrawn') or (state = 'approved' and stage = 'result')) limit 1`,
  "select min(next_at) from webhook_messages where next_at is not null",
  `select min(ended_at) + ${keptMessagesMs} from webhook_messages where ended_at is not null`,
  "select min(next_at) from audit_sinks where behind_since is not null",
  `select min(period_until) + ${keptAlertsMs} from alerts`,
  "select min(ends_at) from webhook_secrets",
  oldestRecord,
  oldestContent,
];

/** ms since the epoch; `null` if nothing is due without further writes. */
export function nextDue(sql: Pick<ObjectSql, "all">): number | null {
  const moments = texts.flatMap((text) => {
    const moment = sql.all(text, [])[0]?.[0];
    return typeof moment === "number" ? [moment] : [];
  });
  return moments.length === 0 ? null : Math.min(...moments);
}
