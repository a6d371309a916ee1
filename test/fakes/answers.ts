/** Answers in memory, as `store/answers.ts` keeps them in the database; the contract suite holds both. */
import type { AnswerPlace, AnswerStore } from "../../src/domain/answers.ts";
import { ok } from "../../src/domain/result.ts";

interface Row {
  owner: string;
  sealed: string | null;
  /** of the lease, until there is an answer */
  expiresAt: number;
}

export function createMemoryAnswers(): AnswerStore & { size(): number } {
  const rows = new Map<string, Row>();
  const keyOf = ({ tenantId, digest }: AnswerPlace): string => `${tenantId} ${digest}`;
  return {
    size: () => rows.size,
    async claim({ owner, now, leaseUntil, ...place }) {
      const found = rows.get(keyOf(place));
      if (found !== undefined && found.expiresAt > now)
        return ok({ owner: found.owner, sealed: found.sealed });
      rows.set(keyOf(place), { owner, sealed: null, expiresAt: leaseUntil });
      return ok({ owner, sealed: null });
    },
    async keep(place, { owner, sealed, expiresAt }) {
      if (rows.get(keyOf(place))?.owner === owner)
        rows.set(keyOf(place), { owner, sealed, expiresAt });
      return ok(null);
    },
    async release(place, owner) {
      if (rows.get(keyOf(place))?.owner === owner) rows.delete(keyOf(place));
      return ok(null);
    },
    async prune(now) {
      const over = [...rows].filter(([, row]) => row.expiresAt <= now);
      for (const [key] of over) rows.delete(key);
      return ok(over.length);
    },
  };
}
