/**
 * For calls that the sweep ended although their process was alive. One transaction, so no other statement sees
 * the row open.
 */
import type { AsyncResult } from "../../../domain/refusals.ts";
import { sql } from "drizzle-orm";
import type { AdminEvent } from "../../../domain/admin-event.ts";
import type { Mac } from "../../../domain/tenancy/mac.ts";
import { loggedWithBefore } from "../../records/corrections.ts";
import { slidingCharges } from "../../../domain/limits/resources.ts";
import { raw, type Compiled, type Database } from "../../db.ts";
import { storedCheck, listOf } from "../../rows/stored-limit-checks.ts";
import { settle, type SettlementTry } from "./settlement.ts";
import { unsweptUsage } from "../../records/usage.ts";

/** Reverts what the sweep counted. Reservations are still in the counters; corrected rows stay. */
function reopening({ settlement: { id, tenantId } }: SettlementTry, event: AdminEvent): Compiled[] {
  const swept = sql`r.id = ${id} and r.tenant_id = ${tenantId} and r.outcome = 'unknown'
    and r.settlement is null and r.correction is null`;
  return [
    ...unsweptUsage(swept),
    loggedWithBefore(event, swept),
    // Doesn't recreate a pruned counter, which would start below zero.
    raw(sql`
      update sampling_requests as r set outcome = 'admitted',
        former_seal = coalesce(seal_number, former_seal),
        former_position = coalesce(seal_position, former_position),
        seal_number = null, seal_position = null, limit_checks = (
          select json_group_array(json(h.value)) from json_each(r.limit_checks) h
          where ${storedCheck.resource} not in ${listOf(slidingCharges)} or exists (
            select 1 from counters c where c.tenant_id = ${tenantId}
              and c.subject = ${storedCheck.subject} and c.resource = ${storedCheck.resource}
              and c.bucket = ${storedCheck.bucket}))
      where ${swept}`),
  ];
}

/** `true` if this attempt replaced `unknown`. A sealed record is sealed again. */
export const settleSwept = (
  deps: { db: Database; mac: Mac },
  late: SettlementTry,
  event: AdminEvent,
): AsyncResult<boolean> => settle(deps, { ...late, kind: "ended-late" }, reopening(late, event));
