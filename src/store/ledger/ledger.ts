/**
 * A batch may be retried after a lost response, so it changes counters only for rows that aren't counted yet
 * (`record-numbers.ts`).
 */
import { sql, type SQL } from "drizzle-orm";
import { windowSeconds } from "../../domain/limits/limit-checks.ts";
import { periodOf, resources, type Period, type Resource } from "../../domain/limits/resources.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import type { Ledger } from "../../domain/ports/ledger.ts";
import { ok } from "../../domain/result.ts";
import { compactDecision } from "../../domain/choice/decision.ts";
import { admit } from "./admission/admission.ts";
import { correct } from "../records/corrections.ts";
import { prepared, type Database } from "../db.ts";
import { countRows, execute } from "../execute.ts";
import { settleSwept } from "./settlement/late-settlement.ts";
import { endingCode, openingCode, openingOf } from "../records/record-codes.ts";
import { nextNumber, useNumbers } from "../records/record-numbers.ts";
import { openingColumns, unspent } from "../records/records.ts";
import { counters } from "../schema/ledger-schema.ts";
import { samplingRequests } from "../schema.ts";
import { renewLeases } from "./leases.ts";
import { settle } from "./settlement/settlement.ts";
import { admitInMemory, settleInMemory } from "./single-writer.ts";
import { estimateOf, refusedUsage, sweptUsage } from "../records/usage.ts";

const sweepSize = 200;
const pruneSize = 5_000;

const daySeconds = 86_400;
/** s for which a counter matters: its window and some time for corrections. */
const keptFor: Partial<Record<Period, number>> = {
  minute: 2 * windowSeconds,
  day: 40 * daySeconds,
  week: 50 * daySeconds,
  month: 70 * daySeconds,
};

/** Resources not listed don't expire by age: totals stay, and a run's counters are deleted together. */
export const keptSeconds: Record<string, number> = {
  ...Object.fromEntries(
    resources.flatMap((resource) => {
      const seconds = keptFor[periodOf(resource)];
      return seconds === undefined ? [] : [[resource, seconds]];
    }),
  ),
  /** of `domain/tenancy/session-limits.ts` */
  initialize: 2 * windowSeconds,
  /** of `domain/audit/thinning.ts`, until the scheduled job has recorded them */
  refusals: daySeconds,
};
export const runResources = resources.filter((resource) => periodOf(resource) === "run");
export const keptRunSeconds = 2 * daySeconds;

const isOver = (resource: Resource, second: number): SQL => sql`resource = ${resource}
  and bucket < ${second - keptRunSeconds} and not exists (
    select 1 from counters c where c.tenant_id = counters.tenant_id and c.subject = counters.subject
      and c.resource = ${resource} and c.bucket >= ${second - keptRunSeconds})`;

export function createLedger(
  db: Database,
  deps: { nonce: () => string; mac: Mac; rowMac: Mac },
): Ledger {
  const { mac, rowMac } = deps;
  /** Identifies an attempt to settle. Short, since it stays in the row. */
  const nonce = (): string => deps.nonce().slice(0, 8);
  return {
    async admit(reservation) {
      const entered = await admitInMemory({ db, mac }, reservation);
      if (!entered.ok) return entered;
      return entered.value === null ? admit({ db, mac, rowMac }, reservation) : ok(entered.value);
    },

    async settle(settlement) {
      const settlementTry = { settlement, nonce: nonce() };
      const entered = await settleInMemory({ db, mac }, settlementTry);
      if (!entered.ok) return entered;
      return entered.value ? ok(true) : settle({ db, mac }, settlementTry);
    },

    settleSwept: (settlement, event) =>
      settleSwept({ db, mac }, { settlement, nonce: nonce() }, event),

    findOpen: (calls) =>
      db.read(async (builder) => {
        const rows = await builder.all<{ id: string }>(sql`
          select r.id from json_each(${JSON.stringify(calls)}) j cross join sampling_requests r
          where r.id = j.value ->> 'id' and +r.tenant_id = j.value ->> 'tenantId'
            and r.outcome in ('admitted', 'unknown')`);
        return rows.map(({ id }) => id);
      }),

    runningOf: (tenantIds, now) =>
      db.read(async (builder) => {
        const rows = await builder.all<{ tenantId: string; running: string }>(sql`
          select r.tenant_id as tenantId, count(*) || ' ' || sum(r.record_number) as running
          from json_each(${JSON.stringify(tenantIds)}) j cross join sampling_requests r
          where r.tenant_id = j.value and r.outcome = 'admitted' and r.lease_until > ${now}
          group by 1`);
        return new Map(rows.map(({ tenantId, running }) => [tenantId, running]));
      }),

    async refuse(opening, reason, detail, decision) {
      const ids = { id: opening.id, tenantId: opening.who.tenantId };
      const row = {
        ...openingColumns(opening),
        ...unspent,
        outcome: "refused" as const,
        reason,
        reasonDetail: detail,
        decision: decision === null ? null : compactDecision(decision),
        settledAt: opening.createdAt,
      };
      const first = await openingCode(mac, "refused", openingOf(row));
      const last = await endingCode(mac, "ended", { openingCode: first, number: null, row });
      return execute(
        db,
        [
          db.builder
            .insert(samplingRequests)
            .values({
              ...row,
              limitChecks: [],
              recordNumber: nextNumber(ids.tenantId),
              openingCode: first,
              endingCode: last,
            })
            .onConflictDoNothing(),
          refusedUsage(ids),
          prepared(useNumbers, [JSON.stringify([[ids.id, ids.tenantId]])]),
        ],
        { lane: opening.who.tenantId, ifLost: "again" },
      );
    },

    renew: (tenantId, ids, leaseUntil) => renewLeases({ db, mac }, { tenantId, ids, leaseUntil }),

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
            inputTokens: estimateOf("inputTokens", "sampling_requests"),
            outputTokens: estimateOf("outputTokens", "sampling_requests"),
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

    correct: (corrected, event) => correct({ db, mac }, corrected, event),

    prune(now) {
      const second = Math.floor(now / 1_000);
      return countRows(
        db,
        [
          ...Object.entries(keptSeconds).map(
            ([resource, seconds]) => sql`resource = ${resource} and bucket < ${second - seconds}`,
          ),
          ...runResources.map((resource) => isOver(resource, second)),
        ].map((where) =>
          db.builder
            .delete(counters)
            .where(sql`rowid in (select rowid from counters where ${where} limit ${pruneSize})`)
            .returning({ bucket: counters.bucket }),
        ),
      );
    },
  };
}
