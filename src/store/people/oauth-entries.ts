/** Grants, tokens, clients, pending consents, and sessions. A row without a valid code counts as missing. */
import { and, asc, eq, gt, gte, inArray, isNull, lt, lte, or, sql } from "drizzle-orm";
import {
  codedEntry,
  type OauthEntry,
  type OauthEntryChange,
  type OauthEntryStore,
} from "../../domain/ports/oauth-entries.ts";
import { ok } from "../../domain/result.ts";
import type { Mac } from "../../domain/tenancy/mac.ts";
import type { NoteRejected } from "../../domain/tenancy/rejected-row.ts";
import { raw, type Builder, type Compiled, type Database } from "../db.ts";
import { countRows } from "../execute.ts";
import { oauthEntries } from "../schema/oauth-schema.ts";

const endOf = (prefix: string): string => `${prefix}\u{7f}`;

interface OauthEntryDeps {
  nonce: () => string;
  mac: Mac;
  rejected: NoteRejected;
}

type Row = Omit<typeof oauthEntries.$inferSelect, "tenantId">;

async function genuine(
  { mac, rejected }: OauthEntryDeps,
  tenantId: string,
  rows: readonly Row[],
): Promise<OauthEntry[]> {
  const found: OauthEntry[] = [];
  for (const { code, ...entry } of rows)
    if (await mac.check(codedEntry({ tenantId, ...entry }), code)) found.push(entry);
    else await rejected({ tenantId: tenantId || null, table: "oauth_entries", id: entry.key });
  return found;
}

export function createOauthEntryStore(db: Database, deps: OauthEntryDeps): OauthEntryStore {
  const { nonce, mac } = deps;
  const stands = (now: number) =>
    or(isNull(oauthEntries.expiresAt), gt(oauthEntries.expiresAt, now));
  const row = {
    key: oauthEntries.key,
    value: oauthEntries.value,
    version: oauthEntries.version,
    code: oauthEntries.code,
    expiresAt: oauthEntries.expiresAt,
  };
  const statement = async (change: OauthEntryChange, now: number): Promise<Compiled> => {
    const { tenantId, key, value, expiresAt, ifVersion } = change;
    const place = sql`tenant_id = ${tenantId} and key = ${key}`;
    const known = typeof ifVersion === "object" ? ifVersion.is : null;
    const same = sql`version = ${known} and (expires_at is null or expires_at > ${now})`;
    if (value === null)
      return raw(sql`delete from oauth_entries where ${place}
        ${known === null ? sql`` : sql`and ${same}`} returning key`);
    const code = await mac.code(codedEntry({ tenantId, key, value, expiresAt }));
    if (known !== null)
      return raw(sql`update oauth_entries
        set value = ${value}, version = ${nonce()}, code = ${code}, expires_at = ${expiresAt}
        where ${place} and ${same} returning key`);
    return raw(sql`
      insert into oauth_entries (tenant_id, key, value, version, code, expires_at)
      values (${tenantId}, ${key}, ${value}, ${nonce()}, ${code}, ${expiresAt})
      on conflict (tenant_id, key) do update
        set value = excluded.value, version = excluded.version, code = excluded.code,
          expires_at = excluded.expires_at
        ${ifVersion === "any" ? sql`` : sql`where oauth_entries.expires_at <= ${now}`}
      returning key`);
  };
  const page = (
    builder: Builder,
    of: { tenantId: string; prefix: string; after: string; limit: number; now: number },
  ) =>
    builder
      .select(row)
      .from(oauthEntries)
      .where(
        and(
          eq(oauthEntries.tenantId, of.tenantId),
          gte(oauthEntries.key, of.prefix),
          lt(oauthEntries.key, endOf(of.prefix)),
          gt(oauthEntries.key, of.after),
          stands(of.now),
        ),
      )
      .orderBy(asc(oauthEntries.key))
      .limit(of.limit);
  return {
    async get(tenantId, keys, now) {
      const found = await db.read((builder) =>
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
      );
      return found.ok ? ok(await genuine(deps, tenantId, found.value)) : found;
    },
    async change(change, now) {
      const written = await db.write([await statement(change, now)], { lane: change.tenantId });
      if (!written.ok) return written;
      // Deleting an unread entry succeeds whether or not it existed.
      const blind = change.value === null && change.ifVersion === "any";
      return ok(blind || (written.value[0] ?? []).length > 0);
    },
    async list(tenantId, { prefix, after, limit }, now) {
      const entries: OauthEntry[] = [];
      // Skips invalid rows: ending the listing early would hide entries from revocation.
      for (let last = after; ;) {
        const left = limit - entries.length;
        const found = await db.read((builder) =>
          page(builder, { tenantId, prefix, after: last, limit: left, now }),
        );
        if (!found.ok) return found;
        entries.push(...(await genuine(deps, tenantId, found.value)));
        last = found.value.at(-1)?.key ?? last;
        if (found.value.length < left || entries.length === limit) return ok(entries);
      }
    },
    count: (tenantId, { prefix, max }, now) =>
      db.read(async (builder) => {
        const [counted] = await builder.all<{ n: number }>(sql`
          select count(*) as n from (select 1 from oauth_entries
            where tenant_id = ${tenantId} and key >= ${prefix} and key < ${endOf(prefix)}
              and (expires_at is null or expires_at > ${now}) limit ${max})`);
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
    prune: (now) =>
      countRows(db, [
        db.builder
          .delete(oauthEntries)
          .where(lte(oauthEntries.expiresAt, now))
          .returning({ key: oauthEntries.key }),
      ]),
  };
}
