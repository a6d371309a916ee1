/** Spending of keys, people, servers, models, groups and tags. */
import { api, type Schemas } from "../api.ts";
import { count, fromNow, none, percent, usd, usdInCents } from "../format.ts";
import { useLoaded, valueIn } from "../load.ts";
import { given } from "../members.ts";
import {
  failedOrRefused,
  ranges,
  shareOf,
  type LimitState,
  type RangeName,
} from "../overview-figures.ts";
import { ownPath } from "../place.ts";
import { ok } from "../problem.ts";
import { column, type Column } from "./columns.tsx";
import { BudgetCell, keyOfLimit } from "./limit-columns.tsx";
import { allPages, Choice } from "./list-page.tsx";
import { limitText, type Limits } from "./limits.tsx";
import type { Fact } from "./page.tsx";

export type Spender = Schemas["TopUsage"];
export type Grouping = Spender["by"];

export const groupings = {
  key: "API key",
  user: "Person",
  server: "Server",
  model: "Model",
  group: "Group",
  tag: "Tag",
  endpoint: "Endpoint",
} as const satisfies Record<Grouping, string>;
export const groupingNames = Object.keys(groupings) as Grouping[];

const namesOfEmptyGroups: Partial<Record<Grouping, string>> = {
  user: "Keys without a person",
  server: "Without a server",
  model: "No model (refused)",
};

type AskedTop = { by: readonly Grouping[]; from?: number; to?: number; limit: number };

/** Without `from`, this month in the tenant's time zone. */
export const topUsage = ({ by, ...asked }: AskedTop) =>
  api.GET("/admin/v1/tenants/{tenant}/usage/top", { ...asked, by: by.join(",") });

export type Top = Extract<Awaited<ReturnType<typeof topUsage>>, { ok: true }>["value"];

const options = Object.entries(ranges).map(([name, { title }]) => [name, title] as const);

export const RangeChoice = ({ range }: { range: RangeName }) => (
  <Choice name="range" label="Time" value={range} options={options} />
);

/** This month's by group. Empty while loading, or without permission. */
export function useSpending(by: Grouping, isWanted = true): ReadonlyMap<string, Spender> {
  const loading = useLoaded(`spending by ${by} ${isWanted}`, async () =>
    isWanted ? topUsage({ by: [by], limit: 1_000 }) : ok(null),
  );
  return new Map(valueIn(loading)?.data.map((row) => [row.group, row]));
}

export const spenderName = (
  { by, group }: Pick<Spender, "by" | "group">,
  names: Readonly<Record<string, string>>,
): string => names[group] ?? (group === "" ? (namesOfEmptyGroups[by] ?? "None") : group);

const filters = ["key", "user", "server", "model"] as const;
type Filter = (typeof filters)[number];

/** @param query members of the address; absent ones are left out */
export const requestsPath = (query: { [name: string]: string | number | undefined }): string =>
  `${ownPath("/requests")}?${new URLSearchParams(given(query) as Record<string, string>)}`;

type Further = { from?: number; outcome?: string; children?: string };
type RequestsProps = Record<"id" | "name", string> & { by: Filter } & Further;

/** @param props.from ms since the epoch */
export const RequestsOf = ({ by, id, name, children = name, ...query }: RequestsProps) => (
  <a href={requestsPath({ [by]: id, ...query })} title={`${name}, requests`} children={children} />
);

type SpentProps = Pick<Top, "names" | "from"> & { row: Spender; errors?: number };

/** To the group's requests, or those among them that are `errors`; groups and tags can't be filtered for. */
export function Spent({ row, names, from, errors }: SpentProps) {
  const { group: id } = row;
  const name = spenderName(row, names);
  const failures = errors && { outcome: failedOrRefused, children: count(errors) };
  const by = filters.find((each) => each === row.by);
  if (by && id !== "" && errors !== 0)
    return <RequestsOf {...{ by, id, name, from, ...failures }} />;
  if (errors !== undefined) return <>{count(errors)}</>;
  if (by !== "user") return <span title={name}>{name}</span>;
  return <a href={ownPath("/keys?show=unowned")} title={name} children={name} />;
}

