/**
 * The record's first code covers lease and decision, so it is verified and recomputed here: a foreign row never
 * gets one.
 */
import { and, eq, isNull, sql } from "drizzle-orm";
import { leaseText, openingText } from "../../domain/audit/evidence.ts";
import type { Receipt } from "../../domain/audit/record.ts";
import type { ApprovalStore, CallPlace, ResumedCall } from "../../domain/ports/approvals.ts";
import type { NewApproval } from "../../domain/sampling/approval.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import { approvalCode, findStage, type ApprovalDeps } from "./approval-codes.ts";
import { beginWaiting, recordOf, waitingOf } from "./approval-rows.ts";
import { approvals } from "../schema/approval-schema.ts";
import { raw, type WriteOptions } from "../db.ts";
import { withSlots } from "../rows/stored-limit-checks.ts";
import { withoutSlot } from "../rows/concurrency-slots.ts";
import {
  leaseOf,
  openingAsRead,
  openingCode,
  type OpeningRow,
  type RequestRow,
} from "../records/record-codes.ts";
import { samplingRequests } from "../schema.ts";

export const writeOptionsOf = (tenantId: string): WriteOptions => ({
  lane: tenantId,
  ifLost: "again",
});

export async function openRow(
  { db, mac }: Pick<ApprovalDeps, "db" | "mac">,
  place: CallPlace,
): AsyncResult<RequestRow | null> {
  const found = await db.read(async (builder) => {
    const [row] = await builder.select().from(samplingRequests).where(recordOf(place));
    return row ?? null;
  });
  if (!found.ok) return found;
  const row = found.value;
  if (row === null || row.outcome !== "admitted") return ok(null);
  const isLeased =
    row.firstLease === null || (await mac.check(leaseText(leaseOf(row)), row.leaseCode));
  if (
    !isLeased ||
    !(await mac.check(openingText("admitted", openingAsRead(row)), row.openingCode))
  ) {
    const refusal: Refusal = { reason: "unreadable", what: place.requestId };
    return err(refusal);
  }
  return ok(row);
}

export async function recoded(
  mac: Mac,
  row: RequestRow,
  change: Pick<OpeningRow, "leaseUntil" | "decision" | "reservedTokens" | "reservedMicroUsd">,
) {
  const first = { ...row, ...change, firstLease: null };
  const code = await openingCode(mac, "admitted", openingAsRead(first));
  return { ...change, firstLease: null, leaseCode: null, openingCode: code };
}

const receiptFrom = (row: RequestRow, { openingCode: code }: { openingCode: string }): Receipt => ({
  number: row.recordNumber,
  openingCode: code,
  model: row.model ?? "",
  reservedTokens: row.reservedTokens ?? 0,
  reservedMicroUsd: row.reservedMicroUsd,
});

/**
 * Resumes an approved call: it gets a lease and a concurrency slot, and can be resumed only once, by a caller of
 * the tenant's current version, so that no kill switch is missed.
 */
export async function resume(
  deps: ApprovalDeps,
  call: ResumedCall,
): ReturnType<ApprovalStore["resume"]> {
  const { db, mac } = deps;
  const { tenantId, requestId, stage, now, leaseUntil, decision } = call;
  const { limitChecks, tenantVersion } = call;
  const found = await openRow(deps, call);
  if (!found.ok) return found;
  const row = found.value;
  if (row === null || row.leaseUntil !== null) return ok({ state: "gone" });
  const approval = await findStage(deps, call);
  if (!approval.ok) return approval;
  if (approval.value?.state !== "approved") return ok({ state: "gone" });
  const change = await recoded(mac, row, { leaseUntil, decision });
  const code = await approvalCode(deps.rowMac, { ...approval.value, state: "started" });
  const nonce = deps.nonce();
  const approved = sql`tenant_id = ${tenantId} and request_id = ${requestId} and stage = ${stage}
    and state = 'approved' and code = ${approval.value.code}`;
  const written = await db.write(
    [
      raw(sql`
        update approvals set state = 'started', code = ${code}, nonce = ${nonce}, is_open = 0
        where ${approved} and not exists (select 1 ${withoutSlot(call, limitChecks, now)})
          and exists (select 1 from tenants where id = ${tenantId} and version = ${tenantVersion})`),
      db.builder
        .update(samplingRequests)
        .set({ ...change, limitChecks: withSlots(row.limitChecks, limitChecks) })
        .where(
          and(
            recordOf(call),
            eq(samplingRequests.outcome, "admitted"),
            eq(samplingRequests.openingCode, row.openingCode),
            isNull(samplingRequests.leaseUntil),
            sql`exists (select 1 from approvals where tenant_id = ${tenantId}
              and request_id = ${requestId} and nonce = ${nonce})`,
          ),
        ),
      raw(sql`select nonce = ${nonce} as mine, state from approvals
        where tenant_id = ${tenantId} and request_id = ${requestId} and stage = ${stage}`),
    ],
    writeOptionsOf(tenantId),
  );
  if (!written.ok) return written;
  const [after] = written.value[2] ?? [];
  if (Number(after?.["mine"] ?? 0) === 1)
    return ok({ state: "resumed", receipt: receiptFrom(row, change) });
  return ok({ state: after?.["state"] === "approved" ? "busy" : "gone" });
}

export async function holdResult(
  deps: ApprovalDeps,
  place: CallPlace & { keyId: string; now: number },
  approval: NewApproval,
): AsyncResult<boolean> {
  const { db, mac } = deps;
  const { tenantId, requestId } = place;
  const found = await openRow(deps, place);
  if (!found.ok) return found;
  const row = found.value;
  if (row === null) return ok(false);
  const change = await recoded(mac, row, { leaseUntil: null });
  const isHeld = sql`exists (select 1 from sampling_requests r where r.id = ${requestId}
    and r.tenant_id = ${tenantId} and r.outcome = 'admitted'
    and r.opening_code = ${change.openingCode})`;
  const waiting = beginWaiting(await waitingOf(deps.rowMac, place, approval), isHeld);
  const written = await db.write(
    [
      db.builder
        .update(samplingRequests)
        .set(change)
        .where(
          and(
            recordOf(place),
            eq(samplingRequests.outcome, "admitted"),
            eq(samplingRequests.openingCode, row.openingCode),
          ),
        ),
      ...waiting,
      db.builder
        .select({ stage: approvals.stage })
        .from(approvals)
        .where(
          and(
            eq(approvals.tenantId, tenantId),
            eq(approvals.requestId, requestId),
            eq(approvals.stage, approval.stage),
          ),
        ),
    ],
    writeOptionsOf(tenantId),
  );
  return written.ok ? ok((written.value[waiting.length + 1] ?? []).length > 0) : written;
}
