/** A refresh token may be single-use, so isolates must not both use one or overwrite each other's result. */
import { and, asc, eq, isNotNull, sql, type SQL } from "drizzle-orm";
import { clockSlackMs } from "../../domain/clocks.ts";
import type {
  RenewedTokens,
  ServerTokens,
  TokenStore,
  UserTokenStore,
} from "../../domain/ports/server-stores.ts";
import type { AccountOwner } from "../../domain/tenancy/user.ts";
import { ok } from "../../domain/result.ts";
import { raw, type Database, type Row } from "../db.ts";
import { execute } from "../execute.ts";
import { appendEvent, appendEventWhere } from "../events.ts";
import { authorizations, servers, userTokens } from "../schema/server-schema.ts";

const tokensOf = (row: Row): ServerTokens => ({
  tenantId: String(row["tenant_id"]),
  serverId: String(row["holder_id"]),
  sealed: row["sealed"] as string | null,
  generation: String(row["generation"]),
  expiresAt: row["expires_at"] as number | null,
  leaseUntil: Number(row["lease_until"]),
  fault: row["fault"] as ServerTokens["fault"],
});

interface TokenRowDeps {
  nonce: () => string;
  /** `null` for the tenant's account at a server */
  of: AccountOwner | "credential" | null;
}

const tables = {
  server: { table: sql`server_tokens`, holder: sql`server_id`, holders: sql`servers` },
  user: { table: sql`user_tokens`, holder: sql`server_id`, holders: sql`servers` },
  credential: {
    table: sql`credential_tokens`,
    holder: sql`credential_id`,
    holders: sql`credentials`,
  },
};

/** The tables differ in the columns of the holder and owner. */
function placeOf({ nonce, of }: TokenRowDeps) {
  if (of === null || of === "credential") {
    const { holder, ...named } = tables[of ?? "server"];
    return {
      ...named,
      holder,
      owner: sql``,
      ownerValues: (): SQL => sql``,
      unique: sql`tenant_id, ${holder}`,
      where: (tenantId: string, id: string): SQL =>
        sql`tenant_id = ${tenantId} and ${holder} = ${id}`,
    };
  }
  return {
    ...tables.user,
    /** owner's columns and values */
    owner: sql`id, user_id, shown, `,
    ownerValues: (): SQL => sql`${nonce()}, ${of.userId}, ${of.shown}, `,
    unique: sql`tenant_id, user_id, shown, server_id`,
    where: (tenantId: string, serverId: string): SQL =>
      sql`tenant_id = ${tenantId} and user_id = ${of.userId} and shown = ${of.shown}
        and server_id = ${serverId}`,
  };
}

