/** Settles many calls in one set of statements, if nothing is kept and no fault is counted. */
import { getTableColumns, sql } from "drizzle-orm";
import { keptSamples } from "../../../domain/choice/health.ts";
import { usageEntriesOf } from "../../../domain/audit/usage-entries.ts";
import type { Settlement } from "../../../domain/audit/record.ts";
import { chargedResources, tokenResources } from "../../../domain/limits/resources.ts";
import { arrayOf, textOf } from "../../records/bulk-text.ts";
import { summed, type Bulk } from "../../db.ts";
import { writable } from "../../rows/storable.ts";
import { storedCheck, listOf } from "../../rows/stored-limit-checks.ts";
import { endingNames, stored, type EndingRow } from "../../records/record-codes.ts";
import { samplingRequests } from "../../schema.ts";
import { hourOf } from "../../records/usage.ts";
import { figures, outcomes, raisedFigures } from "../../usage/usage-figures.ts";

const columns = getTableColumns(samplingRequests);

export interface SettlementItem {
  settlement: Settlement;
  /** id, tenant, nonce, second code, then the columns of the end */
  json: string;
  charges: string[];
  usageEntries: string[];
  samples: string[];
  closed: string[];
}

const firstColumn = 4;

/** Open rows; entries start with id and tenant. */
const open = sql`json_each(?1) j
    cross join sampling_requests r on r.id = j.value ->> 0 and +r.tenant_id = j.value ->> 1`;

// Entries: charged tokens and money.
const charge = textOf(sql`
  insert into counters (tenant_id, subject, resource, bucket, amount)
  select r.tenant_id, ${storedCheck.subject}, ${storedCheck.resource}, ${storedCheck.bucket},
    sum(case when ${storedCheck.resource} in ${listOf(tokenResources)} then j.value ->> 2
      else j.value ->> 3 end - ${storedCheck.amount})
  from ${open} cross join json_each(r.limit_checks) h
  where r.outcome = 'admitted'
    and ${storedCheck.resource} in ${listOf(chargedResources)}
  group by 1, 2, 3, 4
  on conflict (tenant_id, subject, resource, bucket) do update set amount = ${summed("amount")}`);

// Entries: model (default: the chosen one), outcome, requests, tokens, money.
const book = textOf(sql`
  insert into usage (tenant_id, hour, key_id, server_id, model, ${sql.raw(figures.join(", "))})
  select r.tenant_id, ${hourOf}, r.key_id, coalesce(r.server_id, ''), coalesce(j.value ->> 2, r.model, ''),
    ${sql.raw(outcomes.map((name) => `sum(case j.value ->> 3 when '${name}' then j.value ->> 4 else 0 end)`).join(", "))},
    sum(j.value ->> 5), sum(j.value ->> 6), sum(j.value ->> 7)
  from ${open} where r.outcome = 'admitted'
  group by 1, 2, 3, 4, 5
  on conflict (tenant_id, hour, key_id, server_id, model) do update set ${raisedFigures}`);

// Entries: credential, model, sample, time. Newest sample first.
const sample = textOf(sql`
  with added as materialized (
    select r.tenant_id, j.value ->> 2 as credential_id, j.value ->> 3 as model, j.value ->> 4 as sample,
      j.value ->> 5 as at, j.key as position
    from ${open} where r.outcome = 'admitted')
  insert into health (tenant_id, credential_id, model, samples, updated_at)
  select a.tenant_id, a.credential_id, a.model, (
      select json_group_array(json(sample)) from (
        select b.sample from added b
        where b.tenant_id = a.tenant_id and b.credential_id = a.credential_id and b.model = a.model
        order by b.position desc limit ${keptSamples})),
    max(a.at)
  from added a where true group by 1, 2, 3
  on conflict (tenant_id, credential_id, model) do update set
    samples = (
      select json_group_array(json(value)) from (
        select value from (
          select value, key - ${keptSamples} as position from json_each(excluded.samples)
          union all select value, key from json_each(health.samples))
        order by position limit ${keptSamples})),
    updated_at = excluded.updated_at`);

// Entries: scopes of circuits to close.
const close = textOf(sql`
  delete from circuits where (tenant_id, scope) in (
    select r.tenant_id, j.value ->> 2 from ${open} where r.outcome = 'admitted')`);

// A row with this attempt's nonce was settled by an earlier run of the same batch.
const end = textOf(sql`
  update sampling_requests set
    settlement = j.value ->> 2, ending_code = j.value ->> 3,
    limit_checks = case when j.value ->> ${firstColumn + endingNames.indexOf("usageImplausible")} then limit_checks else '[]' end,
    ${sql.raw(
      endingNames
        .map((name, at) => `${columns[name].name} = j.value ->> ${firstColumn + at}`)
        .join(", "),
    )}
  from json_each(?1) j
  where sampling_requests.id = j.value ->> 0 and +sampling_requests.tenant_id = j.value ->> 1
    and (sampling_requests.outcome = 'admitted' or sampling_requests.settlement = j.value ->> 2)
  returning id`);

export const mayEndInBulk = (settlement: Settlement): boolean =>
  settlement.result === null &&
  settlement.captured === null &&
  settlement.failing.length === 0 &&
  !settlement.probed &&
  settlement.circuits.every(({ fault }) => fault === null);

export function settlementItem(
  settlement: Settlement,
  ending: { nonce: string; code: string | null; row: EndingRow; changesCounters: boolean },
): SettlementItem {
  const { id, tenantId, now, outcome, chargedTokens, chargedMicroUsd } = settlement;
  const { nonce, code, row, changesCounters } = ending;
  const entry = (...values: unknown[]): string => JSON.stringify([id, tenantId, ...values]);
  return {
    settlement,
    json: entry(nonce, code, ...endingNames.map((name) => stored(name, row[name]))),
    charges: changesCounters ? [entry(writable(chargedTokens), writable(chargedMicroUsd))] : [],
    usageEntries: usageEntriesOf(settlement).map(
      ({ model, requests, inputTokens, outputTokens, costMicroUsd }) =>
        entry(
          model ?? settlement.model,
          outcome,
          requests,
          inputTokens,
          outputTokens,
          costMicroUsd,
        ),
    ),
    samples: settlement.health.map(({ credentialId, model, sample: taken }) =>
      entry(credentialId, model, JSON.stringify(taken), now),
    ),
    closed: settlement.circuits.flatMap(({ closes }) => closes.map((scope) => entry(scope))),
  };
}

const countings = [
  ["charges", charge],
  ["usageEntries", book],
  ["samples", sample],
  ["closed", close],
] as const;

export const bulkSettlement: Bulk<SettlementItem, boolean> = (items) => {
  const before = countings.flatMap(([kind, text]) => {
    const entries = items.flatMap((item) => item[kind]);
    return entries.length === 0 ? [] : [{ sql: text, params: [arrayOf(entries)] }];
  });
  return {
    statements: [...before, { sql: end, params: [arrayOf(items.map(({ json }) => json))] }],
    outcomes(rows) {
      const ended = new Set((rows[before.length] ?? []).map((row) => String(row["id"])));
      return items.map(({ settlement }) => ended.has(settlement.id));
    },
  };
};
