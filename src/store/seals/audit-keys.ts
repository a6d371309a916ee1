import { asc, sql } from "drizzle-orm";
import { ok } from "../../domain/result.ts";
import type { SealStore } from "../../domain/audit/seals.ts";
import { raw, type Database } from "../db.ts";
import { execute } from "../execute.ts";
import { auditKeys } from "../schema/seal-schema.ts";

type KeyStore = Pick<SealStore, "keys" | "keepKeys" | "reportKey">;

export const createAuditKeyStore = (db: Database): KeyStore => ({
  keys: () =>
    db.read((builder) =>
      builder
        .select({ id: auditKeys.id, publicKey: auditKeys.publicKey, code: auditKeys.code })
        .from(auditKeys)
        .orderBy(asc(auditKeys.createdAt), asc(auditKeys.id)),
    ),
  async keepKeys(keys, now) {
    if (keys.length === 0) return ok(null);
    return execute(
      db,
      keys.map(({ id, publicKey, code }) =>
        db.builder
          .insert(auditKeys)
          .values({ id, publicKey, code, createdAt: now })
          // A conflicting row holds this key or a forged one, so it is overwritten.
          .onConflictDoUpdate({ target: auditKeys.id, set: { publicKey, code, delivered: false } }),
      ),
    );
  },
  reportKey: ({ id, at, actor, action, target, detail }) =>
    execute(db, [
      raw(sql`
        insert into admin_events (id, at, actor, action, tenant_id, target, detail)
        select ${id}, ${at}, ${actor}, ${action}, null, ${target}, ${JSON.stringify(detail)}
        where not exists (select 1 from admin_events
          where tenant_id is null and action = ${action} and target = ${target})`),
    ]),
});