/** Against the period of the same length before; nothing if that is empty. */
export function Change({ now, before }: { now: number; before: number }) {
  if (before === 0) return null;
  const change = now / before - 1;
  const sign = Math.abs(change) < 0.005 ? "" : change > 0 ? "↑" : "↓";
  return (
    <span class="faint" title={`${usd(before)} in the period before`}>
      {sign}
      {change > 9.99 ? ">999%" : percent(Math.abs(Math.round(change * 100) / 100))}
    </span>
  );
}

/** Whole hours, since usage is known by the hour. */
export function lastUse(at: number): string {
  const hours = Math.floor((Date.now() - at) / 3_600_000);
  return hours < 1 ? "this hour" : hours < 48 ? `${hours} h ago` : fromNow(at);
}

/** The smallest budget of what has no usage yet. @param scope as in the names of limits */
function unusedBudget(scope: string, limits: Limits = {}): LimitState | undefined {
  const budgets = Object.entries(limits).filter(([name]) => name.startsWith("usd"));
  const [[name, limit] = []] = budgets.toSorted(([, one], [, other]) => one - other);
  if (name === undefined || limit === undefined) return undefined;
  const unused = { used: 0, reserved: 0, left: limit, resetsAt: null };
  return { name: `${scope}.${name}`, subject: "", unit: "usd", limit, ...unused };
}

type SpendColumns<Row> = [spent: Column<Row>, requests: Column<Row>, ...rest: Column<Row>[]];

/** Columns of a list whose rows have spending. @param of the row's spending; undefined: none */
export const spendColumns = <Row,>(
  of: (row: Row) => Spender | undefined,
  budgetOf = (row: Row): LimitState | undefined => of(row)?.budget,
): SpendColumns<Row> => [
  column.sum("Spent", (row) => of(row)?.costUsd ?? 0, usdInCents),
  { ...column.sum<Row>("Requests", (row) => of(row)?.requests ?? 0), isWide: true },
  {
    title: "Budget",
    isOptional: true,
    order(row) {
      const budget = budgetOf(row);
      return budget === undefined ? null : shareOf(budget);
    },
    show: (row) => <BudgetCell state={budgetOf(row)} isOfKey={of(row)?.by === "key"} />,
    text: (row) => budgetOf(row)?.limit ?? null,
  },
  column.time<Row>("Last use", (row) => of(row)?.lastUsedAt, lastUse),
];

/** This month's spending of a list of keys, people or servers, as columns and as facts of a row. */
export function useSpend<Row extends { id: string }>(
  by: Grouping,
  limitsOf: (row: Row) => Limits | undefined,
) {
  const spending = useSpending(by);
  const of = ({ id }: Row): Spender | undefined => spending.get(id);
  const budgetOf = (row: Row) => of(row)?.budget ?? unusedBudget(by, limitsOf(row));
  const factsOf = (row: Row): Fact[] => [
    ["Spent this month", usdInCents(of(row)?.costUsd ?? 0)],
    ["Last use", of(row) ? lastUse(of(row)?.lastUsedAt ?? 0) : none],
  ];
  return { of, factsOf, columns: spendColumns(of, budgetOf) };
}

type UsedLimitsProps = { of: readonly string[]; limits: Limits | undefined };

/** Their use. People have none before their first call. */
export function UsedLimits({ of, limits }: UsedLimitsProps) {
  const path = "/admin/v1/tenants/{tenant}/limits";
  const loading = useLoaded("all limits", () => allPages(path, { limit: 200 }));
  const all = valueIn(loading)?.flatMap(({ data }) => data) ?? [];
  const its = all.filter(({ subject }) => of.includes(subject));
  if (its.length === 0) return <>{limitText(limits) || "none"}</>;
  return its.map((state) => (
    <div key={keyOfLimit(state)} children={<BudgetCell {...{ state }} isOfKey={of.length > 1} />} />
  ));
}
