/** Replaces the reservation of a pending call after an approver's edit, in the transaction of the decision. */
import { and, eq, isNull, sql, type SQL } from "drizzle-orm";
import type { Mac } from "../../domain/tenancy/mac.ts";
import { lastBucketOf, type LimitCheck } from "../../domain/limits/limit-checks.ts";
import { isMoney } from "../../domain/limits/resources.ts";
import { compactDecision } from "../../domain/choice/decision.ts";
import type { ApprovalDecision } from "../../domain/ports/approvals.ts";
import type { Claim } from "../../domain/ports/ledger.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import { recordOf } from "./approval-rows.ts";
import { raw, summed, type Compiled, type Database } from "../db.ts";
import { storedChecksIn, limitChecksText, withMoney } from "../rows/stored-limit-checks.ts";
import { openRow, recoded } from "./approval-resumption.ts";
import type { RequestRow } from "../records/record-codes.ts";
import { samplingRequests } from "../schema.ts";
import { countedIn } from "../rows/windows.ts";

interface Change {
  subject: string;
  resource: string;
  bucket: number;
  amount: number;
}

const isSame = (one: Omit<Change, "amount">, other: Omit<Change, "amount">): boolean =>
  one.subject === other.subject && one.resource === other.resource && one.bucket === other.bucket;

function changesOf(row: RequestRow, claim: Claim) {
  const before = storedChecksIn(limitChecksText(row.limitChecks), row).filter(({ resource }) =>
    isMoney(resource),
  );
  const after = claim.limitChecks.filter(({ resource }) => isMoney(resource));
  const asked = after.map((check) => ({
    ...check,
    last: lastBucketOf(check),
    more: check.amount - (before.find((each) => isSame(each, check))?.amount ?? 0),
  }));
  const given = before.filter((held) => !after.some((check) => isSame(held, check)));
  const changes: Change[] = [
    ...asked.map(({ subject, resource, bucket, more }) => ({
      subject,
      resource,
      bucket,
      amount: more,
    })),
    ...given.map((held) => ({ ...held, amount: -held.amount })),
  ];
  return { asked, changes };
}

export interface Reclaiming {
  condition: SQL;
  statements(isMine: SQL): Compiled[];
  /** Limits without room, as rows with `position` and `used`. */
  beyond: Compiled;
  limitChecks: LimitCheck[];
}

export async function reclaiming(
  deps: { db: Database; mac: Mac },
  decision: ApprovalDecision,
  claim: Claim,
): AsyncResult<Reclaiming | null> {
  const { tenantId, requestId } = decision;
  const found = await openRow(deps, decision);
  if (!found.ok) return found;
  const row = found.value;
  if (row === null || row.leaseUntil !== null) return ok(null);
  const { asked, changes } = changesOf(row, claim);
  const change = await recoded(deps.mac, row, {
    decision: compactDecision(claim.decision),
    reservedTokens: claim.reservedTokens,
    reservedMicroUsd: claim.reservedMicroUsd,
  });
  const used = countedIn(tenantId);
  const beyond = sql`from json_each(${JSON.stringify(asked)}) h
    where h.value ->> 'more' > 0 and ${used} + (h.value ->> 'more') > h.value ->> 'limit'`;
  const isHeld = sql`exists (select 1 from sampling_requests r where r.id = ${requestId}
    and r.tenant_id = ${tenantId} and r.opening_code = ${row.openingCode}
    and r.outcome = 'admitted' and r.lease_until is null)`;
  return ok({
    condition: sql`${isHeld} and not exists (select 1 ${beyond})`,
    // The code changes last, so a batch that is sent twice moves the counters once.
    statements: (isMine) => [
      raw(sql`
        insert into counters (tenant_id, subject, resource, bucket, amount)
        select ${tenantId}, h.value ->> 'subject', h.value ->> 'resource', h.value ->> 'bucket',
          h.value ->> 'amount'
        from json_each(${JSON.stringify(changes)}) h where ${isMine} and ${isHeld}
        on conflict (tenant_id, subject, resource, bucket)
          do update set amount = ${summed("amount")}`),
      deps.db.builder
        .update(samplingRequests)
        .set({
          ...change,
          model: `${claim.decision.provider}/${claim.decision.model}`,
          limitChecks: withMoney(row.limitChecks, claim.limitChecks),
        })
        .where(
          and(
            recordOf(decision),
            eq(samplingRequests.openingCode, row.openingCode),
            eq(samplingRequests.outcome, "admitted"),
            isNull(samplingRequests.leaseUntil),
            isMine,
          ),
        ),
    ],
    beyond: raw(sql`select h.key as position, ${used} as used ${beyond} limit 1`),
    limitChecks: asked,
  });
}
