/** Settlement: one transaction, one round trip. It ends a call that is open, and counts once. */
import { and, eq, or, sql } from "drizzle-orm";
import { recordVersion, type Settlement } from "../domain/audit.ts";
import { isMoney, moneyResources } from "../domain/limits.ts";
import type { Answer } from "../domain/ports.ts";
import { ok } from "../domain/result.ts";
import { circuitStatements } from "./circuits.ts";
import { raw, summed, type Builder, type Compiled, type Database } from "./db.ts";
import { failingStatements, healthStatement } from "./health.ts";
import { answerClaim } from "./idempotency.ts";
import { samplingRequests } from "./schema.ts";
import { settledUsage } from "./usage.ts";

/** A settlement, and the nonce by which its row knows which try ended it. */
export interface SettlementTry {
  settlement: Settlement;
  nonce: string;
}

/** Whether what was charged may differ from what was held. */
const changesCounters = ({ holds }: Settlement): boolean =>
  holds.some(({ resource }) => isMoney(resource) || resource === "tokens");

const countsTokens = ({ holds }: Settlement): number =>
  holds.some(({ resource }) => resource === "tokens") ? 1 : 0;

/** What was charged, less what was held. */
const chargeStatement = ({ id, tenantId, chargedTokens, chargedMicroUsd }: Settlement): Compiled =>
  // The row says what was held: whoever lost the answer of an admission does not know which claim it was.
  raw(sql`
    insert into counters (tenant_id, subject, resource, bucket, amount)
    select r.tenant_id, h.value ->> 'subject', h.value ->> 'resource', h.value ->> 'bucket',
      case h.value ->> 'resource' when 'tokens' then ${chargedTokens}
        else ${chargedMicroUsd} end - (h.value ->> 'amount')
    from sampling_requests r, json_each(r.holds) h
    where r.id = ${id} and r.tenant_id = ${tenantId} and r.outcome = 'admitted'
      and h.value ->> 'resource' in ${["tokens", ...moneyResources]}
    on conflict (tenant_id, subject, resource, bucket)
      do update set amount = ${summed("amount")}`);

/** What counts while the row is open: it comes before the row's end, which is what makes it count once. */
function countingStatements(builder: Builder, settlement: Settlement): Compiled[] {
  const { id, tenantId, now, circuits: changes, probed } = settlement;
  const open = sql`exists (select 1 from sampling_requests r where r.id = ${id}
    and r.tenant_id = ${tenantId} and r.outcome = 'admitted')`;
  const settling = { tenantId, requestId: id, now, condition: open };
  return [
    ...(changesCounters(settlement) ? [chargeStatement(settlement)] : []),
    settledUsage(settlement),
    ...settlement.health.map((change) => healthStatement(tenantId, change, now, open)),
    ...circuitStatements(settling, { changes, probed }),
    ...settlement.failing.flatMap((its) => failingStatements(builder, tenantId, its)),
  ];
}

function endStatement(builder: Builder, { settlement, nonce }: SettlementTry) {
  const { id, tenantId, usage } = settlement;
  return builder
    .update(samplingRequests)
    .set({
      outcome: settlement.outcome,
      // Needed no more where nothing can be corrected. They are the largest part of a row.
      ...(usage?.implausible === true ? {} : { holds: [] }),
      recordVersion,
      reason: settlement.reason,
      reasonDetail: settlement.reasonDetail,
      attempts: settlement.attempts,
      model: sql`coalesce(${settlement.model}, ${samplingRequests.model})`,
      settlement: nonce,
      inputTokens: usage?.inputTokens ?? null,
      outputTokens: usage?.outputTokens ?? null,
      usageEstimated: usage?.estimated ?? null,
      mediaUsage: usage?.media ?? null,
      usageClasses: usage?.classes ?? null,
      usageImplausible: usage?.implausible ?? false,
      costMicroUsd: settlement.costMicroUsd,
      // Tokens are charged to limits of tokens, and to nothing else. Where no price was known, no money
      // was reserved that a charge could go beyond.
      overshoot: sql`coalesce(${countsTokens(settlement)} and
          ${settlement.chargedTokens} > ${samplingRequests.reservedTokens}, 0)
        or coalesce(${settlement.chargedMicroUsd} > ${samplingRequests.reservedMicroUsd}, 0)`,
      timing: settlement.timing,
      totalMs: settlement.totalMs,
      overheadMs: settlement.overheadMs,
      settledAt: settlement.now,
    })
    .where(
      and(
        eq(samplingRequests.id, id),
        eq(samplingRequests.tenantId, tenantId),
        // The second: this very batch, whose first answer was lost. It ended the call, and says so.
        or(eq(samplingRequests.outcome, "admitted"), eq(samplingRequests.settlement, nonce)),
      ),
    )
    .returning({ id: samplingRequests.id });
}

/** What is kept of a call that this try ended: captured content, the answer for who asks again. */
function keepingStatements(builder: Builder, { settlement, nonce }: SettlementTry): Compiled[] {
  const { id, tenantId, captured } = settlement;
  const ended = sql`exists (select 1 from sampling_requests r where r.id = ${id}
    and r.tenant_id = ${tenantId} and r.settlement = ${nonce})`;
  const keep = raw(sql`
    insert into captures (request_id, tenant_id, sealed)
    select ${id}, ${tenantId}, ${captured} where ${ended}
    on conflict do nothing`);
  return [...(captured === null ? [] : [keep]), ...answerClaim(builder, settlement, ended)];
}

/**
 * Ends the call, if it is open when the transaction runs; true if this try did. `first`: statements of the
 * same transaction that come before.
 */
export async function settle(
  db: Database,
  its: SettlementTry,
  first: readonly Compiled[] = [],
): Answer<boolean> {
  const before = [...first, ...countingStatements(db.builder, its.settlement)];
  const written = await db.write(
    [...before, endStatement(db.builder, its), ...keepingStatements(db.builder, its)],
    { lane: its.settlement.tenantId, kind: "ends" },
  );
  return written.ok ? ok((written.value[before.length] ?? []).length > 0) : written;
}
