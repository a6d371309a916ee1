/**
 * The ledger. Admission (beside) and settlement are one transaction and one round trip each. The very
 * same batch may run twice (a lock, a lost answer), so counters move only while the row says that they
 * have not yet, and the same transaction makes it say that they have: nothing counts twice.
 */
import { and, eq, or, sql } from "drizzle-orm";
import { recordVersion, type Settlement } from "../domain/audit.ts";
import { isMoney, moneyResources, windowSeconds, type Resource } from "../domain/limits.ts";
import type { Ledger } from "../domain/ledger.ts";
import { ok } from "../domain/result.ts";
import { compactDecision } from "../domain/decision.ts";
import { admit } from "./admission.ts";
import { circuitStatements } from "./circuits.ts";
import { correct } from "./corrections.ts";
import { raw, type Database } from "./db.ts";
import { failingStatements, healthStatement } from "./health.ts";
import { answerClaim } from "./idempotency.ts";
import { openingColumns } from "./records.ts";
import { counters } from "./ledger-schema.ts";
import { samplingRequests } from "./schema.ts";
import { refusedUsage, settledUsage, sweptUsage } from "./usage.ts";

const sweepSize = 200;
const pruneSize = 5_000;

const daySeconds = 86_400;
/** How long a counter can still matter: its window, and a while for corrections of what it holds. */
const keptSeconds = {
  requests: 2 * windowSeconds,
  tokens: 2 * windowSeconds,
  usd_day: 40 * daySeconds,
  usd_month: 70 * daySeconds,
} as const satisfies Record<Exclude<Resource, "concurrent">, number>;

/** Whether what was charged may differ from what was held. */
const changesCounters = ({ holds }: Settlement): boolean =>
  holds.some(({ resource }) => isMoney(resource) || resource === "tokens");

const countsTokens = ({ holds }: Settlement): number =>
  holds.some(({ resource }) => resource === "tokens") ? 1 : 0;

export function createLedger(db: Database, deps: { nonce: () => string }): Ledger {
  return {
    admit: (reservation) => admit(db, reservation),

    async settle(settlement) {
      const { id, tenantId, now, usage, attempts, timing } = settlement;
      const nonce = deps.nonce();
      const builder = db.builder;
      const its = and(eq(samplingRequests.id, id), eq(samplingRequests.tenantId, tenantId));
      const open = sql`exists (select 1 from sampling_requests r where r.id = ${id}
        and r.tenant_id = ${tenantId} and r.outcome = 'admitted')`;
      // What was charged, less what was held. The row says what that was: whoever lost the answer of an
      // admission does not know which claim it was.
      const charge = raw(sql`
        insert into counters (tenant_id, subject, resource, bucket, amount)
        select r.tenant_id, h.value ->> 'subject', h.value ->> 'resource', h.value ->> 'bucket',
          case h.value ->> 'resource' when 'tokens' then ${settlement.chargedTokens}
            else ${settlement.chargedMicroUsd} end - (h.value ->> 'amount')
        from sampling_requests r, json_each(r.holds) h
        where r.id = ${id} and r.tenant_id = ${tenantId} and r.outcome = 'admitted'
          and h.value ->> 'resource' in ${["tokens", ...moneyResources]}
        on conflict (tenant_id, subject, resource, bucket)
          do update set amount = amount + excluded.amount`);
      const ended = sql`exists (select 1 from sampling_requests r where r.id = ${id}
        and r.tenant_id = ${tenantId} and r.settlement = ${nonce})`;
      const keep = sql`
        insert into captures (request_id, tenant_id, sealed)
        select ${id}, ${tenantId}, ${settlement.captured} where ${ended}
        on conflict do nothing`;
      const marks = settlement.health.map((change) => healthStatement(tenantId, change, now, open));
      const { circuits: changes, probed } = settlement;
      const settling = { tenantId, requestId: id, now, condition: open };
      const failing = settlement.failing.flatMap((its) =>
        failingStatements(builder, tenantId, its),
      );
      // Before the row's end, which is what makes it count once.
      const before = [
        ...(changesCounters(settlement) ? [charge] : []),
        settledUsage(settlement),
        ...marks,
        ...circuitStatements(settling, { changes, probed }),
        ...failing,
      ];
      const written = await db.write([
        ...before,
        builder
          .update(samplingRequests)
          .set({
            outcome: settlement.outcome,
            // Needed no more where nothing can be corrected. They are the largest part of a row.
            ...(usage?.implausible === true ? {} : { holds: [] }),
            recordVersion,
            reason: settlement.reason,
            reasonDetail: settlement.reasonDetail,
            attempts,
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
        ...answerClaim(builder, settlement, ended),
      ]);
      return written.ok ? ok((written.value[before.length] ?? []).length > 0) : written;
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
        refusedUsage({ id: opening.id, tenantId: opening.who.tenantId }),
        db.builder
          .update(samplingRequests)
          .set({ counted: true })
          .where(
            and(
              eq(samplingRequests.id, opening.id),
              eq(samplingRequests.tenantId, opening.who.tenantId),
            ),
          ),
      ]);
      return written.ok ? ok(null) : written;
    },

    async sweep(now) {
      const expired = sql`
        select id from sampling_requests
        where outcome = 'admitted' and lease_until <= ${now}
        order by lease_until limit ${sweepSize}`;
      const written = await db.write([
        sweptUsage(sql`r.id in (${expired})`),
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
            sql`${samplingRequests.id} in (${expired})
              and ${samplingRequests.outcome} = 'admitted'`,
          )
          .returning({ id: samplingRequests.id }),
      ]);
      return written.ok ? ok((written.value[1] ?? []).length) : written;
    },

    correct: (its, event) => correct(db, its, event),

    async prune(now) {
      const second = Math.floor(now / 1_000);
      const written = await db.write(
        Object.entries(keptSeconds).map(([resource, seconds]) =>
          db.builder
            .delete(counters)
            .where(
              sql`rowid in (select rowid from counters where resource = ${resource}
                and bucket < ${second - seconds} limit ${pruneSize})`,
            )
            .returning({ bucket: counters.bucket }),
        ),
      );
      return written.ok ? ok(written.value.flat().length) : written;
    },
  };
}
