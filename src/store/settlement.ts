/** Settlement: one transaction, one round trip. It ends a call that is open, and counts it once. */
import type { AsyncResult } from "../domain/refusals.ts";
import { and, eq, or, sql, type SQL } from "drizzle-orm";
import type { Receipt, Settlement } from "../domain/audit/record.ts";
import type { EndingKind } from "../domain/audit/evidence.ts";
import { chargedResources, isMoney, isTokens, tokenResources } from "../domain/limits/resources.ts";
import type { Mac } from "../domain/tenancy/mac.ts";
import { ok } from "../domain/result.ts";
import { circuitStatements } from "./circuits.ts";
import { bulkSettlement, mayEndInBulk, settlementItem } from "./bulk-settlement.ts";
import { raw, summed, type Builder, type Compiled, type Database, type WriteTurn } from "./db.ts";
import { held, listOf } from "./row-holds.ts";
import { statusStatements } from "./credentials.ts";
import { healthStatement } from "./health.ts";
import { answerClaim } from "./idempotency.ts";
import { endingCode, type EndingRow } from "./record-codes.ts";
import { samplingRequests } from "./schema.ts";
import { settledUsage } from "./usage.ts";

/** A settlement, and the nonce by which its row knows which try ended it. */
export interface SettlementTry {
  settlement: Settlement;
  nonce: string;
  /** absent: `ended` */
  kind?: EndingKind;
}

/** Whether the charge may differ from what was held. */
const changesCounters = ({ holds }: Settlement): boolean =>
  holds.some(({ resource }) => isMoney(resource) || isTokens(resource));

const countsTokens = ({ holds }: Settlement): boolean =>
  holds.some(({ resource }) => isTokens(resource));

/**
 * Tokens are charged to limits of tokens only. Where no price was known, no money was reserved that a
 * charge could exceed.
 */
const isOvershoot = (settlement: Settlement, receipt: Receipt): boolean =>
  (countsTokens(settlement) && settlement.chargedTokens > receipt.reservedTokens) ||
  (receipt.reservedMicroUsd !== null && settlement.chargedMicroUsd > receipt.reservedMicroUsd);

/** The columns of an end, as the row will have them and as its code covers them. */
export const endingRow = (settlement: Settlement, receipt: Receipt): EndingRow => {
  const { usage } = settlement;
  return {
    outcome: settlement.outcome,
    reason: settlement.reason,
    reasonDetail: settlement.reasonDetail,
    attempts: settlement.attempts,
    model: settlement.model ?? receipt.model,
    inputTokens: usage?.inputTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    usageEstimated: usage?.estimated ?? null,
    mediaUsage: usage?.media ?? null,
    usageClasses: usage?.classes ?? null,
    usageImplausible: usage?.implausible ?? false,
    costMicroUsd: settlement.costMicroUsd,
    overshoot: isOvershoot(settlement, receipt),
    timing: settlement.timing,
    totalMs: settlement.totalMs,
    overheadMs: settlement.overheadMs,
    settledAt: settlement.now,
  };
};

/** What the admission wrote, read where the admission's answer was lost. */
async function receiptIn(db: Database, { id, tenantId }: Settlement): AsyncResult<Receipt | null> {
  return db.read(async (builder) => {
    const [row] = await builder
      .select({
        number: samplingRequests.recordNumber,
        openingCode: samplingRequests.openingCode,
        model: samplingRequests.model,
        reservedTokens: samplingRequests.reservedTokens,
        reservedMicroUsd: samplingRequests.reservedMicroUsd,
      })
      .from(samplingRequests)
      .where(and(eq(samplingRequests.id, id), eq(samplingRequests.tenantId, tenantId)));
    if (row === undefined) return null;
    return { ...row, model: row.model ?? "", reservedTokens: row.reservedTokens ?? 0 };
  });
}

/** Books what was charged, less what was held. */
const chargeStatement = ({ id, tenantId, chargedTokens, chargedMicroUsd }: Settlement): Compiled =>
  // The row says what was held. A caller that lost the answer of its admission does not know which
  // claim was admitted.
  raw(sql`
    insert into counters (tenant_id, subject, resource, bucket, amount)
    select r.tenant_id, ${held.subject}, ${held.resource}, ${held.bucket},
      case when ${held.resource} in ${listOf(tokenResources)} then ${chargedTokens}
        else ${chargedMicroUsd} end - ${held.amount}
    from sampling_requests r, json_each(r.holds) h
    where r.id = ${id} and r.tenant_id = ${tenantId} and r.outcome = 'admitted'
      and ${held.resource} in ${listOf(chargedResources)}
    on conflict (tenant_id, subject, resource, bucket)
      do update set amount = ${summed("amount")}`);

