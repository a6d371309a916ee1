import { and, desc, eq, gte, inArray, sql } from "drizzle-orm";
import type { AsyncResult } from "../../domain/refusals.ts";
import { longestLeaseWaitMs } from "../../domain/limits/admission-verdict.ts";
import { ok } from "../../domain/result.ts";
import { minIdAt } from "../../domain/tenancy/ids.ts";
import type { Database } from "../db.ts";
import { readAsked } from "../rows/packed-columns.ts";
import { samplingRequests } from "../schema.ts";

const recordsAtOnce = 500;

export const refusedNodeKey = (name: string, subject: string): string => `${name} ${subject}`;

export async function readRefusedNodes(
  db: Database,
  { tenantId, names, since }: { tenantId: string; names: readonly string[]; since: number },
): AsyncResult<Set<string>> {
  const named = [...new Set(names)].filter((name) => /^(tag|run|user)\./.test(name));
  if (named.length === 0) return ok(new Set());
  const { id, keyId, asked, outcome, reason, reasonDetail, retryAfterMs } = samplingRequests;
  const found = await db.read((builder) =>
    builder
      .select({ keyId, name: reasonDetail, asked: sql<string>`${asked}` })
      .from(samplingRequests)
      .where(
        and(
          eq(samplingRequests.tenantId, tenantId),
          gte(id, minIdAt("request", since)),
          eq(outcome, "refused"),
          eq(reason, "budget_exceeded"),
          inArray(reasonDetail, named),
          // A shorter wait means that only running calls' reservations filled the budget.
          sql`(${retryAfterMs} is null or ${retryAfterMs} > ${longestLeaseWaitMs})`,
        ),
      )
      .orderBy(desc(id))
      .limit(recordsAtOnce),
  );
  if (!found.ok) return found;
  return ok(
    new Set(
      found.value.flatMap((record) => {
        const { tag, run, user } = readAsked(record.asked) ?? {};
        const name = record.name ?? "";
        if (name.startsWith("tag."))
          return tag === undefined ? [] : [refusedNodeKey(name, `tag:${tag}`)];
        if (name.startsWith("user."))
          return user === undefined ? [] : [refusedNodeKey(name, `user:${user}`)];
        return run === undefined ? [] : [refusedNodeKey(name, `run:${record.keyId}:${run}`)];
      }),
    ),
  );
}
