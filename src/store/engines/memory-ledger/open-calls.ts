/** The running calls of each tenant. Limits of concurrency count them, and settlements end them. */
import type { Hold } from "../../../domain/limits/holds.ts";
import { latestLeaseEnd } from "../../../domain/leases.ts";
import { hasPlace } from "../../../domain/limits/places.ts";
import type { Reserved } from "../../../domain/limits/standing.ts";
import { heldIn, placesIn, type Kept } from "../../rows/row-holds.ts";
import type { Remembered, Sql } from "../contract/sql.ts";
import type { BookTexts } from "./texts.ts";

export interface OpenCall {
  keyId: string;
  serverId: string | null;
  leaseUntil: number | null;
  /** when a person approved the call; null: nobody has, or the caller took the approved call up */
  approvedAt: number | null;
  admittedAt: number;
  model: string | null;
  /** the call's holds as JSON, as its row keeps them */
  holds: string;
  /** the same, once somebody has read them */
  kept?: readonly Kept[];
  /** whose limits of concurrency count the call, beside those of its tenant, key and server */
  places: readonly string[];
  /** the number of the call's record */
  number: number;
}

const tenantsKept = 1_000;

/** A call's holds, and whose limits of concurrency count the call. `holds` is JSON, as a row keeps it. */
export const heldBy = (holds: string): Pick<OpenCall, "holds" | "places"> => ({
  holds,
  places: placesIn(holds),
});

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

const callOf = ([
  ,
  keyId,
  serverId,
  lease,
  approvedAt,
  admittedAt,
  model,
  holds,
  number,
]: unknown[]): OpenCall => ({
  keyId: String(keyId),
  serverId: textOf(serverId),
  leaseUntil: lease === null ? null : Number(lease),
  approvedAt: approvedAt === null ? null : Number(approvedAt),
  admittedAt: Number(admittedAt),
  model: textOf(model),
  ...heldBy(String(holds)),
  number: Number(number),
});

/** The same rule as the SQL of `row-holds.ts`. */
function takesPlace(
  { keyId, serverId, places }: OpenCall,
  { scope, subject }: Pick<Hold, "scope" | "subject">,
): boolean {
  if (scope === "tenant") return true;
  if (scope === "key") return subject === keyId;
  return scope === "server" ? subject === serverId : places.includes(subject);
}

/** A window of one limit. */
export interface LimitWindow extends Pick<Hold, "subject" | "resource"> {
  /** the first and the last bucket that count */
  from: number;
  last: number;
}

export interface OpenCalls extends Remembered {
  of(tenantId: string): Map<string, OpenCall>;
  /** What calls with a lease have reserved. */
  reserved(tenantId: string, window: LimitWindow, now: number): Reserved;
  /** How many calls count against a limit of concurrency. */
  count(tenantId: string, limit: Pick<Hold, "scope" | "subject">, now: number): number;
}

export function createOpenCalls(sql: Sql, texts: BookTexts): OpenCalls {
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
        if (hasPlace(call, now) && takesPlace(call, { scope, subject })) count += 1;
      }
      return count;
    },
    reserved(tenantId, { subject, resource, from, last }, now) {
      const latest = latestLeaseEnd(now);
      let [amount, until] = [0, Number.POSITIVE_INFINITY];
      for (const call of of(tenantId).values()) {
        const { leaseUntil } = call;
        if (leaseUntil === null || leaseUntil <= now || leaseUntil > latest) continue;
        call.kept ??= heldIn(call.holds, { ...call, tenantId });
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