/** Statements that count while the row is open. They stand before the row's end, so they count once. */
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
    ...settlement.failing.flatMap(({ credentialId: its, ...marked }) =>
      statusStatements(builder, { tenantId, id: its }, { ...marked, status: "failing" }),
    ),
  ];
}

interface End {
  row: EndingRow;
  code: string;
}

function endStatement(builder: Builder, { settlement, nonce }: SettlementTry, { row, code }: End) {
  const { id, tenantId, usage } = settlement;
  return builder
    .update(samplingRequests)
    .set({
      ...row,
      // Holds are needed no more where nothing can be corrected, and they are the largest part of a
      // row.
      ...(usage?.implausible === true ? {} : { holds: [] }),
      settlement: nonce,
      endingCode: code,
    })
    .where(
      and(
        eq(samplingRequests.id, id),
        eq(samplingRequests.tenantId, tenantId),
        // The second condition holds where this very batch ran before and its answer was lost: it
        // did end the call.
        or(eq(samplingRequests.outcome, "admitted"), eq(samplingRequests.settlement, nonce)),
      ),
    )
    .returning({ id: samplingRequests.id });
}

/** What is kept of a call where `ended` holds: captured content, and the answer for repetitions. */
export function keepingStatements(
  builder: Builder,
  settlement: Settlement,
  ended: SQL,
): Compiled[] {
  const { id, tenantId, captured } = settlement;
  const keep = raw(sql`
    insert into captures (request_id, tenant_id, sealed)
    select ${id}, ${tenantId}, ${captured} where ${ended}
    on conflict do nothing`);
  return [...(captured === null ? [] : [keep]), ...answerClaim(builder, settlement, ended)];
}

/** This try ended the call. */
const endedBy = ({ settlement: { id, tenantId }, nonce }: SettlementTry): SQL => sql`
  exists (select 1 from sampling_requests r where r.id = ${id}
    and r.tenant_id = ${tenantId} and r.settlement = ${nonce})`;

/** null: the call's own statements have to end it. */
async function settleInBulk(
  db: Database,
  { settlement, nonce }: SettlementTry,
  end: End,
): AsyncResult<boolean | null> {
  if (db.writeInBulk === undefined || !mayEndInBulk(settlement)) return ok(null);
  const ending = { ...end, nonce, changesCounters: changesCounters(settlement) };
  const item = settlementItem(settlement, ending);
  return db.writeInBulk(bulkSettlement, item, turnOf(settlement));
}

const turnOf = ({ tenantId }: Settlement): WriteTurn => ({
  lane: tenantId,
  kind: "ends",
  ifLost: "again",
});

/**
 * Ends the call, if it is open when the transaction runs; true if this try did. `first`: statements
 * that stand before, in the same transaction.
 */
export async function settle(
  { db, mac }: { db: Database; mac: Mac },
  settlementTry: SettlementTry,
  first: readonly Compiled[] = [],
): AsyncResult<boolean> {
  const { settlement, kind = "ended" } = settlementTry;
  let { receipt } = settlement;
  if (receipt === null) {
    const found = await receiptIn(db, settlement);
    if (!found.ok) return found;
    if (found.value === null) return ok(false);
    receipt = found.value;
  }
  const row = endingRow(settlement, receipt);
  const code = await endingCode(mac, kind, { ...receipt, row });
  if (first.length === 0) {
    const ended = await settleInBulk(db, settlementTry, { row, code });
    if (!ended.ok) return ended;
    if (ended.value !== null) return ok(ended.value);
  }
  const before = [...first, ...countingStatements(db.builder, settlement)];
  const written = await db.write(
    [
      ...before,
      endStatement(db.builder, settlementTry, { row, code }),
      ...keepingStatements(db.builder, settlement, endedBy(settlementTry)),
    ],
    turnOf(settlement),
  );
  return written.ok ? ok((written.value[before.length] ?? []).length > 0) : written;
}
