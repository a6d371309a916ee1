import { and, eq, gt, gte, lt, sql, type SQL } from "drizzle-orm";
import type {
  IdempotencyStore,
  IdempotentCall,
  Reservation,
} from "../../../domain/ports/ledger.ts";
import type { Settlement } from "../../../domain/audit/record.ts";
import { ok } from "../../../domain/result.ts";
import { raw, type Builder, type Compiled, type Database } from "../../db.ts";
import { countRows, execute } from "../../execute.ts";
import { idempotency, results } from "../../schema/ledger-schema.ts";
import { samplingRequests } from "../../schema.ts";

const pruneSize = 1_000;
/** libSQL limits a response to 10 MB, and a part has up to 1 MB. */
const partsPerRead = 4;
const noServer = "";

export const callOf = ({ opening, idempotency: asked }: Reservation): IdempotentCall | null =>
  asked === null
    ? null
    : {
        tenantId: opening.who.tenantId,
        keyId: opening.who.keyId,
        serverId: opening.who.serverId,
        key: asked.key,
      };

export const claimedByAnother = (
  { tenantId, keyId, serverId, key }: IdempotentCall,
  requestId: string,
  now: number,
): SQL => sql`
  from idempotency i where i.tenant_id = ${tenantId} and i.key_id = ${keyId}
    and i.server_id = ${serverId ?? noServer} and i.idempotency_key = ${key}
    and i.expires_at > ${now} and i.request_id <> ${requestId}`;

export function claim(
  call: IdempotentCall,
  claimed: { requestId: string; contentSha256: string; expiresAt: number; now: number },
  condition: SQL,
): Compiled {
  const { tenantId, keyId, serverId, key } = call;
  return raw(sql`
    insert into idempotency (tenant_id, key_id, server_id, idempotency_key, request_id,
      content_sha256, replays, expires_at)
    select ${tenantId}, ${keyId}, ${serverId ?? noServer}, ${key}, ${claimed.requestId},
      ${claimed.contentSha256}, 0, ${claimed.expiresAt}
    where ${condition}
    on conflict (tenant_id, key_id, server_id, idempotency_key) do update set
      request_id = excluded.request_id, content_sha256 = excluded.content_sha256,
      replays = 0, delivered = null, expires_at = excluded.expires_at
    where idempotency.expires_at <= ${claimed.now}`);
}

const ofRequest = ({ tenantId, requestId }: { tenantId: string; requestId: string }) =>
  and(eq(idempotency.tenantId, tenantId), eq(idempotency.requestId, requestId));

export function settleKey(
  builder: Builder,
  { id, tenantId, result }: Settlement,
  condition: SQL,
): Compiled[] {
  if (result === null) return [];
  const where = and(ofRequest({ tenantId, requestId: id }), condition);
  if (result === "free") return [builder.delete(idempotency).where(where)];
  const { parts, expiresAt } = result;
  return [
    builder.update(idempotency).set({ expiresAt }).where(where),
    ...parts.map((part, at) =>
      raw(sql`
        insert into results (tenant_id, request_id, part, sealed, expires_at)
        select ${tenantId}, ${id}, ${at}, ${part}, ${expiresAt} where ${condition}
        on conflict do nothing`),
    ),
  ];
}

const whereCaller = ({ tenantId, keyId, serverId }: Omit<IdempotentCall, "key">) =>
  and(
    eq(idempotency.tenantId, tenantId),
    eq(idempotency.keyId, keyId),
    eq(idempotency.serverId, serverId ?? noServer),
  );

const whereKey = (call: IdempotentCall) =>
  and(whereCaller(call), eq(idempotency.idempotencyKey, call.key));

const partsOf = ({ tenantId, requestId }: { tenantId: string; requestId: string }) =>
  and(eq(results.tenantId, tenantId), eq(results.requestId, requestId));

