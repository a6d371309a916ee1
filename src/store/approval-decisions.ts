/** A person's decision about a held call: one transaction, which decides once. */
import { sql } from "drizzle-orm";
import type { AdminEvent } from "../domain/admin-event.ts";
import type { ApprovalDecision, Decided } from "../domain/ports/approvals.ts";
import type { AsyncResult } from "../domain/refusals.ts";
import { ok } from "../domain/result.ts";
import { answersDecidedForMs, collectedWithinMs } from "../domain/sampling/approval.ts";
import type { Mac } from "../domain/tenancy/mac.ts";
import { keepContent } from "./approval-rows.ts";
import { raw, type Database } from "./db.ts";
import { appendEventWhere } from "./events.ts";
import { turnOf } from "./held-calls.ts";

export async function decide(
  { db, nonce: nextNonce }: { db: Database; mac: Mac; nonce: () => string },
  decision: ApprovalDecision,
  event: AdminEvent,
): AsyncResult<Decided> {
  const { tenantId, requestId, stage, state, shown, by, comment, edited, now, parts } = decision;
  const nonce = nextNonce();
  const isMine = sql`exists (select 1 from approvals where tenant_id = ${tenantId}
    and request_id = ${requestId} and stage = ${stage} and nonce = ${nonce})`;
  const statements = [
    raw(sql`
      update approvals set state = ${state}, decided_at = ${now}, decided_by = ${by},
        comment = ${comment}, edited = ${edited === null ? null : JSON.stringify(edited)},
        deadline = max(deadline, ${now + collectedWithinMs}), nonce = ${nonce}
      where tenant_id = ${tenantId} and request_id = ${requestId} and stage = ${stage}
        and state = 'waiting' and deadline > ${now} and shown = ${shown}`),
    ...(parts === undefined
      ? []
      : keepContent(
          decision,
          { kind: "edited", parts, expiresAt: now + answersDecidedForMs + collectedWithinMs },
          isMine,
        )),
    appendEventWhere(
      event,
      sql`${isMine} and not exists (
      select 1 from admin_events where id = ${event.id})`,
    ),
    raw(sql`select 1 as mine where ${isMine}`),
  ];
  const written = await db.write(statements, turnOf(tenantId));
  if (!written.ok) return written;
  return ok({ state: (written.value.at(-1) ?? []).length > 0 ? "done" : "conflict" });
}
