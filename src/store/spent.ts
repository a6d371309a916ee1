/**
 * Money that was spent before there was a budget for it. Only what has a budget is counted at each call, so a budget
 * that is set begins with what usage says of its day and its month.
 */
import { sql } from "drizzle-orm";
import { calendarMonthOf, dayOf } from "../domain/calendar.ts";
import type { LimitScope, Resource } from "../domain/limits/holds.ts";
import { largestInteger } from "../domain/magnitudes.ts";
import { raw, type Compiled } from "./db.ts";

/** Whose budgets. */
export interface Spender {
  scope: LimitScope;
  tenantId: string;
  /** id of the tenant, the key or the server */
  subject: string;
}

const windows = [
  { resource: "usd_day", of: dayOf },
  { resource: "usd_month", of: calendarMonthOf },
] as const satisfies { resource: Resource; of: unknown }[];

/**
 * Never lowers a count: it may hold what calls that run have reserved.
 * @param now ms since the epoch
 */
export const countSpent = ({ scope, tenantId, subject }: Spender, now: number): Compiled[] =>
  windows.map(({ resource, of }) => {
    const { from, until } = of(Math.floor(now / 1_000));
    const theirs = {
      tenant: sql`true`,
      key: sql`key_id = ${subject}`,
      server: sql`server_id = ${subject}`,
    }[scope];
    return raw(sql`
      insert into counters (tenant_id, subject, resource, bucket, amount)
      select ${tenantId}, ${subject}, ${resource}, ${from}, min(spent, ${largestInteger})
      from (
        select total(cost_micro_usd) as spent from usage
        where tenant_id = ${tenantId} and hour >= ${from} and hour < ${until} and ${theirs})
      where spent > 0
      on conflict (tenant_id, subject, resource, bucket)
        do update set amount = max(amount, excluded.amount)`);
  });
