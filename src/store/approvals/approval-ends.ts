import { sql } from "drizzle-orm";
import type { CallPlace } from "../../domain/ports/approvals.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import { approvedCallTtlMs } from "../../domain/sampling/approval.ts";
import {
  approvalCode,
  genuineRows,
  isGenuine,
  ofCall,
  type ApprovalDeps,
  type ApprovalRow,
} from "./approval-codes.ts";
import { approvals } from "../schema/approval-schema.ts";
import { raw, type Compiled } from "../db.ts";
import { writeOptionsOf } from "./approval-resumption.ts";
import { announce } from "../notifications/webhook-announcements.ts";

/** Bounds one batch; the next run of the job takes the rest. */
export const batchSize = 100;

type Ending = Pick<
  ApprovalRow,
  "state" | "decidedAt" | "decidedBy" | "decidedBySubject" | "deadline"
>;

interface Change {
  row: ApprovalRow;
  to: Ending & Pick<ApprovalRow, "code">;
}

const changeOf = async ({ rowMac }: ApprovalDeps, row: ApprovalRow, to: Ending) => ({
  row,
  to: { ...to, code: await approvalCode(rowMac, { ...row, ...to }) },
});

/** Changes only rows that haven't changed since they were read. All are in one parameter. */
function write(changes: readonly Change[], now: number): Compiled[] {
  const texts = JSON.stringify(
    changes.map(({ row, to }) => [
      row.tenantId,
      row.requestId,
      row.stage,
      row.code,
      to.state,
      to.decidedAt,
      to.decidedBy,
      to.decidedBySubject,
      to.deadline,
      to.code,
    ]),
  );
  const isOne = sql`tenant_id = c.value ->> 0 and request_id = c.value ->> 1
    and stage = c.value ->> 2`;
  return [
    raw(sql`
      update approvals set state = c.value ->> 4, decided_at = c.value ->> 5,
        decided_by = c.value ->> 6, decided_by_subject = c.value ->> 7,
        deadline = c.value ->> 8, code = c.value ->> 9
      from json_each(${texts}) c
      where is_open = 1 and ${isOne} and code is c.value ->> 3 returning request_id`),
    announce(
      sql`is_open = 1 and exists (select 1 from json_each(${texts}) c
        where ${isOne} and code = c.value ->> 9)`,
      now,
    ),
  ];
}

const whenLate = (row: ApprovalRow, now: number): Ending => ({
  state: row.state === "waiting" && row.onTimeout === "approve" ? "approved" : "expired",
  decidedAt: row.decidedAt ?? now,
  decidedBy: row.decidedBy ?? "timeout",
  decidedBySubject: row.decidedBySubject,
  deadline: now + approvedCallTtlMs,
});

/** Applies each call's timeout rule. A call whose row has no valid code ends unapproved. */
export async function expire(deps: ApprovalDeps, now: number): AsyncResult<number> {
  const late = await deps.db.read((builder) =>
    builder
      .select()
      .from(approvals)
      .where(
        sql`is_open = 1 and deadline <= ${now}
          and (state = 'waiting' or (state = 'approved' and stage = 'request'))`,
      )
      .limit(batchSize),
  );
  if (!late.ok) return late;
  if (late.value.length === 0) return ok(0);
  const changes: Change[] = [];
  for (const row of late.value)
    changes.push(
      (await isGenuine(deps, row))
        ? await changeOf(deps, row, whenLate(row, now))
        : { row, to: { ...row, state: "expired", code: null } },
    );
  const written = await deps.db.write(write(changes, now));
  return written.ok ? ok((written.value[0] ?? []).length) : written;
}

export async function withdraw(
  deps: ApprovalDeps,
  place: CallPlace,
  now: number,
): AsyncResult<boolean> {
  // Retries only if the row changed between the read and the write.
  for (;;) {
    const found = await deps.db.read((builder) =>
      builder.select().from(approvals).where(ofCall(place)),
    );
    if (!found.ok) return found;
    if (found.value.some(({ state }) => state === "withdrawn")) return ok(true);
    const open = found.value.filter(
      ({ isOpen, state, stage }) =>
        isOpen && (state === "waiting" || (state === "approved" && stage === "request")),
    );
    const changes: Change[] = [];
    for (const row of await genuineRows(deps, open))
      changes.push(
        await changeOf(deps, row, {
          ...row,
          state: "withdrawn",
          decidedAt: now,
          decidedBy: "caller",
          decidedBySubject: null,
        }),
      );
    if (changes.length === 0) return ok(false);
    const written = await deps.db.write(write(changes, now), writeOptionsOf(place.tenantId));
    if (!written.ok) return written;
  }
}
