import { and, eq, gt, isNull, lte, sql } from "drizzle-orm";
import type { ConsoleSessionStore } from "../../domain/ports/console-sessions.ts";
import { raw, type Database } from "../db.ts";
import { countRows, execute } from "../execute.ts";
import { consoleSessions, signIns } from "../schema/console-schema.ts";
import { appendEvent } from "../events.ts";
import { apiKeys, tenants } from "../schema.ts";

const maxPerSubject = 50;

export const createConsoleSessionStore = (db: Database): ConsoleSessionStore => {
  const ofTenant = (tenantId: string | null) =>
    tenantId === null ? isNull(consoleSessions.tenantId) : eq(consoleSessions.tenantId, tenantId);
  return {
    create(session, event) {
      const { tenantId, kind, subject, issuer } = session;
      const same = sql`tenant_id is ${tenantId} and kind = ${kind} and subject = ${subject}
        and issuer is ${issuer}`;
      return execute(db, [
        db.builder.insert(consoleSessions).values(session),
        raw(sql`
          delete from console_sessions where ${same} and id not in (
            select id from console_sessions where ${same} order by id desc limit ${maxPerSubject})`),
        appendEvent(db.builder, event),
      ]);
    },
    find: (id, now) =>
      db.read(async (builder) => {
        const column = (name: "tenant_id" | "subject") =>
          sql`(select ${sql.identifier(name)} from console_sessions where id = ${id})`;
        const [[session], [key], [tenant], [signIn]] = await builder.batch([
          builder
            .select()
            .from(consoleSessions)
            .where(and(eq(consoleSessions.id, id), gt(consoleSessions.expiresAt, now))),
          builder
            .select()
            .from(apiKeys)
            .where(
              and(eq(apiKeys.tenantId, column("tenant_id")), eq(apiKeys.id, column("subject"))),
            ),
          builder
            .select({ slug: tenants.slug })
            .from(tenants)
            .where(eq(tenants.id, column("tenant_id"))),
          builder
            .select()
            .from(signIns)
            .where(eq(signIns.tenantId, column("tenant_id"))),
        ]);
        return session === undefined
          ? null
          : { session, key: key ?? null, slug: tenant?.slug ?? null, signIn: signIn ?? null };
      }),
    end: ({ id, tenantId }, event) =>
      execute(db, [
        db.builder
          .delete(consoleSessions)
          .where(and(ofTenant(tenantId), eq(consoleSessions.id, id))),
        appendEvent(db.builder, event),
      ]),
    prune: (now) =>
      countRows(db, [
        db.builder
          .delete(consoleSessions)
          .where(lte(consoleSessions.expiresAt, now))
          .returning({ id: consoleSessions.id }),
      ]),
  };
};
