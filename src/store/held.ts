/**
 * What a call holds, as its row keeps it while it runs: of each hold the scope and resource as numbers, the
 * bucket and the amount. The row itself names the subject. A hold of concurrency is not kept: the row itself
 * counts. Rows from before have holds as objects, which the same SQL reads.
 */
import { customType } from "drizzle-orm/sqlite-core";
import { sql, type SQL } from "drizzle-orm";
import { isMoney, type Hold, type LimitScope, type Resource } from "../domain/limits/holds.ts";

// Both lists only grow at their ends.
const scopes = ["tenant", "key", "server"] as const satisfies LimitScope[];
const resources = ["requests", "tokens", "usd_day", "usd_month"] as const satisfies Resource[];

export type Held = [scope: number, resource: number, bucket: number, amount: number] | Hold;

const packed = (holds: readonly Held[]): Held[] =>
  holds.flatMap((hold): Held[] => {
    if (Array.isArray(hold)) return [hold];
    const { scope, resource, bucket, amount } = hold;
    if (resource === "concurrent") return [];
    return [[scopes.indexOf(scope), resources.indexOf(resource), bucket, amount]];
  });

/** As a row keeps them. */
export const heldText = (holds: readonly Held[]): string => JSON.stringify(packed(holds));

type Kept = Pick<Hold, "subject" | "resource" | "bucket" | "amount">;

/** What a row's text says that its call holds. Throws where the text is none. */
export const heldIn = (
  text: string,
  row: { tenantId: string; keyId: string; serverId: string | null },
): Kept[] =>
  (JSON.parse(text) as Held[]).flatMap((hold): Kept[] => {
    if (!Array.isArray(hold)) return [hold];
    const [scope, place, bucket, amount] = hold;
    const subject = [row.tenantId, row.keyId, row.serverId][scope];
    const resource = resources[place];
    if (resource === undefined || typeof subject !== "string") return [];
    return [{ subject, resource, bucket, amount }];
  });

const moneyPlaces = new Set(resources.flatMap((resource, at) => (isMoney(resource) ? [at] : [])));

/** The holds with other holds of money in place of theirs. Rates stay as they were counted. */
export const withMoney = (holds: readonly Held[], money: readonly Hold[]): Held[] => [
  ...holds.filter((hold) =>
    Array.isArray(hold) ? !moneyPlaces.has(hold[1]) : !isMoney(hold.resource),
  ),
  ...money.filter(({ resource }) => isMoney(resource)),
];

export const holdsColumn = customType<{ data: Held[]; driverData: string }>({
  dataType: () => "text",
  toDriver: heldText,
  fromDriver: (stored) => JSON.parse(stored) as Held[],
});

const choice = (place: number, values: readonly string[], otherwise: string): SQL =>
  sql.raw(
    `case h.value ->> ${place} ${values.map((value, at) => `when ${at} then ${value}`).join(" ")} else h.value ->> '${otherwise}' end`,
  );

/** Of a row `r` and one of its holds `h`, as `json_each` gives it. */
export const held = {
  subject: choice(0, ["r.tenant_id", "r.key_id", "r.server_id"], "subject"),
  resource: choice(
    1,
    resources.map((name) => `'${name}'`),
    "resource",
  ),
  bucket: sql.raw("coalesce(h.value ->> 2, h.value ->> 'bucket')"),
  amount: sql.raw("coalesce(h.value ->> 3, h.value ->> 'amount')"),
};
