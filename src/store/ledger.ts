/**
 * The ledger. Admission (beside) and settlement are one transaction and one round trip each. The very
 * same batch may run twice (a lock, a lost answer), so counters move only while the row says that they
 * have not yet, and the same transaction makes it say that they have: nothing counts twice.
 */
import { and, eq, or, sql } from "drizzle-orm";
import { windowSeconds } from "../domain/limits.ts";
import type { Ledger } from "../domain/ports.ts";
import { ok } from "../domain/result.ts";
import { compactDecision } from "../domain/selection.ts";
import { admit } from "./admission.ts";
import { raw, type Database } from "./db.ts";
import { failingStatements, healthStatement } from "./health.ts";
import { openingColumns } from "./records.ts";
import { counters, samplingRequests } from "./schema.ts";

const sweepSize = 200;
const pruneSize = 5_000;

export function createLedger(db: Database, deps: { nonce: () => string }): Ledger {
  return {
    admit: (reservation) => admit(db, reservation),

    async settle(settlement) {
      const { id, tenantId, now, usage, attempts, timing, holds } = settlement;
      const nonce = deps.nonce();
      const builder = db.builder;
      const its = and(eq(samplingRequests.id, id), eq(samplingRequests.tenantId, tenantId));
      const open = sql`exists (select 1 from sampling_requests r where r.id = ${id}
        and r.tenant_id = ${tenantId} and r.outcome = 'admitted')`;
      // One statement each, of which there are two at most: a join would walk the tenant's counters.
      const giveBack = holds
        .filter(({ resource }) => resource === "tokens")
        .map(({ subject, resource, bucket, amount }) =>
          builder
            .update(counters)
            .set({ amount: sql`${counters.amount} + ${settlement.chargedTokens - amount}` })
            .where(
              and(
                eq(counters.tenantId, tenantId),
                eq(counters.subject, subject),
                eq(counters.resource, resource),
                eq(counters.bucket, bucket),
                open,
              ),
            ),
        );
      const keep = sql`
        insert into captures (request_id, tenant_id, sealed)
        select r.id, r.tenant_id, ${settlement.captured} from sampling_requests r
        where r.id = ${id} and r.tenant_id = ${tenantId} and r.settlement = ${nonce}
        on conflict do nothing`;
      const marks = settlement.health.map((change) => healthStatement(tenantId, change, now, open));
      const failing = settlement.failing.flatMap((its) =>
        failingStatements(builder, tenantId, its),
      );
      const written = await db.write([
        // Before the row's end, which is what makes it count once.
        ...giveBack,
        ...marks,
        ...failing,
        builder
          .update(samplingRequests)
          .set({
            outcome: settlement.outcome,
            reason: settlement.reason,
            reasonDetail: settlement.reasonDetail,
            attempts,
            model: sql`coalesce(${settlement.model}, ${samplingRequests.model})`,
            settlement: nonce,
            inputTokens: usage?.inputTokens ?? null,
            outputTokens: usage?.outputTokens ?? null,
            usageEstimated: usage?.estimated ?? null,
            mediaUsage: usage?.media ?? null,
            costMicroUsd: settlement.costMicroUsd,
            overshoot: sql`${settlement.chargedTokens} > coalesce(${samplingRequests.reservedTokens}, 0)`,
            timing,
            totalMs: settlement.totalMs,
            overheadMs: settlement.overheadMs,
            settledAt: now,
          })
          .where(
            and(
              its,
              // The second: this very batch, whose first answer was lost. It ended the call, and says so.
              or(eq(samplingRequests.outcome, "admitted"), eq(samplingRequests.settlement, nonce)),
            ),
          )
          .returning({ id: samplingRequests.id }),
        ...(settlement.captured === null ? [] : [raw(keep)]),
      ]);
      return written.ok
        ? ok((written.value[giveBack.length + marks.length + failing.length] ?? []).length > 0)
        : written;
    },

    async refuse(opening, reason, detail, decision) {
      const written = await db.write([
        db.builder
          .insert(samplingRequests)
          .values({
            ...openingColumns(opening),
            outcome: "refused",
            reason,
            reasonDetail: detail,
            decision: decision === null ? null : compactDecision(decision),
            holds: [],
            settledAt: opening.createdAt,
          })
          .onConflictDoNothing(),
      ]);
      return written.ok ? ok(null) : written;
    },

    async sweep(now) {
      const written = await db.write([
        db.builder
          .update(samplingRequests)
          .set({
            outcome: "unknown",
            costMicroUsd: sql`${samplingRequests.reservedMicroUsd}`,
            usageEstimated: true,
            inputTokens: sql`json_extract(${samplingRequests.decision}, '$.estimate.inputTokens')`,
            outputTokens: sql`json_extract(${samplingRequests.decision}, '$.estimate.outputTokens')`,
            settledAt: now,
          })
          .where(
            sql`${samplingRequests.id} in (
              select id from sampling_requests
              where outcome = 'admitted' and lease_until <= ${now}
              order by lease_until limit ${sweepSize})
              and ${samplingRequests.outcome} = 'admitted'`,
          )
          .returning({ id: samplingRequests.id }),
      ]);
      return written.ok ? ok((written.value[0] ?? []).length) : written;
    },

    async prune(now) {
      const oldest = Math.floor(now / 1_000) - 2 * windowSeconds;
      const written = await db.write([
        db.builder
          .delete(counters)
          .where(
            sql`rowid in (select rowid from counters where bucket < ${oldest} limit ${pruneSize})`,
          )
          .returning({ bucket: counters.bucket }),
      ]);
      return written.ok ? ok((written.value[0] ?? []).length) : written;
    },
  };
}
