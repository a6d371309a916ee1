import { and, eq, inArray, lte } from "drizzle-orm";
import type { AnswerPlace, AnswerStore } from "../domain/answers.ts";
import { err, ok } from "../domain/result.ts";
import type { Database } from "./db.ts";
import { answers } from "./intercepted-schema.ts";

const at = ({ tenantId, digest }: AnswerPlace) =>
  and(eq(answers.tenantId, tenantId), eq(answers.digest, digest));

/** Rows per run of the pruning job: each may hold an answer of megabytes. */
const prunedAtOnce = 500;

export const createAnswerStore = (db: Database): AnswerStore => ({
  async claim({ tenantId, digest, owner, now, leaseUntil }) {
    const mine = { owner, sealed: null, expiresAt: leaseUntil };
    const written = await db.write([
      db.builder
        .insert(answers)
        .values({ tenantId, digest, ...mine })
        .onConflictDoUpdate({
          target: [answers.tenantId, answers.digest],
          set: mine,
          setWhere: lte(answers.expiresAt, now),
        }),
      db.builder
        .select({ owner: answers.owner, sealed: answers.sealed })
        .from(answers)
        .where(at({ tenantId, digest })),
    ]);
    if (!written.ok) return written;
    const row = written.value[1]?.[0];
    return row === undefined
      ? err({ reason: "unavailable", retryAfterMs: 1_000 })
      : ok({ owner: String(row["owner"]), sealed: row["sealed"] as string | null });
  },
  async keep(place, { owner, sealed, expiresAt }) {
    const written = await db.write([
      db.builder
        .update(answers)
        .set({ sealed, expiresAt })
        .where(and(at(place), eq(answers.owner, owner))),
    ]);
    return written.ok ? ok(null) : written;
  },
  async release(place, owner) {
    const written = await db.write([
      db.builder.delete(answers).where(and(at(place), eq(answers.owner, owner))),
    ]);
    return written.ok ? ok(null) : written;
  },
  async prune(now) {
    const expired = db.builder
      .select({ digest: answers.digest })
      .from(answers)
      .where(lte(answers.expiresAt, now))
      .limit(prunedAtOnce);
    const written = await db.write([
      db.builder
        .delete(answers)
        .where(and(lte(answers.expiresAt, now), inArray(answers.digest, expired)))
        .returning({ digest: answers.digest }),
    ]);
    return written.ok ? ok((written.value[0] ?? []).length) : written;
  },
});
