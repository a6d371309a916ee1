/** Reads everything that is sealed or coded, of every tenant, page by page. Only sealing anew uses it. */
import { and, asc, eq, gt, isNotNull, sql, type SQL } from "drizzle-orm";
import { ok } from "../domain/result.ts";
import {
  providerKeyOf,
  webhookSecretOf,
  type Resealed,
  type SealedKind,
  type SealedRow,
  type SealedRowStore,
} from "../domain/tenancy/sealing.ts";
import { pendingOf, secretsOf, tokenOf } from "../domain/servers/server.ts";
import { raw, type Builder, type Compiled, type Database } from "./db.ts";
import { credentials } from "./schema.ts";
import { codedReaders, recodeRows } from "./coded-rows.ts";
import { pageOfContents, replaceContents } from "./sealed-contents.ts";
import { signInSecretsOf } from "../domain/tenancy/sign-in.ts";
import { signIns } from "./console-schema.ts";
import { userSecretsOf } from "../domain/tenancy/user.ts";
import { users } from "./user-schema.ts";
import { webhookSecrets } from "./webhook-schema.ts";
import { authorizations, servers, serverTokens, userTokens } from "./server-schema.ts";

const pageSize = 50;
type Secret = Exclude<SealedKind, "captures" | "results">;

const url = { url: servers.url, oauth: servers.oauth };

/** Readers of each kind of secret. A row whose server is gone belongs to nobody and goes with the next pruning. */
const readers: Record<Secret, (builder: Builder, after: string) => Promise<SealedRow[]>> = {
  async credentials(builder, after) {
    const rows = await builder
      .select()
      .from(credentials)
      .where(gt(credentials.id, after))
      .orderBy(asc(credentials.id))
      .limit(pageSize);
    return rows.map((row) => ({
      tenantId: row.tenantId,
      place: row.id,
      sealed: row.sealed,
      context: providerKeyOf(row),
    }));
  },
  async servers(builder, after) {
    const rows = await builder
      .select()
      .from(servers)
      .where(and(gt(servers.id, after), isNotNull(servers.sealed)))
      .orderBy(asc(servers.id))
      .limit(pageSize);
    return rows.map((row) => ({
      tenantId: row.tenantId,
      place: row.id,
      sealed: row.sealed ?? "",
      context: secretsOf(row),
    }));
  },
  async tokens(builder, after) {
    const rows = await builder
      .select({
        tenantId: serverTokens.tenantId,
        id: serverTokens.serverId,
        sealed: serverTokens.sealed,
        ...url,
      })
      .from(serverTokens)
      .innerJoin(
        servers,
        and(eq(servers.id, serverTokens.serverId), eq(servers.tenantId, serverTokens.tenantId)),
      )
      // Ids are unique over all tenants, and there are few of them.
      .where(and(gt(serverTokens.serverId, after), isNotNull(serverTokens.sealed)))
      .orderBy(asc(serverTokens.serverId))
      .limit(pageSize);
    return rows.map((row) => ({
      tenantId: row.tenantId,
      place: row.id,
      sealed: row.sealed ?? "",
      context: tokenOf(row),
    }));
  },
  async "user-tokens"(builder, after) {
    const rows = await builder
      .select({
        tenantId: userTokens.tenantId,
        place: userTokens.id,
        userId: userTokens.userId,
        shown: userTokens.shown,
        id: userTokens.serverId,
        sealed: userTokens.sealed,
        ...url,
      })
      .from(userTokens)
      .innerJoin(
        servers,
        and(eq(servers.id, userTokens.serverId), eq(servers.tenantId, userTokens.tenantId)),
      )
      .where(and(gt(userTokens.id, after), isNotNull(userTokens.sealed)))
      .orderBy(asc(userTokens.id))
      .limit(pageSize);
    return rows.map((row) => ({
      tenantId: row.tenantId,
      place: row.place,
      sealed: row.sealed ?? "",
      context: tokenOf(row, row),
    }));
  },
  async authorizations(builder, after) {
    const rows = await builder
      .select({
        id: authorizations.id,
        tenantId: authorizations.tenantId,
        serverId: authorizations.serverId,
        userId: authorizations.userId,
        shown: authorizations.shown,
        sealed: authorizations.sealed,
        expiresAt: authorizations.expiresAt,
        ...url,
      })
      .from(authorizations)
      .innerJoin(
        servers,
        and(eq(servers.id, authorizations.serverId), eq(servers.tenantId, authorizations.tenantId)),
      )
      .where(gt(authorizations.id, after))
      .orderBy(asc(authorizations.id))
      .limit(pageSize);
    return rows.map(({ id, serverId, userId, shown, expiresAt, ...row }) => ({
      tenantId: row.tenantId,
      place: id,
      sealed: row.sealed,
      context: pendingOf(
        { ...row, id: serverId },
        {
          id,
          owner: userId === null ? null : { userId, shown: shown ?? "" },
          expiresAt,
        },
      ),
    }));
  },
  async webhooks(builder, after) {
    const rows = await builder
      .select()
      .from(webhookSecrets)
      .where(gt(webhookSecrets.id, after))
      .orderBy(asc(webhookSecrets.id))
      .limit(pageSize);
    return rows.map((row) => ({
      tenantId: row.tenantId,
      place: row.id,
      sealed: row.sealed,
      context: webhookSecretOf(row),
    }));
  },
  async "sign-ins"(builder, after) {
    const rows = await builder
      .select()
      .from(signIns)
      .where(gt(signIns.tenantId, after))
      .orderBy(asc(signIns.tenantId))
      .limit(pageSize);
    return rows.map((row) => ({
      tenantId: row.tenantId,
      place: row.tenantId,
      sealed: row.sealed,
      context: signInSecretsOf(row),
    }));
  },
  async users(builder, after) {
    const rows = await builder
      .select()
      .from(users)
      .where(gt(users.id, after))
      .orderBy(asc(users.id))
      .limit(pageSize);
    return rows.map((row) => ({
      tenantId: row.tenantId,
      place: row.id,
      sealed: row.sealed,
      context: userSecretsOf(row),
    }));
  },
};

