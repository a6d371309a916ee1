/** Calls that wait for a person: who decided what, and what is left to do. */
import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { Approval, ApprovalStore, CallPlace } from "../domain/ports/approvals.ts";
import { ok } from "../domain/result.ts";
import { collectedWithinMs, type HeldCalls } from "../domain/sampling/approval.ts";
import type { Mac } from "../domain/tenancy/mac.ts";
import { approvalOf, findHeld, heldCalls, ofCall, readContent } from "./approval-rows.ts";
import { approvals } from "./approval-schema.ts";
import { decide } from "./approval-decisions.ts";
import { raw, type Database } from "./db.ts";
import { holdResult, lift, turnOf } from "./held-calls.ts";
import { rowsFor } from "./page.ts";
import { announce } from "./webhook-announcements.ts";

/** So many at once; the next run of the job has the rest. */
const atOnce = 100;

export function createApprovalStore(
  db: Database,
  deps: { nonce: () => string; mac: Mac },
): ApprovalStore {
  const parts = { db, ...deps };
  return {
    count: (who) =>
      db.read(async (builder) => {
        const [row] = await builder.all<HeldCalls>(heldCalls(who));
        return row ?? { key: 0, server: 0, tenant: 0 };
      }),
    find: (place) => findHeld(db, place),
    list: (tenantId, { state, cursor, limit }) =>
      db.read(async (builder) => {
        const rows = await builder
          .select()
          .from(approvals)
          .where(
            and(
              eq(approvals.tenantId, tenantId),
              // A call whose request and result are approved is listed once, with the later one.
              sql`not exists (select 1 from approvals later where later.tenant_id = ${tenantId}
                and later.request_id = ${approvals.requestId} and later.stage > ${approvals.stage})`,
              state === null ? undefined : eq(approvals.state, state),
              cursor === null ? undefined : lt(approvals.requestId, cursor),
            ),
          )
          .orderBy(desc(approvals.requestId))
          .limit(rowsFor({ cursor, limit }));
        const data: Approval[] = rows.slice(0, limit).map(approvalOf);
        const last = rows.length > limit ? data.at(-1) : undefined;
        return { data, nextCursor: last?.requestId ?? null };
      }),
    content: (place, kind) => readContent(db, place, kind),
    decide: (decision, event) => decide(parts, decision, event),
    lift: (lifted) => lift(parts, lifted),
    holdResult: (place, approval) => holdResult(parts, place, approval),
    async expire(now) {
      const late = sql`rowid in (select rowid from approvals
        where is_open = 1 and deadline <= ${now}
          and (state = 'waiting' or (state = 'approved' and stage = 'request')) limit ${atOnce})`;
      const written = await db.write([
        raw(sql`
          update approvals set
            state = case when state = 'waiting' and on_timeout = 'approve' then 'approved'
              else 'expired' end,
            decided_at = coalesce(decided_at, ${now}),
            decided_by = coalesce(decided_by, 'timeout'),
            deadline = ${now + collectedWithinMs}
          where ${late} returning request_id`),
        // The time decided all of these, now or in an earlier run, whose messages stay as they are.
        announce(
          sql`is_open = 1 and (state = 'expired' or (state = 'approved' and decided_by = 'timeout'))`,
          now,
        ),
      ]);
      return written.ok ? ok((written.value[0] ?? []).length) : written;
    },
    async withdraw(place, now) {
      const { tenantId, requestId } = place;
      const its = sql`tenant_id = ${tenantId} and request_id = ${requestId}`;
      const written = await db.write(
        [
          raw(sql`
            update approvals set state = 'withdrawn', decided_at = ${now}, decided_by = 'caller'
            where ${its} and is_open = 1
              and (state = 'waiting' or (state = 'approved' and stage = 'request'))`),
          announce(sql`${its} and state = 'withdrawn'`, now),
          raw(sql`select 1 from approvals where ${its} and state = 'withdrawn'`),
        ],
        turnOf(tenantId),
      );
      return written.ok ? ok((written.value[2] ?? []).length > 0) : written;
    },
    undone: () =>
      db.read((builder) =>
        builder.all<CallPlace>(sql`
          select tenant_id as "tenantId", request_id as "requestId" from approvals
          where is_open = 1 and (state in ('denied', 'expired', 'withdrawn')
            or (state = 'approved' and stage = 'result'))
          limit ${atOnce}`),
      ),
    async close(place) {
      const written = await db.write(
        [db.builder.update(approvals).set({ isOpen: false }).where(ofCall(place))],
        turnOf(place.tenantId),
      );
      return written.ok ? ok(null) : written;
    },
  };
}
