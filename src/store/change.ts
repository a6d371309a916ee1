import type { AsyncResult } from "../domain/refusals.ts";
import { eq, sql } from "drizzle-orm";
import type { AdminEvent } from "../domain/admin-event.ts";
import { raw, type Builder, type Compiled, type Database } from "./db.ts";
import { execute, inLane } from "./execute.ts";
import { appendEvent } from "./events.ts";
import { tenants } from "./schema.ts";

/**
 * Increments the tenant's version, which invalidates prepared choices.
 * @param ifVersion fails the transaction with `precondition_failed` if the tenant has another version: the
 * update then sets a null version, which the schema rejects
 */
export const raiseVersion = (builder: Builder, tenantId: string, ifVersion?: number): Compiled =>
  ifVersion === undefined
    ? builder
        .update(tenants)
        .set({ version: sql`${tenants.version} + 1` })
        .where(eq(tenants.id, tenantId))
    : raw(sql`
        update tenants set version = case when version = ${ifVersion} then version + 1 end
        where id = ${tenantId}`);

/** Writes a change of a tenant's resource with the new version and the event in one transaction. */
export function writeChange(
  db: Database,
  tenantId: string,
  statement: Compiled | readonly Compiled[],
  event: AdminEvent,
  ifVersion?: number,
): AsyncResult<null> {
  return execute(inLane(db, tenantId), [
    raiseVersion(db.builder, tenantId, ifVersion),
    ...[statement].flat(),
    appendEvent(db.builder, event),
  ]);
}
