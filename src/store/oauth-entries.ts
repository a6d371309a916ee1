import { and, asc, eq, gt, gte, inArray, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { OauthEntryChange, OauthEntryStore } from "../domain/ports/oauth-entries.ts";
import { ok } from "../domain/result.ts";
import { raw, type Compiled, type Database } from "./db.ts";
import { oauthEntries } from "./oauth-schema.ts";

/** Behind every key that begins with the prefix: keys are ASCII. */
const endOf = (prefix: string): string => `${prefix}\u{7f}`;

export function createOauthEntryStore(
  db: Database,
  { nonce }: { nonce: () => string },
): OauthEntryStore {
  const stands = (now: number) =>
    or(isNull(oauthEntries.expiresAt), gt(oauthEntries.expiresAt, now));
  const row = {
    key: oauthEntries.key,
    value: oauthEntries.value,
    version: oauthEntries.version,
    expiresAt: oauthEntries.expiresAt,
  };
  /** Gives a row if it did what it says. */
  const statement = (change: OauthEntryChange, now: number): Compiled => {
    const { tenantId, key, value, expiresAt, ifVersion } = change;
    const place = sql`tenant_id = ${tenantId} and key = ${key}`;
    const known = typeof ifVersion === "object" ? ifVersion.is : null;
    const same = sql`version = ${known} and (expires_at is null or expires_at > ${now})`;
    if (value === null)
      return raw(sql`delete from oauth_entries where ${place}
        ${known === null ? sql`` : sql`and ${same}`} returning key`);
    if (known !== null)
      return raw(sql`update oauth_entries
        set value = ${value}, version = ${nonce()}, expires_at = ${expiresAt}
        where ${place} and ${same} returning key`);
    return raw(sql`
      insert into oauth_entries (tenant_id, key, value, version, expires_at)
      values (${tenantId}, ${key}, ${value}, ${nonce()}, ${expiresAt})
      on conflict (tenant_id, key) do update
        set value = excluded.value, version = excluded.version, expires_at = excluded.expires_at
        ${ifVersion === "any" ? sql`` : sql`where oauth_entries.expires_at <= ${now}`}
      returning key`);
  };
  return {
    get: (tenantId, keys, now) =>
      db.read((builder) =>
        builder
          .select(row)
          .from(oauthEntries)
          .where(
            and(
              eq(oauthEntries.tenantId, tenantId),
              inArray(oauthEntries.key, [...keys]),
              stands(now),
            ),
          ),
      ),
    async change(change, now) {
      const written = await db.write([statement(change, now)], { lane: change.tenantId });
      if (!written.ok) return written;
      // What was not read is gone, whether it was there or not.
      const blind = change.value === null && change.ifVersion === "any";
      return ok(blind || (written.value[0] ?? []).length > 0);
    },
    list: (tenantId, { prefix, after, limit }, now) =>
      db.read((builder) =>
        builder
          .select(row)
          .from(oauthEntries)
          .where(
            and(
              eq(oauthEntries.tenantId, tenantId),
              gte(oauthEntries.key, prefix),
              lt(oauthEntries.key, endOf(prefix)),
              gt(oauthEntries.key, after),
              stands(now),
            ),
          )
          .orderBy(asc(oauthEntries.key))
          .limit(limit),
      ),
    count: (tenantId, { prefix, most }, now) =>
      db.read(async (builder) => {
        const [counted] = await builder.all<{ n: number }>(sql`
          select count(*) as n from (select 1 from oauth_entries
            where tenant_id = ${tenantId} and key >= ${prefix} and key < ${endOf(prefix)}
              and (expires_at is null or expires_at > ${now}) limit ${most})`);
        return counted?.n ?? 0;
      }),
    async evict(tenantId, { prefix, endsBy }, now) {
      const first = sql`select key from oauth_entries
        where tenant_id = ${tenantId} and key >= ${prefix} and key < ${endOf(prefix)}
          and expires_at > ${now} and expires_at <= ${endsBy}
        order by expires_at, key limit 1`;
      const statements = [
        raw(
          sql`delete from oauth_entries where tenant_id = ${tenantId} and key in (${first}) returning key`,
        ),
      ];
      const written = await db.write(statements, { lane: tenantId });
      return written.ok ? ok((written.value[0] ?? []).length > 0) : written;
    },
    async prune(now) {
      const written = await db.write([
        db.builder
          .delete(oauthEntries)
          .where(lte(oauthEntries.expiresAt, now))
          .returning({ key: oauthEntries.key }),
      ]);
      return written.ok ? ok(written.value[0]?.length ?? 0) : written;
    },
  };
}
