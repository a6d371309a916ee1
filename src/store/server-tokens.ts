/**
 * Tokens for registered servers. A refresh token may be good for one use. Two isolates that refresh at
 * once must not both spend it, and what one of them got must not be overwritten by the other.
 */
import { and, eq, isNull, gt, lte, or, sql } from "drizzle-orm";
import { clockSlackMs } from "../domain/clocks.ts";
import type { ServerTokens, TokenStore } from "../domain/ports/server-stores.ts";
import { ok } from "../domain/result.ts";
import { raw, type Database, type Row } from "./db.ts";
import { appendEventWhere } from "./events.ts";
import { servers, serverTokens } from "./server-schema.ts";

const columns = {
  tenantId: serverTokens.tenantId,
  serverId: serverTokens.serverId,
  sealed: serverTokens.sealed,
  generation: serverTokens.generation,
  expiresAt: serverTokens.expiresAt,
  leaseUntil: serverTokens.leaseUntil,
  fault: serverTokens.fault,
};

/** A row as the driver gives it where its statement is one of several. */
const tokensOf = (row: Row): ServerTokens => ({
  tenantId: String(row["tenant_id"]),
  serverId: String(row["server_id"]),
  sealed: row["sealed"] as string | null,
  generation: String(row["generation"]),
  expiresAt: row["expires_at"] as number | null,
  leaseUntil: Number(row["lease_until"]),
  fault: row["fault"] as ServerTokens["fault"],
});

export const createTokenStore = (db: Database, deps: { nonce: () => string }): TokenStore => {
  const where = (tenantId: string, serverId: string) =>
    and(eq(serverTokens.tenantId, tenantId), eq(serverTokens.serverId, serverId));
  const still = (tenantId: string, serverId: string, generation: string) =>
    and(where(tenantId, serverId), eq(serverTokens.generation, generation));
  const read = (tenantId: string, serverId: string) =>
    db.read(async (builder): Promise<ServerTokens | null> => {
      const [row] = await builder
        .select(columns)
        .from(serverTokens)
        .where(where(tenantId, serverId))
        .limit(1);
      return row ?? null;
    });
  return {
    get: read,
    async claim(tenantId, serverId, { from, lease, now, leaseUntil }) {
      const written = await db.write([
        // No row is made for a server that is gone, or is another tenant's.
        raw(sql`
          insert into server_tokens (tenant_id, server_id, generation, lease_until)
          select tenant_id, id, ${deps.nonce()}, 0 from servers
          where tenant_id = ${tenantId} and id = ${serverId}
          on conflict do nothing`),
        // The same batch sent again finds the lease that it wrote itself, and may have it.
        db.builder
          .update(serverTokens)
          .set({ lease, leaseUntil })
          .where(
            and(
              where(tenantId, serverId),
              from === null ? isNull(serverTokens.sealed) : eq(serverTokens.generation, from),
              or(
                lte(serverTokens.leaseUntil, now),
                // No lease is longer than this one: a later end was written before a clock was set
                // back.
                gt(serverTokens.leaseUntil, leaseUntil + clockSlackMs),
                eq(serverTokens.lease, lease),
              ),
            ),
          ),
        db.builder
          .select(columns)
          .from(serverTokens)
          .where(and(where(tenantId, serverId), eq(serverTokens.lease, lease)))
          .limit(1),
      ]);
      if (!written.ok) return written;
      const [row] = written.value[2] ?? [];
      return ok(row === undefined ? null : tokensOf(row));
    },
    async save(tenantId, serverId, { from, generation, sealed, expiresAt }) {
      const written = await db.write([
        db.builder
          .update(serverTokens)
          .set({ sealed, generation, expiresAt, lease: null, leaseUntil: 0, fault: null })
          .where(still(tenantId, serverId, from)),
        // Reads the row instead of the number of changes: a batch that is sent twice changes
        // nothing the second time.
        db.builder
          .select({ generation: serverTokens.generation })
          .from(serverTokens)
          .where(still(tenantId, serverId, generation)),
      ]);
      return written.ok ? ok((written.value[1]?.length ?? 0) > 0) : written;
    },
    async fail(tenantId, serverId, { from, fault, leaseUntil }) {
      const written = await db.write([
        db.builder
          .update(serverTokens)
          .set({ lease: null, leaseUntil, fault })
          .where(still(tenantId, serverId, from)),
      ]);
      return written.ok ? ok(null) : written;
    },
    async replace({ tenantId, serverId, ...fresh }, { event, now }) {
      const there = sql`exists (select 1 from servers where tenant_id = ${tenantId} and id = ${serverId})`;
      const written = await db.write([
        // A server that was deleted meanwhile leaves nothing behind.
        raw(sql`
          insert into server_tokens
            (tenant_id, server_id, sealed, generation, expires_at, lease, lease_until, fault)
          select ${tenantId}, ${serverId}, ${fresh.sealed}, ${fresh.generation}, ${fresh.expiresAt},
            null, ${fresh.leaseUntil}, ${fresh.fault}
          where ${there}
          on conflict (tenant_id, server_id) do update set sealed = excluded.sealed,
            generation = excluded.generation, expires_at = excluded.expires_at, lease = null,
            lease_until = excluded.lease_until, fault = excluded.fault`),
        db.builder
          .update(servers)
          .set({ status: "active", updatedAt: now })
          .where(and(eq(servers.tenantId, tenantId), eq(servers.id, serverId))),
        appendEventWhere(event, there),
      ]);
      return written.ok ? ok(null) : written;
    },
    async expire(tenantId, serverId, generation) {
      const written = await db.write([
        db.builder
          .update(serverTokens)
          .set({ expiresAt: 0 })
          .where(still(tenantId, serverId, generation)),
      ]);
      return written.ok ? ok(null) : written;
    },
  };
};
