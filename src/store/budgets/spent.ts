/** Only limited resources are counted per call, so a new limit starts with the usage of its window. */
import { sql } from "drizzle-orm";
import { calendarAt, type Calendar } from "../../domain/calendar.ts";
import { endOfTime, measureOf, periodOf, resources } from "../../domain/limits/resources.ts";
import { largestInteger } from "../../domain/magnitudes.ts";
import { raw, type Compiled } from "../db.ts";

export interface Spender {
  /** Usage is not kept for other scopes; their limits start at 0. */
  scope: "tenant" | "key" | "server";
  tenantId: string;
  subject: string;
}

export const every = "";

const hourSeconds = 3_600;

const windowsIn = ({ day, week, month }: Calendar): string => {
  const windows = { day, week, month, total: { from: 0, until: endOfTime } };
  return JSON.stringify(
    resources.flatMap((resource) => {
      const period = periodOf(resource);
      if (period === "minute" || period === "running" || period === "run") return [];
      const { from, until } = windows[period];
      const hour = Math.floor(from / hourSeconds) * hourSeconds;
      return [[resource, measureOf(resource), from, hour, until]];
    }),
  );
};

const columns = { tenant: "tenant_id", key: "key_id", server: "server_id" } as const;

/** Never lowers a counter, which may include running reservations. @param calendar defaults to UTC */
export const countPastUsage = (
  { scope, tenantId, subject }: Spender,
  { now, calendar = calendarAt(Math.floor(now / 1_000)) }: { now: number; calendar?: Calendar },
): Compiled => {
  const subjectColumn = sql.raw(`u.${columns[scope]}`);
  return raw(sql`
    insert into counters (tenant_id, subject, resource, bucket, amount)
    select ${tenantId}, subject, resource, bucket, min(spent, ${largestInteger})
    from (
      select ${subjectColumn} as subject, w.value ->> 0 as resource, w.value ->> 2 as bucket,
        total(case w.value ->> 1 when 'usd' then u.cost_micro_usd
          when 'tokens' then u.input_tokens + u.output_tokens
          when 'requests' then u.succeeded + u.failed + u.cancelled + u.unknown end) as spent
      from json_each(${windowsIn(calendar)}) w cross join usage u
      where u.tenant_id = ${tenantId} and u.hour >= w.value ->> 3 and u.hour < w.value ->> 4
        and ${subject === every ? sql`${subjectColumn} <> ''` : sql`${subjectColumn} = ${subject}`}
      group by 1, 2, 3)
    where spent > 0
    on conflict (tenant_id, subject, resource, bucket)
      do update set amount = max(amount, excluded.amount)`);
};
