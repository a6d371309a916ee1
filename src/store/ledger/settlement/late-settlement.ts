/**
 * A settlement that comes after the sweep. The call's process was alive, and knows what the sweep could
 * not. The row is opened again and ended by the ordinary settlement, in one transaction, so no other
 * statement sees it open.
 */
import type { AsyncResult } from "../../../domain/refusals.ts";
import { sql } from "drizzle-orm";
import type { AdminEvent } from "../../../domain/admin-event.ts";
import type { Mac } from "../../../domain/tenancy/mac.ts";
import { loggedWithBefore } from "../../records/corrections.ts";
import { slidingCharges } from "../../../domain/limits/resources.ts";
import { raw, type Compiled, type Database } from "../../db.ts";
import { held, listOf } from "../../rows/row-holds.ts";
import { settle, type SettlementTry } from "./settlement.ts";
import { unsweptUsage } from "../../records/usage.ts";

/**
 * Takes back what the sweep counted, logs what the sweep had written, and opens the row. The sweep left
 * the held amounts in the counters, and the settlement's own charge is reckoned from there. A row that
 * an operator has corrected stays as it is.
 */
function reopening({ settlement: { id, tenantId } }: SettlementTry, event: AdminEvent): Compiled[] {
  const swept = sql`r.id = ${id} and r.tenant_id = ${tenantId} and r.outcome = 'unknown'
    and r.settlement is null and r.correction is null`;
  return [
    ...unsweptUsage(swept),
    loggedWithBefore(event, swept),
    // A minute's counter that is gone is not made anew, because it would begin below zero.
    raw(sql`
      update sampling_requests as r set outcome = 'admitted',
        former_seal = coalesce(seal_number, former_seal),
        former_position = coalesce(seal_position, former_position),
        seal_number = null, seal_position = null, holds = (
          select json_group_array(json(h.value)) from json_each(r.holds) h
          where ${held.resource} not in ${listOf(slidingCharges)} or exists (
            select 1 from counters c where c.tenant_id = ${tenantId}
              and c.subject = ${held.subject} and c.resource = ${held.resource}
              and c.bucket = ${held.bucket}))
      where ${swept}`),
  ];
}

/** True if this try replaced the sweep's `unknown`. A sealed record will be sealed again. */
export const settleSwept = (
  deps: { db: Database; mac: Mac },
  late: SettlementTry,
  event: AdminEvent,
): AsyncResult<boolean> => settle(deps, { ...late, kind: "ended-late" }, reopening(late, event));
