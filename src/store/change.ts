import type { AsyncResult } from "../domain/refusals.ts";
import { eq, sql } from "drizzle-orm";
import type { AdminEvent } from "../domain/admin-event.ts";
import { raw, type Builder, type Compiled, type Database } from "./db.ts";
import { execute, inLane } from "./execute.ts";
import { appendEvent } from "./events.ts";
import { tenants } from "./schema.ts";

/**
 * Invalidates prepared choices.
 * @param ifVersion for another version, the update sets a null version, which the schema rejects
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
