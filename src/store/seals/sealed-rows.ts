import { and, asc, eq, getTableColumns, gt, isNotNull, sql, type SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import {
  providerKeyOf,
  webhookSecretOf,
  type Resealed,
  type SealedKind,
  type SealedRow,
  type SealedRowStore,
} from "../../domain/tenancy/sealing.ts";
import { pendingOf, secretsOf, tokenOf } from "../../domain/servers/server.ts";
import { raw, type Builder, type Compiled, type Database } from "../db.ts";
import { execute } from "../execute.ts";
import { credentials } from "../schema.ts";
import { codedReaders, recodeRows } from "./coded-rows.ts";
import { pageOfContents, replaceContents } from "./sealed-contents.ts";
import { signInSecretsOf } from "../../domain/tenancy/sign-in.ts";
import { signIns } from "../schema/console-schema.ts";
import { userSecretsOf } from "../../domain/tenancy/user.ts";
import { users } from "../schema/user-schema.ts";
import { webhookSecrets } from "../schema/webhook-schema.ts";
import { authorizations, servers, serverTokens, userTokens } from "../schema/server-schema.ts";

const pageSize = 50;
type Secret = Exclude<SealedKind, "captures" | "results">;

const url = { url: servers.url, oauth: servers.oauth };

type Reader = (builder: Builder, after: string) => Promise<SealedRow[]>;

const readerOf =
  <T extends SQLiteTable & Record<"tenantId" | "sealed", SQLiteColumn>>(
    table: T,
    place: SQLiteColumn,
    contextOf: (row: T["$inferSelect"]) => SealedRow["context"],
  ): Reader =>
  async (builder, after) => {
    const { tenantId, sealed } = table;
    const rows = await builder
      .select({ tenantId, sealed, place, row: getTableColumns(table) })
      .from(table)
      .where(and(gt(place, after), isNotNull(sealed)))
      .orderBy(asc(place))
      .limit(pageSize);
    return (rows as (Omit<SealedRow, "context"> & { row: T["$inferSelect"] })[]).map(
      ({ row, ...its }) => ({ ...its, context: contextOf(row) }),
    );
  };

/** A row whose server is gone is skipped and pruned later. */
const readers: Record<Secret, Reader> = {
  credentials: readerOf(credentials, credentials.id, providerKeyOf),
  servers: readerOf(servers, servers.id, secretsOf),
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
      // Ids are unique across tenants, and there are few.
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
  webhooks: readerOf(webhookSecrets, webhookSecrets.id, webhookSecretOf),
  "sign-ins": readerOf(signIns, signIns.tenantId, signInSecretsOf),
  users: readerOf(users, users.id, userSecretsOf),
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

/** One parameter, so one statement serves any number of rows. */
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

/** Invalidates snapshots, which hold replaced seals. */
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
  replace: (kind, rows) =>
    execute(
      db,
      kind === "captures" || kind === "results"
        ? replaceContents(kind, rows)
        : replaceSecrets(kind, rows),
    ),
  coded: (kind, after) => db.read((builder) => codedReaders[kind](builder, after)),
  recode: (kind, rows) => execute(db, [recodeRows(kind, rows)]),
});
