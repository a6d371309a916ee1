/** Only calls that all limits have room for. Others use `admission.ts`, which explains refusals. */
import { getTableColumns, sql } from "drizzle-orm";
import type { Admission, Reservation } from "../../../domain/ports/ledger.ts";
import {
  lastBucketOf,
  stateOf,
  type LimitCheck,
  type LimitState,
} from "../../../domain/limits/limit-checks.ts";
import { latestLeaseEnd } from "../../../domain/leases.ts";
import { largestInteger } from "../../../domain/magnitudes.ts";
import type { Mac } from "../../../domain/tenancy/mac.ts";
import { compactDecision } from "../../../domain/choice/decision.ts";
import { arrayOf, textOf } from "../../records/bulk-text.ts";
import { summed, type Bulk, type Row } from "../../db.ts";
import { storedCheck } from "../../rows/stored-limit-checks.ts";
import { occupiedSlotsAt } from "../../rows/concurrency-slots.ts";
import { callNames, openingCode, openingOf, stored } from "../../records/record-codes.ts";
import { isFresh, useNumbers, written } from "../../records/record-numbers.ts";
import { openingColumns } from "../../records/records.ts";
import { samplingRequests } from "../../schema.ts";

const columns = getTableColumns(samplingRequests);

/** Columns in the order of an item's JSON; the first four are conditions. */
const names = [
  ...callNames,
  "asked",
  "attempts",
  "overshoot",
  "decision",
  "model",
  "limitChecks",
  "reservedTokens",
  "reservedMicroUsd",
  "admittedAt",
  "leaseUntil",
  "openingCode",
  "outcome",
] as const satisfies (keyof typeof columns)[];

type Written = Pick<typeof samplingRequests.$inferSelect, (typeof names)[number]>;

export interface AdmissionItem {
  reservation: Reservation;
  openingCode: string;
  /** tenant version, new session expiry, time, then the row */
  json: string;
}

const versionAt = sql.raw("j.value ->> 0");
const expiryAt = sql.raw("j.value ->> 1");
const nowAt = sql.raw("j.value ->> 2");
const firstColumn = 3;
const cell = (name: (typeof names)[number], of = "j") =>
  sql.raw(`${of}.value ->> ${firstColumn + names.indexOf(name)}`);

const liveSession = sql`s.id = ${cell("sessionId")} and s.tenant_id = ${cell("tenantId")}
  and s.key_id = ${cell("keyId")} and s.expires_at > ${nowAt}`;

/**
 * Window row `w`: tenant, scope, subject, resource, since, last, limit. Leases count if they end between `?2`
 * and `?3`.
 */
const used = sql.raw(`case w.value ->> 3
  when 'concurrent' then ${textOf(
    occupiedSlotsAt({
      tenant: sql.raw("w.value ->> 0"),
      scope: sql.raw("w.value ->> 1"),
      subject: sql.raw("w.value ->> 2"),
      now: sql.raw("?2"),
      latest: sql.raw("?3"),
    }),
  )}
  else (
    select min(coalesce(sum(c.amount), 0), ${largestInteger}) from counters c
    where c.tenant_id = w.value ->> 0 and c.subject = w.value ->> 2 and c.resource = w.value ->> 3
      and c.bucket between w.value ->> 4 and w.value ->> 5) end`);

// `?1` windows, `?4` items. Only written rows get a number, so there are no gaps.
const insert = textOf(sql`
  with room as materialized (
      select w.value ->> 6 - (${used}) as room, w.value ->> 7 as most, w.value -> 8 as asked
      from json_each(?1) w),
    beyond as materialized (
      select a.value ->> 0 as position from room
        join json_each(case when room.most > room.room then room.asked else '[]' end) a
      where a.value ->> 1 > room.room)
  insert into sampling_requests
    (${sql.raw(names.map((name) => columns[name].name).join(", "))}, record_number)
  select ${sql.join(
    names.map((name) => cell(name)),
    sql`, `,
  )}, coalesce(n.last, 0) + row_number() over (partition by t.id order by j.key)
  from json_each(?4) j
    join tenants t on t.id = ${cell("tenantId")} and t.version = ${versionAt}
    left join record_numbers n on n.tenant_id = t.id
  where j.key not in (select position from beyond)
    and (${cell("sessionId")} is null or exists (select 1 from sessions s where ${liveSession}))
    and not exists (
      select 1 from sampling_requests r where r.id = ${cell("id")} and r.tenant_id = t.id)
  on conflict (id) do nothing`);

export const bump = textOf(sql`
  insert into counters (tenant_id, subject, resource, bucket, amount)
  select r.tenant_id, ${storedCheck.subject}, ${storedCheck.resource}, ${storedCheck.bucket},
    min(sum(${storedCheck.amount}), ${largestInteger})
  from ${written} cross join json_each(r.limit_checks) h
  where ${isFresh} and r.outcome = 'admitted' and ${storedCheck.resource} <> 'concurrent'
  group by 1, 2, 3, 4
  on conflict (tenant_id, subject, resource, bucket) do update set amount = ${summed("amount")}`);

const touch = textOf(sql`
  update sessions set last_used_at = ${nowAt}, expires_at = ${expiryAt}
  from json_each(?1) j
  where sessions.id = ${cell("sessionId")} and sessions.tenant_id = ${cell("tenantId")}
    and sessions.key_id = ${cell("keyId")} and sessions.expires_at > ${nowAt}
    and exists (select 1 from sampling_requests r where r.id = ${cell("id")}
      and r.tenant_id = ${cell("tenantId")})`);

