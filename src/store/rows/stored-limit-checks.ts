/** Numbers of scope and resource, bucket, amount, and subject if the row has no column for it. */
import { customType } from "drizzle-orm/sqlite-core";
import { sql, type SQL } from "drizzle-orm";
import { limitScopes, type LimitCheck, type LimitScope } from "../../domain/limits/limit-checks.ts";
import { isMoney, type Resource } from "../../domain/limits/resources.ts";

// Append only: rows store indexes into these lists.
const scopes: readonly LimitScope[] = limitScopes;
const resources = [
  "requests",
  "tokens",
  "usd_day",
  "usd_month",
  "concurrent",
  "usd_minute",
  "usd_week",
  "usd_total",
  "requests_day",
  "requests_week",
  "requests_month",
  "requests_total",
  "tokens_day",
  "tokens_week",
  "tokens_month",
  "tokens_total",
  "requests_run",
  "usd_run",
  "runs_day",
] as const satisfies Resource[];

/** Subjects with a column. */
export const scopesInColumns: ReadonlySet<LimitScope> = new Set<LimitScope>([
  "tenant",
  "key",
  "server",
]);

type Packed = [scope: number, resource: number, bucket: number, amount: number, subject?: string];

export type StoredCheck = Packed | LimitCheck;

const scopeAt = new Map(scopes.map((scope, at) => [scope, at]));
const resourceAt = new Map<Resource, number>(resources.map((resource, at) => [resource, at]));

function packed(limitChecks: readonly StoredCheck[]): Packed[] {
  const all: Packed[] = [];
  for (const check of limitChecks) {
    if (Array.isArray(check)) {
      all.push(check);
      continue;
    }
    const { scope, subject, resource, bucket, amount } = check;
    const [its, what] = [scopeAt.get(scope) ?? -1, resourceAt.get(resource) ?? -1];
    if (!scopesInColumns.has(scope)) all.push([its, what, bucket, amount, subject]);
    else if (resource !== "concurrent") all.push([its, what, bucket, amount]);
  }
  return all;
}

export const limitChecksText = (limitChecks: readonly StoredCheck[]): string =>
  JSON.stringify(packed(limitChecks));

export type Kept = Pick<LimitCheck, "subject" | "resource" | "bucket" | "amount">;

/** Throws on invalid JSON. */
export const storedChecksIn = (
  text: string,
  row: { tenantId: string; keyId: string; serverId: string | null },
): Kept[] =>
  (JSON.parse(text) as Packed[]).flatMap(([scope, place, bucket, amount, named]): Kept[] => {
    const subject = named ?? [row.tenantId, row.keyId, row.serverId][scope];
    const resource = resources[place];
    if (resource === undefined || typeof subject !== "string") return [];
    return [{ subject, resource, bucket, amount }];
  });

const concurrentAt = resources.indexOf("concurrent");

export const slotSubjectsAmong = (limitChecks: readonly LimitCheck[]): string[] =>
  limitChecks
    .filter(({ scope, resource }) => resource === "concurrent" && !scopesInColumns.has(scope))
    .map(({ subject }) => subject);

export const slotSubjectsIn = (text: string): string[] =>
  (JSON.parse(text) as Packed[]).flatMap(([, place, , , subject]) =>
    place === concurrentAt && subject !== undefined ? [subject] : [],
  );

const moneyAt = new Set(resources.flatMap((resource, at) => (isMoney(resource) ? [at] : [])));

/** Replaces checks of money limits. Rates stay as counted. */
export const withMoney = (
  limitChecks: readonly StoredCheck[],
  money: readonly LimitCheck[],
): StoredCheck[] => [
  ...limitChecks.filter((check) =>
    Array.isArray(check) ? !moneyAt.has(check[1]) : !isMoney(check.resource),
  ),
  ...money.filter(({ resource }) => isMoney(resource)),
];

export const withSlots = (
  limitChecks: readonly StoredCheck[],
  slots: readonly LimitCheck[],
): StoredCheck[] => [...limitChecks, ...slots.filter(({ scope }) => !scopesInColumns.has(scope))];

export const limitChecksColumn = customType<{ data: StoredCheck[]; driverData: string }>({
  dataType: () => "text",
  toDriver: limitChecksText,
  fromDriver: (stored) => JSON.parse(stored) as Packed[],
});

const choice = (place: number, values: readonly string[], otherwise: string): SQL =>
  sql.raw(
    `case h.value ->> ${place} ${values.map((value, at) => `when ${at} then ${value}`).join(" ")} else ${otherwise} end`,
  );

const listed = (names: readonly string[]): SQL =>
  sql.raw(`(${names.map((name) => `'${name}'`).join(", ")})`);

export const listOf = (names: readonly Resource[]): SQL => listed(names);

/** Counts at tenant, key, and server; at other nodes only if the limit existed when the call started. */
export const occupiesSlot = (scope: SQL, subject: SQL): SQL => sql`case ${scope}
  when 'tenant' then true when 'key' then r.key_id = ${subject}
  when 'server' then r.server_id = ${subject}
  else exists (
    select 1 from json_each(r.limit_checks) o
    where o.value ->> 4 = ${subject} and o.value ->> 1 = ${sql.raw(String(concurrentAt))}) end`;

export const storedCheck = {
  subject: choice(0, ["r.tenant_id", "r.key_id", "r.server_id"], "h.value ->> 4"),
  resource: choice(
    1,
    resources.map((name) => `'${name}'`),
    "null",
  ),
  bucket: sql.raw("h.value ->> 2"),
  amount: sql.raw("h.value ->> 3"),
};
