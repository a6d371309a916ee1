/** Settles an open call exactly once, in one transaction and one round trip. */
import type { AsyncResult } from "../../../domain/refusals.ts";
import { and, eq, sql, type SQL } from "drizzle-orm";
import type { Receipt, Settlement } from "../../../domain/audit/record.ts";
import type { EndingKind } from "../../../domain/audit/evidence.ts";
import { isMoney, isTokens } from "../../../domain/limits/resources.ts";
import type { Mac } from "../../../domain/tenancy/mac.ts";
import { ok } from "../../../domain/result.ts";
import { circuitStatements } from "../../tenants/circuits.ts";
import { bulkSettlement, mayEndInBulk, settlementItem } from "./bulk-settlement.ts";
import {
  prepared,
  raw,
  type Builder,
  type Compiled,
  type Database,
  type WriteOptions,
} from "../../db.ts";
import { statusStatements } from "../../tenants/credentials.ts";
import { settleKey } from "../admission/idempotency.ts";
import { endingCode, type EndingRow } from "../../records/record-codes.ts";
import { samplingRequests } from "../../schema.ts";

export interface SettlementTry {
  settlement: Settlement;
  nonce: string;
  kind?: EndingKind;
}

const changesCounters = ({ limitChecks }: Settlement): boolean =>
  limitChecks.some(({ resource }) => isMoney(resource) || isTokens(resource));

const countsTokens = ({ limitChecks }: Settlement): boolean =>
  limitChecks.some(({ resource }) => isTokens(resource));

/** Without a price, no money was reserved that a charge could exceed. */
const isOvershoot = (settlement: Settlement, receipt: Receipt): boolean =>
  (countsTokens(settlement) && settlement.chargedTokens > receipt.reservedTokens) ||
  (receipt.reservedMicroUsd !== null && settlement.chargedMicroUsd > receipt.reservedMicroUsd);

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

function consequences(builder: Builder, settlement: Settlement): Compiled[] {
  const { id, tenantId, now, circuits: changes, probed } = settlement;
  const open = sql`exists (select 1 from sampling_requests r where r.id = ${id}
    and r.tenant_id = ${tenantId} and r.outcome = 'admitted')`;
  const settling = { tenantId, requestId: id, now, condition: open };
  return [
    ...circuitStatements(settling, { changes, probed }),
    ...settlement.failing.flatMap(({ credentialId: its, ...marked }) =>
      statusStatements(builder, { tenantId, id: its }, { ...marked, status: "failing" }),
    ),
  ];
}

export function keepingStatements(
  builder: Builder,
  settlement: Settlement,
  ended: SQL,
): Compiled[] {
  const { id, tenantId, captured } = settlement;
  const answer = settleKey(builder, settlement, ended);
  if (captured === null) return answer;
  const keep = raw(sql`
    insert into captures (request_id, tenant_id, sealed)
    select ${id}, ${tenantId}, ${captured} where ${ended}
    on conflict do nothing`);
  return [keep, ...answer];
}

const endedBy = ({ settlement: { id, tenantId }, nonce }: SettlementTry): SQL => sql`
  exists (select 1 from sampling_requests r where r.id = ${id}
    and r.tenant_id = ${tenantId} and r.settlement = ${nonce})`;

const writeOptionsOf = ({ tenantId }: Settlement): WriteOptions => ({
  lane: tenantId,
  kind: "ends",
  ifLost: "again",
});

/** Returns `true` if this attempt ended the open call. `first` runs before, in the same transaction. */
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
  const item = settlementItem(settlement, {
    row,
    code,
    nonce: settlementTry.nonce,
    changesCounters: changesCounters(settlement),
  });
  const writeOptions = writeOptionsOf(settlement);
  if (db.writeInBulk !== undefined && first.length === 0 && mayEndInBulk(settlement)) {
    const ended = await db.writeInBulk(bulkSettlement, item, writeOptions);
    return ended.ok ? ok(ended.value === true) : ended;
  }
  const before = [...first, ...consequences(db.builder, settlement)];
  // `consequences` handles circuits in the order of the attempts.
  const alone = bulkSettlement([{ ...item, closed: [] }]);
  const written = await db.write(
    [
      ...before,
      ...alone.statements.map(({ sql: text, params }) => prepared(text, params)),
      ...keepingStatements(db.builder, settlement, endedBy(settlementTry)),
    ],
    writeOptions,
  );
  if (!written.ok) return written;
  return ok(alone.outcomes(written.value.slice(before.length))[0] === true);
}
