import type { LimitCheck } from "../../../domain/limits/limit-checks.ts";
import { latestLeaseEnd } from "../../../domain/leases.ts";
import { hasConcurrencySlot } from "../../../domain/limits/concurrency-slots.ts";
import type { Reserved } from "../../../domain/limits/admission-verdict.ts";
import { storedChecksIn, slotSubjectsIn, type Kept } from "../../rows/stored-limit-checks.ts";
import type { CachedTable, Sql } from "../contract/sql.ts";
import type { LedgerTexts } from "./texts.ts";

export interface OpenCall {
  keyId: string;
  serverId: string | null;
  leaseUntil: number | null;
  /** when an approver approved the call; `null` without approval, or once the call resumed */
  approvedAt: number | null;
  admittedAt: number;
  model: string | null;
  limitChecks: string;
  kept?: readonly Kept[];
  /** limits of concurrency that count the call, in addition to those of tenant, key, and server */
  slots: readonly string[];
  number: number;
}

const tenantsKept = 1_000;

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

const callOf = ([
  ,
  keyId,
  serverId,
  lease,
  approvedAt,
  admittedAt,
  model,
  limitChecks,
  number,
]: unknown[]): OpenCall => ({
  keyId: String(keyId),
  serverId: textOf(serverId),
  leaseUntil: lease === null ? null : Number(lease),
  approvedAt: approvedAt === null ? null : Number(approvedAt),
  admittedAt: Number(admittedAt),
  model: textOf(model),
  limitChecks: String(limitChecks),
  slots: slotSubjectsIn(String(limitChecks)),
  number: Number(number),
});

/** Must match the SQL of `stored-limit-checks.ts`. */
function occupiesSlot(
  { keyId, serverId, slots }: OpenCall,
  { scope, subject }: Pick<LimitCheck, "scope" | "subject">,
): boolean {
  if (scope === "tenant") return true;
  if (scope === "key") return subject === keyId;
  return scope === "server" ? subject === serverId : slots.includes(subject);
}

export interface LimitWindow extends Pick<LimitCheck, "subject" | "resource"> {
  from: number;
  last: number;
}

export interface OpenCalls extends CachedTable {
  of(tenantId: string): Map<string, OpenCall>;
  reserved(tenantId: string, window: LimitWindow, now: number): Reserved;
  count(tenantId: string, limit: Pick<LimitCheck, "scope" | "subject">, now: number): number;
}

export function createOpenCalls(sql: Sql, texts: LedgerTexts): OpenCalls {
  const tenants = new Map<string, Map<string, OpenCall>>();
  const of = (tenantId: string): Map<string, OpenCall> => {
    let calls = tenants.get(tenantId);
    if (calls === undefined) {
      const rows = sql.all(texts.readOpenCalls, [tenantId]);
      calls = new Map(rows.map((row) => [String(row[0]), callOf(row)]));
      tenants.set(tenantId, calls);
    }
    return calls;
  };
  return {
    table: texts.tables.requests,
    alsoReads: texts.tables.approvals,
    of,
    count(tenantId, { scope, subject }, now) {
      let count = 0;
      for (const call of of(tenantId).values()) {
        if (hasConcurrencySlot(call, now) && occupiesSlot(call, { scope, subject })) count += 1;
      }
      return count;
    },
    reserved(tenantId, { subject, resource, from, last }, now) {
      const latest = latestLeaseEnd(now);
      let [amount, until] = [0, Number.POSITIVE_INFINITY];
      for (const call of of(tenantId).values()) {
        const { leaseUntil } = call;
        if (leaseUntil === null || leaseUntil <= now || leaseUntil > latest) continue;
        call.kept ??= storedChecksIn(call.limitChecks, { ...call, tenantId });
        for (const held of call.kept) {
          const isOther = held.subject !== subject || held.resource !== resource;
          if (isOther || held.amount <= 0 || held.bucket < from || held.bucket > last) continue;
          amount += held.amount;
          until = Math.min(until, leaseUntil);
        }
      }
      return { amount, until: amount === 0 ? null : until };
    },
    flush() {
      if (tenants.size > tenantsKept) tenants.clear();
    },
    forget: () => tenants.clear(),
  };
}
