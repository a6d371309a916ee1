import type { AsyncResult } from "../../domain/refusals.ts";
import { and, eq, or, sql, type SQL } from "drizzle-orm";
import type { Correction } from "../../domain/audit/record.ts";
import type { AdminEvent } from "../../domain/admin-event.ts";
import { correctionText } from "../../domain/audit/evidence.ts";
import { moneyResources } from "../../domain/limits/resources.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import { ok } from "../../domain/result.ts";
import { raw, summed, type Compiled, type Database } from "../db.ts";
import { storedCheck, listOf } from "../rows/stored-limit-checks.ts";
import { correctionOf } from "./record-codes.ts";
import { samplingRequests } from "../schema.ts";
import { correctable, correctedUsage } from "./usage.ts";

/** Previous values are read in the transaction, so that concurrent changes see each other. */
export const loggedWithBefore = (event: AdminEvent, condition: SQL): Compiled =>
  raw(sql`
    insert into admin_events (id, at, actor, action, tenant_id, target, detail)
    select ${event.id}, ${event.at}, ${event.actor}, ${event.action}, ${event.tenantId},
      ${event.target}, json_set(${JSON.stringify(event.detail)}, '$.before', json_object(
        'outcome', coalesce(r.correction ->> 'outcome', r.outcome),
        'inputTokens', coalesce(r.correction ->> 'inputTokens', r.input_tokens),
        'outputTokens', coalesce(r.correction ->> 'outputTokens', r.output_tokens),
        'costMicroUsd', coalesce(r.correction ->> 'costMicroUsd', r.cost_micro_usd)))
    from sampling_requests r where ${condition}
    on conflict (id) do nothing`);

export async function correct(
  { db, mac }: { db: Database; mac: Mac },
  { tenantId, id, correction }: { tenantId: string; id: string; correction: Correction },
  event: AdminEvent,
): AsyncResult<boolean> {
  const correctionCode = await mac.code(correctionText(correctionOf({ id, tenantId, correction })));
  const where = sql`r.id = ${id} and r.tenant_id = ${tenantId} and ${correctable}`;
  // Computed from the row when the statement runs, so a batch that is sent twice changes it once.
  const charge = raw(sql`
    insert into counters (tenant_id, subject, resource, bucket, amount)
    select r.tenant_id, ${storedCheck.subject}, ${storedCheck.resource}, ${storedCheck.bucket},
      ${correction.costMicroUsd} - coalesce(r.correction ->> 'costMicroUsd', r.cost_micro_usd, 0)
    from sampling_requests r, json_each(r.limit_checks) h
    where ${where} and ${storedCheck.resource} in ${listOf(moneyResources)}
    on conflict (tenant_id, subject, resource, bucket)
      do update set amount = ${summed("amount")}`);
  const before = [
    charge,
    correctedUsage({ tenantId, id }, correction),
    loggedWithBefore(event, where),
  ];
  const written = await db.write([
    ...before,
    db.builder
      .update(samplingRequests)
      .set({
        correction,
        correctionCode,
        formerSeal: sql`coalesce(seal_number, former_seal)`,
        formerPosition: sql`coalesce(seal_position, former_position)`,
        sealNumber: null,
        sealPosition: null,
      })
      .where(
        and(
          eq(samplingRequests.id, id),
          eq(samplingRequests.tenantId, tenantId),
          or(eq(samplingRequests.outcome, "unknown"), eq(samplingRequests.usageImplausible, true)),
        ),
      )
      .returning({ id: samplingRequests.id }),
  ]);
  return written.ok ? ok((written.value[before.length] ?? []).length > 0) : written;
}
