import type { AsyncResult } from "../domain/refusals.ts";
import { eq, sql } from "drizzle-orm";
import type { AdminEvent } from "../domain/admin-event.ts";
import { ok } from "../domain/result.ts";
import type { Builder, Compiled, Database } from "./db.ts";
import { appendEvent } from "./events.ts";
import { tenants } from "./schema.ts";

/** Raises the tenant's version, which makes every choice that was prepared on the old state stale. */
export const raiseVersion = (builder: Builder, tenantId: string): Compiled =>
  builder
    .update(tenants)
    .set({ version: sql`${tenants.version} + 1` })
    .where(eq(tenants.id, tenantId));

/**
 * A change of something that a tenant owns, together with the tenant's new version and the event: all
 * or nothing.
 */
export async function writeChange(
  db: Database,
  tenantId: string,
  statement: Compiled,
  event: AdminEvent,
): AsyncResult<null> {
  const written = await db.write(
    [statement, raiseVersion(db.builder, tenantId), appendEvent(db.builder, event)],
    { lane: tenantId },
  );
  return written.ok ? ok(null) : written;
}
