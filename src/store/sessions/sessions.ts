import { and, desc, eq, gt, isNotNull, lt, sql, type SQL } from "drizzle-orm";
import type { SessionStore } from "../../domain/ports/stores.ts";
import { err, ok } from "../../domain/result.ts";
import { tooManySessions, type SessionLimits } from "../../domain/tenancy/session-limits.ts";
import type { Database } from "../db.ts";
import { countRows, execute, inLane } from "../execute.ts";
import { appendEventWhere } from "../events.ts";
import { isOnPage, pageOf, rowsFor } from "../page.ts";
import { sessions } from "../schema.ts";
import { questions } from "../schema/session-schema.ts";
import { createParking } from "./parking.ts";
import { createSessionLimiting } from "./session-limits.ts";

export const createSessionStore = (db: Database, limits: SessionLimits): SessionStore => {
  const limiting = createSessionLimiting(limits);
  const whereId = (tenantId: string, id: string) =>
    and(eq(sessions.tenantId, tenantId), eq(sessions.id, id));
  return {
    async begin(session) {
      const { createdAt: now } = session;
      const written = await db.write(
        [
          limiting.makeRoom(session, { now, where: limiting.mayBegin(session, now) }),
          limiting.usageFigures(session, now),
          limiting.insert(session, limiting.mayBegin(session, now)),
          limiting.count(session, now),
        ],
        { lane: session.tenantId },
      );
      if (!written.ok) return written;
      const [, usageFigures = [], stored = []] = written.value;
      if (stored.length > 0) return ok(null);
      return err(limiting.refusalIn(usageFigures[0], now) ?? tooManySessions);
    },
    async admit(key, now) {
      const written = await db.write(
        [
          limiting.makeRoom(key, { now, where: limiting.mayBegin(key, now) }),
          limiting.usageFigures(key, now),
          limiting.count(key, now),
        ],
        { lane: key.tenantId },
      );
      if (!written.ok) return written;
      const refusal = limiting.refusalIn(written.value[1]?.[0], now);
      return refusal === null ? ok(null) : err(refusal);
    },
    async create(session) {
      const { tenantId, keyId, serverId, upstreamId } = session;
      // A server may reuse an id, which then names the new session.
      const before =
        serverId === null || upstreamId === null
          ? []
          : [
              db.builder
                .delete(sessions)
                .where(
                  and(
                    eq(sessions.tenantId, tenantId),
                    eq(sessions.keyId, keyId),
                    eq(sessions.serverId, serverId),
                    eq(sessions.upstreamId, upstreamId),
                  ),
                ),
            ];
      const written = await db.write(
        [
          ...before,
          // The `initialize` of a proxied session was counted before the server was called.
          limiting.makeRoom(session, { now: session.createdAt, where: sql`true` }),
          limiting.insert(session),
        ],
        { lane: tenantId },
      );
      if (!written.ok) return written;
      return (written.value.at(-1) ?? []).length > 0 ? ok(null) : err(tooManySessions);
    },
    get: (tenantId, id) =>
      db.read(async (builder) => {
        const [row] = await builder.select().from(sessions).where(whereId(tenantId, id));
        return row ?? null;
      }),
    list: (tenantId, page) =>
      db.read(async (builder) => {
        const rows = await builder
          .select()
          .from(sessions)
          .where(isOnPage(sessions, tenantId, page))
          .orderBy(desc(sessions.id))
          .limit(rowsFor(page));
        return pageOf(rows, page);
      }),
    touch: (tenantId, id, now, expiresAt) =>
      execute(inLane(db, tenantId), [
        db.builder
          .update(sessions)
          .set({ lastUsedAt: now, expiresAt })
          // An expired session stays expired: its client has been notified.
          .where(and(whereId(tenantId, id), gt(sessions.expiresAt, now))),
      ]),
    holdStream: (tenantId, id, held) =>
      execute(inLane(db, tenantId), [
        db.builder.update(sessions).set(held).where(whereId(tenantId, id)),
      ]),
    bridged: ({ tenantId, keyId, serverId, bridgeKey }, now) =>
      db.read(async (builder) => {
        const [row] = await builder
          .select()
          .from(sessions)
          .where(
            and(
              eq(sessions.tenantId, tenantId),
              eq(sessions.keyId, keyId),
              eq(sessions.serverId, serverId),
              isNotNull(sessions.bridge),
              sql`${sessions.bridge} ->> 'key' = ${bridgeKey}`,
              gt(sessions.expiresAt, now),
            ),
          )
          .orderBy(desc(sessions.id))
          .limit(1);
        return row ?? null;
      }),
    amendBridge(tenantId, id, change) {
      const { subscribed, ...replaced } = change;
      const kept =
        subscribed === undefined
          ? sql`${sessions.bridge}`
          : sql`json_patch(${sessions.bridge}, ${JSON.stringify({ subscribed })})`;
      const bridge = Object.entries(replaced).reduce<SQL>(
        (amended, [name, value]) =>
          sql`json_set(${amended}, ${`$.${name}`}, json(${JSON.stringify(value)}))`,
        kept,
      );
      return execute(db, [
        db.builder.update(sessions).set({ bridge }).where(whereId(tenantId, id)),
      ]);
    },
    ...createParking(db),
    async end(tenantId, id, event) {
      const there = sql`exists (select 1 from ${sessions} where ${whereId(tenantId, id)})`;
      const written = await db.write([
        // Must precede the deletion.
        ...(event === null ? [] : [appendEventWhere(event, there)]),
        db.builder
          .delete(questions)
          .where(and(eq(questions.tenantId, tenantId), eq(questions.sessionId, id))),
        db.builder.delete(sessions).where(whereId(tenantId, id)).returning({ id: sessions.id }),
      ]);
      return written.ok ? ok((written.value.at(-1) ?? []).length > 0) : written;
    },
    prune: (now) =>
      countRows(db, [
        db.builder
          .delete(sessions)
          .where(lt(sessions.expiresAt, now))
          .returning({ id: sessions.id }),
      ]),
  };
};
