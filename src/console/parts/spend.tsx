/** Spending of keys, people, servers, models, groups and tags. */
import { api, type Schemas } from "../api.ts";
import { dateText, fromNow, none, percent, usd, usdInCents } from "../format.ts";
import { useLoaded, valueIn } from "../load.ts";
import {
  forecastOf,
  ranges,
  shareOf,
  toneOf,
  type LimitState,
  type RangeName,
} from "../overview-figures.ts";
import { ownPath } from "../place.ts";
import { column, type Column } from "./columns.tsx";
import { Choice } from "./list-page.tsx";
import type { Limits } from "./limits.tsx";
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

/** The period of the page, which is in its address. */
export const RangeChoice = ({ range }: { range: RangeName }) => (
  <Choice name="range" label="Time" value={range} options={options} />
);

/** This month's by group. Empty while loading, or without permission. */
export function useSpending(by: Grouping): ReadonlyMap<string, Spender> {
  const loading = useLoaded(`spending by ${by}`, () => topUsage({ by: [by], limit: 1_000 }));
  return new Map(valueIn(loading)?.data.map((row) => [row.group, row]));
}

export const spenderName = (
  { by, group }: Pick<Spender, "by" | "group">,
  names: Readonly<Record<string, string>>,
): string => names[group] ?? (group === "" ? (namesOfEmptyGroups[by] ?? "None") : group);

const filters = ["key", "user", "server", "model"] as const;
type Filter = (typeof filters)[number];

/** @param props.from ms since the epoch */
export function RequestsOf(props: { by: Filter; id: string; name: string; from?: number }) {
  const { by, id, name, from } = props;
  const since = from === undefined ? "" : `&from=${dateText(from)}`;
  return (
    <a
      href={`${ownPath("/requests")}?${by}=${encodeURIComponent(id)}${since}`}
      title={`${name}, requests`}
    >
      {name}
    </a>
  );
}

/** To the group's requests; groups and tags can't be filtered for. */
export function Spent({ row, names, from }: { row: Spender } & Pick<Top, "names" | "from">) {
  const { group: id } = row;
  const name = spenderName(row, names);
  const by = filters.find((each) => each === row.by);
  return by && id !== "" ? (
    <RequestsOf {...{ by, id, name, from }} />
  ) : (
    <span title={name}>{name}</span>
  );
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

export function Meter({ state }: { state: LimitState }) {
  const { used, reserved, limit } = state;
  const width = (amount: number): string =>
    `${limit === 0 ? 100 : Math.min(100, (amount / limit) * 100)}%`;
  return (
    <span class="track" aria-hidden="true">
      <span class="bar-fill reserved" style={{ width: width(used + reserved) }} />
      <span class={`bar-fill ${toneOf(state, Date.now())}`} style={{ width: width(used) }} />
    </span>
  );
}

const periods: Readonly<Record<string, string>> = {
  Minute: "a minute",
  Day: "a day",
  Week: "a week",
  Month: "a month",
};

/** "$3.10 of $5 a day" */
export function BudgetCell({ state }: { state: LimitState | undefined }) {
  if (state === undefined) return <span class="faint">none</span>;
  const [scope = "", period = ""] = state.name.split(/\.usdPer/);
  const forecast = forecastOf(state, Date.now());
  const limit = usdInCents(state.limit).replace(/\.00$/, "");
  // These count from when they were set.
  const isNew =
    state.used === 0 && state.subject !== "" && ["user", "group", "tag"].includes(scope);
  return (
    <span class="meter" title={forecast === null ? "" : `Forecast: ${usdInCents(forecast)}`}>
      <Meter state={state} />
      <small>
        {usdInCents(state.used)} of {limit} {periods[period]}
        {isNew && ", since it was set"}
      </small>
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
    show: (row) => <BudgetCell state={budgetOf(row)} />,
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
    ["Budget", <BudgetCell state={budgetOf(row)} />],
    ["Last use", of(row) ? lastUse(of(row)?.lastUsedAt ?? 0) : none],
  ];
  return { of, factsOf, columns: spendColumns(of, budgetOf) };
}