const tables: Record<Secret, { table: SQL; place: SQL }> = {
  credentials: { table: sql`credentials`, place: sql`id` },
  servers: { table: sql`servers`, place: sql`id` },
  tokens: { table: sql`server_tokens`, place: sql`server_id` },
  "user-tokens": { table: sql`user_tokens`, place: sql`id` },
  authorizations: { table: sql`authorizations`, place: sql`id` },
  webhooks: { table: sql`webhook_secrets`, place: sql`id` },
  "sign-ins": { table: sql`sign_ins`, place: sql`tenant_id` },
  users: { table: sql`users`, place: sql`id` },
};

/** The rows travel as one parameter, so any number of rows is one statement. */
function replaceSecrets(kind: Secret, rows: readonly Resealed[]): Compiled[] {
  const { table, place } = tables[kind];
  const changes = JSON.stringify(
    rows.map((row) => [row.place, row.tenantId, row.sealed, row.fresh]),
  );
  return [
    raw(sql`
      update ${table} set sealed = c.fresh
      from (select value ->> 0 as place, value ->> 1 as tenant, value ->> 2 as was,
        value ->> 3 as fresh from json_each(${changes})) as c
      where ${table}.${place} = c.place and ${table}.tenant_id = c.tenant
        and ${table}.sealed = c.was`),
    raiseVersions(rows),
  ];
}

/** Snapshots from before hold seals that no longer exist, so they become stale. */
const raiseVersions = (rows: readonly { tenantId: string }[]): Compiled =>
  raw(sql`
    update tenants set version = version + 1
    where id in (select value from json_each(${JSON.stringify([
      ...new Set(rows.map(({ tenantId }) => tenantId)),
    ])}))`);

export const createSealedRowStore = (db: Database): SealedRowStore => ({
  page: (kind, after) =>
    kind === "captures" || kind === "results"
      ? pageOfContents(db, kind, after)
      : db.read((builder) => readers[kind](builder, after)),
  async replace(kind, rows) {
    const written = await db.write(
      kind === "captures" || kind === "results"
        ? replaceContents(kind, rows)
        : replaceSecrets(kind, rows),
    );
    return written.ok ? ok(null) : written;
  },
  coded: (kind, after) => db.read((builder) => codedReaders[kind](builder, after)),
  async recode(kind, rows) {
    const written = await db.write([recodeRows(kind, rows)]);
    return written.ok ? ok(null) : written;
  },
});
