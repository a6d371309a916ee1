import { and, eq, lt } from "drizzle-orm";
import type { InterceptedCall, InterceptedStore } from "../domain/intercepted.ts";
import { err, ok } from "../domain/result.ts";
import type { Database } from "./db.ts";
import { intercepted } from "./intercepted-schema.ts";

/** A server replays its events for as long as it keeps them; nothing that waits for an answer waits longer. */
const keptMs = 24 * 3_600_000;

export const createInterceptedStore = (
  db: Database,
  { nonce }: { nonce: () => string },
): InterceptedStore => {
  const named = ({ tenantId, scope, messageId }: Omit<InterceptedCall, "digest">) =>
    and(
      eq(intercepted.tenantId, tenantId),
      eq(intercepted.scope, scope),
      eq(intercepted.messageId, messageId),
    );
  const its = (call: InterceptedCall) => and(named(call), eq(intercepted.digest, call.digest));
  const set = async (
    call: InterceptedCall,
    change: { sealed: string } | { delivered: number },
  ): ReturnType<InterceptedStore["answer"]> => {
    const written = await db.write([db.builder.update(intercepted).set(change).where(its(call))]);
    return written.ok ? ok(null) : written;
  };
  return {
    async claim(call, { now, leaseUntil }) {
      const owner = nonce();
      const { tenantId, scope, messageId, digest } = call;
      const written = await db.write([
        db.builder
          .insert(intercepted)
          .values({ tenantId, scope, messageId, digest, owner, leaseUntil, createdAt: now })
          .onConflictDoNothing(),
        // Read back: the same batch sent again must not find itself to be somebody else.
        db.builder
          .select({
            owner: intercepted.owner,
            leaseUntil: intercepted.leaseUntil,
            sealed: intercepted.sealed,
          })
          .from(intercepted)
          .where(its(call)),
      ]);
      if (!written.ok) return written;
      const [row] = written.value[1] ?? [];
      if (row === undefined) return err({ reason: "unavailable", retryAfterMs: 1_000 });
      if (row["owner"] === owner) return ok({ state: "mine" });
      return ok(
        typeof row["sealed"] === "string"
          ? { state: "answered", sealed: row["sealed"] }
          : { state: "running", leaseUntil: Number(row["lease_until"]) },
      );
    },
    answer: (call, sealed) => set(call, { sealed }),
    deliver: (call, status) => set(call, { delivered: status }),
    isTaken: (call) =>
      db.read(async (builder) => {
        const rows = await builder
          .select({ scope: intercepted.scope })
          .from(intercepted)
          .where(named(call))
          .limit(1);
        return rows.length > 0;
      }),
    async prune(now) {
      const written = await db.write([
        db.builder
          .delete(intercepted)
          .where(lt(intercepted.createdAt, now - keptMs))
          .returning({ scope: intercepted.scope }),
      ]);
      return written.ok ? ok((written.value[0] ?? []).length) : written;
    },
  };
};
