/** Parked calls, each in a session of its own. Limits are checked in the transaction that parks, so that all processes agree. */
import { and, eq, inArray, sql } from "drizzle-orm";
import type { SessionStore } from "../../domain/ports/stores.ts";
import { err, ok } from "../../domain/result.ts";
import { maxParked, tooManyParked } from "../../domain/tenancy/parked.ts";
import { raw, type Database } from "../db.ts";
import { execute, inLane } from "../execute.ts";
import { sessions } from "../schema.ts";

export const createParking = (db: Database): Pick<SessionStore, "park" | "stayParked"> => ({
  async park({ tenantId, keyId, id }, { until, now }) {
    const others = sql`select count(*) from sessions p
      where p.tenant_id = ${tenantId} and p.parked_until > ${now} and p.id <> ${id}`;
    const ofKey = sql`(${others} and p.key_id = ${keyId})`;
    const ofTenant = sql`(${others})`;
    const written = await db.write(
      [
        raw(sql`select ${ofKey} as of_key, ${ofTenant} as of_tenant`),
        raw(sql`
          update sessions set parked_until = ${until}
          where tenant_id = ${tenantId} and id = ${id}
            and ${ofKey} < ${maxParked.perKey} and ${ofTenant} < ${maxParked.perTenant}
          returning id`),
      ],
      { lane: tenantId },
    );
    if (!written.ok) return written;
    const [[counted] = [], parked = []] = written.value;
    if (parked.length > 0) return ok(null);
    if (Number(counted?.["of_key"]) >= maxParked.perKey)
      return err(tooManyParked("key.parkedCalls"));
    return Number(counted?.["of_tenant"]) >= maxParked.perTenant
      ? err(tooManyParked("tenant.parkedCalls"))
      : err({ reason: "session_not_found" });
  },
  stayParked: (tenantId, ids, until) =>
    execute(inLane(db, tenantId), [
      db.builder
        .update(sessions)
        .set({ parkedUntil: until })
        .where(and(eq(sessions.tenantId, tenantId), inArray(sessions.id, [...ids]))),
    ]),
});