const admitted = textOf(sql`
  select r.id, r.record_number from json_each(?1) j
    cross join sampling_requests r on r.id = j.value ->> 0 and +r.tenant_id = j.value ->> 1
  where r.outcome = 'admitted'`);

const currentUsage = textOf(sql`
  select ${used} as used, (
    select min(c.bucket) from counters c where c.tenant_id = w.value ->> 0 and c.subject = w.value ->> 2
      and c.resource = w.value ->> 3 and c.bucket between w.value ->> 4 and w.value ->> 5) as oldest
  from json_each(?1) w order by w.key`);

export const mayAdmitInBulk = ({
  probes,
  idempotency,
  sessionExpiresAt,
  opening,
  approval,
  limitChecks,
}: Reservation) =>
  approval === undefined &&
  // The start of a run depends on its counters.
  limitChecks.every(({ pause }) => pause === undefined) &&
  probes.length === 0 &&
  idempotency === null &&
  (sessionExpiresAt === null) === (opening.who.sessionId === null);

export async function admissionItem(mac: Mac, reservation: Reservation): Promise<AdmissionItem> {
  const { opening, decision, limitChecks, tenantVersion, sessionExpiresAt, now } = reservation;
  const row = {
    ...openingColumns(opening),
    tenantId: opening.who.tenantId,
    decision: compactDecision(decision),
    model: `${decision.provider}/${decision.model}`,
    limitChecks,
    reservedTokens: reservation.reservedTokens,
    reservedMicroUsd: reservation.reservedMicroUsd,
    admittedAt: now,
    leaseUntil: reservation.leaseUntil,
    outcome: "admitted" as const,
  };
  const code = await openingCode(mac, "admitted", openingOf(row));
  const values: Written = { ...row, openingCode: code };
  const json = JSON.stringify([
    tenantVersion,
    sessionExpiresAt,
    now,
    ...names.map((name) => stored(name, values[name])),
  ]);
  return { reservation, openingCode: code, json };
}

interface Window {
  at: number;
  check: LimitCheck;
  tenantId: string;
  asked: [position: number, amount: number][];
}

function windowsOf(items: readonly AdmissionItem[]): { windows: Window[]; ofItems: Window[][] } {
  const windows = new Map<string, Window>();
  const sums = new Map<string, number>();
  const ofItems = items.map(({ reservation: { opening, limitChecks } }, position) =>
    limitChecks.map((check): Window => {
      const { tenantId } = opening.who;
      const counted = `${tenantId} ${check.scope} ${check.subject} ${check.resource}`;
      const sum = (sums.get(counted) ?? 0) + check.amount;
      sums.set(counted, sum);
      const name = `${counted} ${check.since} ${lastBucketOf(check)} ${check.limit}`;
      const window = windows.get(name) ?? { at: windows.size, check, tenantId, asked: [] };
      windows.set(name, window);
      window.asked.push([position, sum]);
      return window;
    }),
  );
  return { windows: [...windows.values()], ofItems };
}

const windowText = ({ check, tenantId, asked }: Window): string =>
  JSON.stringify([
    tenantId,
    check.scope,
    check.subject,
    check.resource,
    check.since,
    lastBucketOf(check),
    check.limit,
    asked.at(-1)?.[1] ?? 0,
    asked,
  ]);

function admittedOf(
  { reservation, openingCode: code }: AdmissionItem,
  row: Row,
  limits: LimitState[],
): Admission {
  const { decision, reservedTokens, reservedMicroUsd } = reservation;
  const model = `${decision.provider}/${decision.model}`;
  const number = Number(row["record_number"]);
  const receipt = { number, openingCode: code, model, reservedTokens, reservedMicroUsd };
  return { state: "admitted", limits, blocked: [], rung: 0, receipt };
}

function limitsOf(
  { limitChecks, now }: Reservation,
  windows: readonly Window[],
  states: readonly Row[],
): LimitState[] {
  return limitChecks.flatMap((check, place) => {
    const state = states[windows[place]?.at ?? -1];
    if (state === undefined) return [];
    const oldest = state["oldest"] === null ? null : Number(state["oldest"]);
    return [stateOf(check, { used: Number(state["used"]), oldest, now })];
  });
}

export const bulkAdmission: Bulk<AdmissionItem, Admission> = (items) => {
  const { windows, ofItems } = windowsOf(items);
  const moments = items.map(({ reservation }) => reservation.now);
  // The time at which more leases count.
  const counts = [Math.min(...moments), latestLeaseEnd(Math.max(...moments))];
  const asked = arrayOf(windows.map(windowText));
  const rows = arrayOf(items.map(({ json }) => json));
  const ids = JSON.stringify(
    items.map(({ reservation: { opening } }) => [opening.id, opening.who.tenantId]),
  );
  const hasSession = items.some(({ reservation }) => reservation.sessionExpiresAt !== null);
  const isLimited = windows.length > 0;
  const before = [
    { sql: insert, params: [asked, ...counts, rows] },
    ...(isLimited ? [{ sql: bump, params: [ids] }] : []),
    { sql: useNumbers, params: [ids] },
    ...(hasSession ? [{ sql: touch, params: [rows] }] : []),
  ];
  return {
    statements: [
      ...before,
      { sql: admitted, params: [ids] },
      ...(isLimited ? [{ sql: currentUsage, params: [asked, ...counts] }] : []),
    ],
    outcomes(returned) {
      const [found = [], states = []] = returned.slice(before.length);
      const byId = new Map(found.map((row) => [String(row["id"]), row]));
      return items.map((item, at) => {
        const { reservation } = item;
        const row = byId.get(reservation.opening.id);
        return row === undefined
          ? null
          : admittedOf(item, row, limitsOf(reservation, ofItems[at] ?? [], states));
      });
    },
  };
};
