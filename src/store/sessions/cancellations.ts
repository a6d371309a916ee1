import { and, eq, gte, lt } from "drizzle-orm";
import type { CancellationStore } from "../../domain/ports/cancellations.ts";
import { ok } from "../../domain/result.ts";
import type { Database } from "../db.ts";
import { cancellations } from "../schema/session-schema.ts";

/** Longer than any call lives. */
export const keptCancellationsMs = 10 * 60_000;

export const createCancellationStore = (db: Database): CancellationStore => ({
  async record({ tenantId, sessionId, messageId }, now) {
    const written = await db.write(
      [
        db.builder
          .insert(cancellations)
          .values({ tenantId, sessionId, messageId, at: now })
          .onConflictDoUpdate({
            target: [cancellations.tenantId, cancellations.sessionId, cancellations.messageId],
            set: { at: now },
          }),
      ],
      { lane: tenantId },
    );
    return written.ok ? ok(null) : written;
  },
  isRecorded: ({ tenantId, sessionId, messageId }, since) =>
    db.read(async (builder) => {
      const rows = await builder
        .select({ at: cancellations.at })
        .from(cancellations)
        .where(
          and(
            eq(cancellations.tenantId, tenantId),
            eq(cancellations.sessionId, sessionId),
            eq(cancellations.messageId, messageId),
            gte(cancellations.at, since),
          ),
        );
      return rows.length > 0;
    }),
  async prune(now) {
    const written = await db.write([
      db.builder
        .delete(cancellations)
        .where(lt(cancellations.at, now - keptCancellationsMs))
        .returning({ at: cancellations.at }),
    ]);
    return written.ok ? ok((written.value[0] ?? []).length) : written;
  },
});