export const createTokenStore = (db: Database, deps: TokenRowDeps): TokenStore => {
  const { table, holder, holders, owner, ownerValues, unique, where } = placeOf(deps);
  const columns = sql`
    tenant_id, ${holder} as holder_id, sealed, generation, expires_at, lease_until, fault`;
  const still = (tenantId: string, serverId: string, generation: string): SQL =>
    sql`${where(tenantId, serverId)} and generation = ${generation}`;
  return {
    get: (tenantId, serverId) =>
      db.read(async (builder) => {
        const [row] = await builder.all<Row>(
          sql`select ${columns} from ${table} where ${where(tenantId, serverId)} limit 1`,
        );
        return row === undefined ? null : tokensOf(row);
      }),
    async claim(tenantId, serverId, { from, lease, now, leaseUntil }) {
      const isAsRead = from === null ? sql`sealed is null` : sql`generation = ${from}`;
      const written = await db.write([
        // No row for a missing holder or another tenant's.
        raw(sql`
          insert into ${table} (${owner}tenant_id, ${holder}, generation, lease_until)
          select ${ownerValues()}tenant_id, id, ${deps.nonce()}, 0 from ${holders}
          where tenant_id = ${tenantId} and id = ${serverId}
          on conflict do nothing`),
        // A repeated batch may take the lease that it wrote itself. A later end was written before a clock was
        // set back.
        raw(sql`
          update ${table} set lease = ${lease}, lease_until = ${leaseUntil}
          where ${where(tenantId, serverId)} and ${isAsRead}
            and (lease_until <= ${now} or lease_until > ${leaseUntil + clockSlackMs}
              or lease = ${lease})`),
        raw(sql`
          select ${columns} from ${table}
          where ${where(tenantId, serverId)} and lease = ${lease} limit 1`),
      ]);
      if (!written.ok) return written;
      const [row] = written.value[2] ?? [];
      return ok(row === undefined ? null : tokensOf(row));
    },
    async save(tenantId, serverId, { from, generation, sealed, expiresAt }) {
      const written = await db.write([
        raw(sql`
          update ${table} set sealed = ${sealed}, generation = ${generation},
            expires_at = ${expiresAt}, lease = null, lease_until = 0, fault = null
          where ${still(tenantId, serverId, from)}`),
        // Reads the row instead of a count of changes, which is 0 when a batch runs twice.
        raw(sql`select generation from ${table} where ${still(tenantId, serverId, generation)}`),
      ]);
      return written.ok ? ok((written.value[1]?.length ?? 0) > 0) : written;
    },
    fail: (tenantId, serverId, { from, fault, leaseUntil }) =>
      execute(db, [
        raw(sql`
          update ${table} set lease = null, lease_until = ${leaseUntil}, fault = ${fault}
          where ${still(tenantId, serverId, from)}`),
      ]),
    replace({ tenantId, serverId, ...fresh }, { event, now }) {
      const there = sql`exists (select 1 from servers where tenant_id = ${tenantId} and id = ${serverId})`;
      return execute(db, [
        // Nothing remains of a server that was deleted meanwhile.
        raw(sql`
          insert into ${table}
            (${owner}tenant_id, server_id, sealed, generation, expires_at, lease, lease_until, fault)
          select ${ownerValues()}${tenantId}, ${serverId}, ${fresh.sealed}, ${fresh.generation},
            ${fresh.expiresAt}, null, ${fresh.leaseUntil}, ${fresh.fault}
          where ${there}
          on conflict (${unique}) do update set sealed = excluded.sealed,
            generation = excluded.generation, expires_at = excluded.expires_at, lease = null,
            lease_until = excluded.lease_until, fault = excluded.fault`),
        // A person's authorization doesn't change the entry.
        ...(deps.of === null
          ? [
              db.builder
                .update(servers)
                .set({ status: "active", updatedAt: now })
                .where(and(eq(servers.tenantId, tenantId), eq(servers.id, serverId))),
            ]
          : []),
        appendEventWhere(event, there),
      ]);
    },
    expire: (tenantId, serverId, generation) =>
      execute(db, [
        raw(sql`update ${table} set expires_at = 0 where ${still(tenantId, serverId, generation)}`),
      ]),
  };
};

/** Tokens of clouds' credentials, which are obtained without a person. */
export function createCredentialTokens(db: Database, deps: { nonce: () => string }): RenewedTokens {
  const { replace: _, ...tokens } = createTokenStore(db, { ...deps, of: "credential" });
  return tokens;
}

export const createUserTokenStore = (
  db: Database,
  deps: { nonce: () => string },
): UserTokenStore => ({
  of: (owner) => createTokenStore(db, { ...deps, of: owner }),
  accountsOf: (tenantId, { userId, shown }) =>
    db.read(async (builder) => {
      const rows = await builder
        .select({ serverId: servers.id, server: servers.slug, fault: userTokens.fault })
        .from(userTokens)
        .innerJoin(
          servers,
          and(eq(servers.tenantId, userTokens.tenantId), eq(servers.id, userTokens.serverId)),
        )
        .where(
          and(
            eq(userTokens.tenantId, tenantId),
            eq(userTokens.userId, userId),
            eq(userTokens.shown, shown),
            isNotNull(userTokens.sealed),
          ),
        )
        .orderBy(asc(servers.slug));
      return rows.map(({ fault, ...account }) => ({ ...account, works: fault === null }));
    }),
  end: ({ tenantId, owner: { userId, shown }, serverId }, event) =>
    execute(db, [
      ...[userTokens, authorizations].map((table) =>
        db.builder
          .delete(table)
          .where(
            and(
              eq(table.tenantId, tenantId),
              eq(table.userId, userId),
              eq(table.shown, shown),
              eq(table.serverId, serverId),
            ),
          ),
      ),
      appendEvent(db.builder, event),
    ]),
  forget: (tenantId, userId) =>
    execute(
      db,
      [userTokens, authorizations].map((table) =>
        db.builder.delete(table).where(and(eq(table.tenantId, tenantId), eq(table.userId, userId))),
      ),
    ),
});
