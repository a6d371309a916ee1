import { and, eq, gte, lt } from "drizzle-orm";
import type { CancellationStore } from "../../domain/ports/cancellations.ts";
import type { Database } from "../db.ts";
import { countRows, execute, inLane } from "../execute.ts";
import { cancellations } from "../schema/session-schema.ts";

export const keptCancellationsMs = 10 * 60_000;

export const createCancellationStore = (db: Database): CancellationStore => ({
  record: ({ tenantId, sessionId, messageId }, now) =>
    execute(inLane(db, tenantId), [
      db.builder
        .insert(cancellations)
        .values({ tenantId, sessionId, messageId, at: now })
        .onConflictDoUpdate({
          target: [cancellations.tenantId, cancellations.sessionId, cancellations.messageId],
          set: { at: now },
        }),
    ]),
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
  prune: (now) =>
    countRows(db, [
      db.builder
        .delete(cancellations)
        .where(lt(cancellations.at, now - keptCancellationsMs))
        .returning({ at: cancellations.at }),
    ]),
});