export const createIdempotencyStore = (db: Database): IdempotencyStore => ({
  async find(call, now) {
    const found = await db.read(async (builder) => {
      const [first] = await builder
        .select({
          requestId: idempotency.requestId,
          contentSha256: idempotency.contentSha256,
          outcome: samplingRequests.outcome,
          leaseUntil: samplingRequests.leaseUntil,
          result: results.sealed,
          parts: sql<number>`(
            select count(*) from results r where r.tenant_id = ${idempotency.tenantId}
              and r.request_id = ${idempotency.requestId})`,
        })
        .from(idempotency)
        .leftJoin(
          samplingRequests,
          and(
            eq(samplingRequests.id, idempotency.requestId),
            eq(samplingRequests.tenantId, idempotency.tenantId),
          ),
        )
        .leftJoin(
          results,
          and(
            eq(results.requestId, idempotency.requestId),
            eq(results.tenantId, idempotency.tenantId),
            eq(results.part, 0),
          ),
        )
        .where(and(whereKey(call), gt(idempotency.expiresAt, now)));
      return first ?? null;
    });
    if (!found.ok) return found;
    if (found.value === null) return ok(null);
    const { parts, outcome, ...first } = found.value;
    const sealed = [first.result];
    for (let at = 1; at < parts; at += partsPerRead) {
      const ids = { tenantId: call.tenantId, requestId: first.requestId };
      const more = await db.read((builder) =>
        builder
          .select({ sealed: results.sealed })
          .from(results)
          .where(and(partsOf(ids), gte(results.part, at), lt(results.part, at + partsPerRead)))
          .orderBy(results.part),
      );
      if (!more.ok) return more;
      sealed.push(...more.value.map((part) => part.sealed));
    }
    return ok({
      ...first,
      // Retention may delete the record before the idempotency key.
      outcome: outcome ?? "unknown",
      result: first.result === null ? null : sealed.join(""),
    });
  },
  countReplay: (call) =>
    execute(db, [
      db.builder
        .update(idempotency)
        .set({ replays: sql`${idempotency.replays} + 1` })
        .where(whereKey(call)),
    ]),
  addKey: (call, key) =>
    execute(db, [
      raw(sql`
        insert into idempotency (tenant_id, key_id, server_id, idempotency_key, request_id,
          content_sha256, replays, expires_at)
        select tenant_id, key_id, server_id, ${key}, request_id, content_sha256, 0, expires_at
        from idempotency where ${whereKey(call)}
        on conflict (tenant_id, key_id, server_id, idempotency_key) do update set
          request_id = excluded.request_id, content_sha256 = excluded.content_sha256,
          replays = 0, delivered = null, expires_at = excluded.expires_at`),
    ]),
  async moveKey(call, key, now) {
    const written = await db.write([
      raw(sql`
        update or ignore idempotency set idempotency_key = ${key}
        where ${whereKey(call)} and ${gt(idempotency.expiresAt, now)}
        returning request_id, content_sha256`),
    ]);
    if (!written.ok) return written;
    const [moved] = written.value[0] ?? [];
    return ok(
      moved === undefined
        ? null
        : {
            requestId: String(moved["request_id"]),
            contentSha256: String(moved["content_sha256"]),
          },
    );
  },
  isPrefixTaken: (call, now) =>
    db.read(async (builder) => {
      const rows = await builder
        .select({ requestId: idempotency.requestId })
        .from(idempotency)
        .where(
          and(
            whereCaller(call),
            // Keys continue in hex after the prefix, and hex sorts before a tilde.
            gte(idempotency.idempotencyKey, call.keyPrefix),
            lt(idempotency.idempotencyKey, `${call.keyPrefix}~`),
            gt(idempotency.expiresAt, now),
          ),
        )
        .limit(1);
      return rows.length > 0;
    }),
  recordDelivery: (call, status) =>
    execute(db, [db.builder.update(idempotency).set({ delivered: status }).where(ofRequest(call))]),
  prune(now) {
    const expired = (table: string) =>
      raw(sql`
        delete from ${sql.identifier(table)} where rowid in (
          select rowid from ${sql.identifier(table)} where expires_at <= ${now}
          limit ${pruneSize}) returning 1`);
    return countRows(db, [expired("idempotency"), expired("results")]);
  },
});
