import type { AsyncResult } from "../domain/refusals.ts";
import { eq, sql } from "drizzle-orm";
import type { AdminEvent } from "../domain/admin-event.ts";
import { ok } from "../domain/result.ts";
import { raw, type Builder, type Compiled, type Database } from "./db.ts";
import { appendEvent } from "./events.ts";
import { tenants } from "./schema.ts";

/**
 * Raises the tenant's version, which makes every choice that was prepared on the old state stale.
 * @param ifVersion the whole transaction fails where the tenant has another version: no version may be null, and
 *   `db.ts` makes `precondition_failed` of that. Absent: whatever version it has
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

/**
 * A change of something that a tenant owns, together with the tenant's new version and the event: all
 * or nothing.
 */
export async function writeChange(
  db: Database,
  tenantId: string,
  statement: Compiled | readonly Compiled[],
  event: AdminEvent,
  ifVersion?: number,
): AsyncResult<null> {
  const written = await db.write(
    [
      raiseVersion(db.builder, tenantId, ifVersion),
      ...[statement].flat(),
      appendEvent(db.builder, event),
    ],
    { lane: tenantId },
  );
  return written.ok ? ok(null) : written;
}
