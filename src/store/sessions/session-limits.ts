/** Checked in the transactions that start sessions, so that all isolates agree. */
import { getTableColumns, sql, type SQL } from "drizzle-orm";
import { windowSeconds } from "../../domain/limits/limit-checks.ts";
import type { Refusal } from "../../domain/refusals.ts";
import {
  evictedAtOnce,
  idleAfterMs,
  tooManyInitializes,
  tooManySessions,
  type SessionLimits,
} from "../../domain/tenancy/session-limits.ts";
import type { Session } from "../../domain/tenancy/session.ts";
import { raw, type Compiled, type Row } from "../db.ts";
import { sessions } from "../schema.ts";

export interface SessionKey {
  tenantId: string;
  keyId: string;
}

/** In `counters`, with the key as subject and the second as bucket. */
const resource = "initialize";

const held = ({ tenantId, keyId }: SessionKey): SQL => sql`(
  select count(*) from sessions s where s.tenant_id = ${tenantId} and s.key_id = ${keyId})`;

/** Counters of the last minute, with an upper bound in case a clock was set back. */
function windowOf({ tenantId, keyId }: SessionKey, now: number): SQL {
  const second = Math.floor(now / 1_000);
  return sql`c.tenant_id = ${tenantId} and c.subject = ${keyId} and c.resource = ${resource}
    and c.bucket between ${second - windowSeconds} and ${second}`;
}

const begun = (key: SessionKey, now: number): SQL => sql`(
  select coalesce(sum(c.amount), 0) from counters c where ${windowOf(key, now)})`;

export function createSessionLimiting(limits: SessionLimits) {
  const { perKey, initializePerMinute } = limits;
  const mayBegin = (key: SessionKey, now: number): SQL =>
    sql`${begun(key, now)} < ${initializePerMinute}`;
  const hasRoom = (key: SessionKey): SQL => sql`${held(key)} < ${perKey}`;
  return {
    mayBegin,

    /** Ends the key's least recently used idle sessions if it is at its limit. */
    makeRoom: (key: SessionKey, { now, where }: { now: number; where: SQL }): Compiled =>
      raw(sql`
        delete from sessions where tenant_id = ${key.tenantId} and id in (
          select id from sessions
          where tenant_id = ${key.tenantId} and key_id = ${key.keyId}
            and last_used_at <= ${now - idleAfterMs}
            and coalesce(client_stream_until, 0) <= ${now} and coalesce(parked_until, 0) <= ${now}
            and not (${hasRoom(key)}) and ${where}
          order by last_used_at limit ${evictedAtOnce(limits)})`),

    insert(session: Session, condition: SQL = sql`true`): Compiled {
      const columns = getTableColumns(sessions);
      const names = Object.keys(columns) as (keyof typeof columns)[];
      const values = names.map((name) => {
        const value = session[name];
        return sql`${value === null ? null : columns[name].mapToDriverValue(value)}`;
      });
      return raw(sql`
        insert into sessions (${sql.join(
          names.map((name) => sql.identifier(columns[name].name)),
          sql`, `,
        )})
        select ${sql.join(values, sql`, `)} where ${hasRoom(session)} and ${condition}
        returning id`);
    },

    /** Must be read before `count`. */
    usageFigures: (key: SessionKey, now: number): Compiled =>
      raw(sql`
        select ${held(key)} as held, ${begun(key, now)} as begun, (
          select min(b.bucket) + ${windowSeconds + 1} from counters b
          where b.tenant_id = ${key.tenantId} and b.subject = ${key.keyId}
            and b.resource = ${resource} and b.bucket >= ${Math.floor(now / 1_000) - windowSeconds}
            and (select coalesce(sum(c.amount), 0) from counters c
              where ${windowOf(key, now)} and c.bucket > b.bucket) < ${initializePerMinute}) as free_at`),

    count: (key: SessionKey, now: number): Compiled =>
      raw(sql`
        insert into counters (tenant_id, subject, resource, bucket, amount)
        select ${key.tenantId}, ${key.keyId}, ${resource}, ${Math.floor(now / 1_000)}, 1
        where ${mayBegin(key, now)}
        on conflict (tenant_id, subject, resource, bucket) do update set amount = amount + 1`),

    refusalIn(usageFigures: Row | undefined, now: number): Refusal | null {
      const figure = (name: string): number => Number(usageFigures?.[name] ?? 0);
      if (figure("begun") >= initializePerMinute)
        return tooManyInitializes(Math.max(1, figure("free_at") * 1_000 - now));
      return figure("held") >= perKey ? tooManySessions : null;
    },
  };
}
