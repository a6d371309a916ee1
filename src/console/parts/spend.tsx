/** Spending of keys, people, servers, models, groups and tags. */
import { api, type Schemas } from "../api.ts";
import { count, fromNow, percent, usd, usdInCents } from "../format.ts";
import { useLoaded } from "../load.ts";
import { forecastOf, shareOf, toneOf, type LimitState } from "../overview-figures.ts";
import { ownPath } from "../place.ts";
import type { Column } from "./table.tsx";
import { isoOf } from "./time.tsx";

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

interface AskedTop {
  by: readonly Grouping[];
  /** ms since the epoch; absent: this month in the tenant's time zone */
  from?: number;
  to?: number;
  limit?: number;
}

export const topUsage = ({ by, ...range }: AskedTop) =>
  api.GET("/admin/v1/tenants/{tenant}/usage/top", { ...range, by: by.join(",") });

/** This month's by group. Empty while loading, or without permission. */
export function useSpending(by: Grouping): ReadonlyMap<string, Spender> {
  const { loaded } = useLoaded(`spending by ${by}`, () => topUsage({ by: [by], limit: 1_000 }));
  return new Map(
    loaded.state === "there" ? loaded.value.data.map((row) => [row.group, row] as const) : [],
  );
}

export const spenderName = (
  { by, group }: Pick<Spender, "by" | "group">,
  names: Readonly<Record<string, string>>,
): string => names[group] ?? (group === "" ? (namesOfEmptyGroups[by] ?? "None") : group);

type Filter = "key" | "user" | "server" | "model";
const isFilter = (by: Grouping): by is Filter => ["key", "user", "server", "model"].includes(by);

interface RequestsOfProps {
  by: Filter;
  id: string;
  name: string;
}

export const RequestsOf = ({ by, id, name }: RequestsOfProps) => (
  <a href={`${ownPath("/requests")}?${by}=${encodeURIComponent(id)}`} title={`${name}, requests`}>
    {name}
  </a>
);

/** To the group's requests; groups and tags can't be filtered for. */
export function Spent({ row, name }: { row: Spender; name: string }) {
  const { by, group } = row;
  if (!isFilter(by) || group === "") return <span title={name}>{name}</span>;
  return <RequestsOf {...{ by, name }} id={group} />;
}

/** Against the period of the same length before. */
export function Change({ now, before }: { now: number; before: number }) {
  if (before === 0) return now === 0 ? null : <span class="faint">new</span>;
  const change = now / before - 1;
  if (Math.abs(change) < 0.005) return <span class="faint">0%</span>;
  return (
    <span class="faint" title={`${usd(before)} in the period before`}>
      {change > 0 ? "↑" : "↓"}
      {change > 9.99 ? ">999%" : percent(Math.abs(Math.round(change * 100) / 100))}
    </span>
  );
}

export function Meter({ state }: { state: LimitState }) {
  const share = state.limit === 0 ? 1 : Math.min(1, shareOf(state));
  return (
    <span class="track" aria-hidden="true">
      <span class={`bar-fill ${toneOf(state, Date.now())}`} style={{ width: `${share * 100}%` }} />
    </span>
  );
}

/** "$3.10 of $5.00 a day" */
const periods: Readonly<Record<string, string>> = {
  Minute: "a minute",
  Day: "a day",
  Week: "a week",
  Month: "a month",
};
export function BudgetCell({ state }: { state: LimitState | undefined }) {
  if (state === undefined) return <span class="faint">none</span>;
  const [, period = ""] = state.name.split("Per");
  const forecast = forecastOf(state, Date.now());
  const limit = usdInCents(state.limit).replace(/\.00$/, "");
  const words = `${usdInCents(state.used)} of ${limit} ${periods[period] ?? ""}`;
  return (
    <span class="meter" {...(forecast !== null && { title: `Forecast: ${usdInCents(forecast)}` })}>
      <Meter state={state} />
      <small>{words}</small>
    </span>
  );
}

export const lastUse = (at: number): string =>
  Date.now() - at < 3_600_000 ? "this hour" : fromNow(at).replace("hours", "h");

/** Columns of a list whose rows have spending. @param of the row's spending; undefined: none */
export const spendColumns = <Row,>(of: (row: Row) => Spender | undefined): Column<Row>[] => [
  {
    title: "Spent",
    isNumber: true,
    show: (row) => usdInCents(of(row)?.costUsd ?? 0),
    text: (row) => of(row)?.costUsd ?? 0,
    sum: (rows) => usdInCents(rows.reduce((sum, row) => sum + (of(row)?.costUsd ?? 0), 0)),
  },
  {
    title: "Requests",
    isWide: true,
    isNumber: true,
    show: (row) => count(of(row)?.requests ?? 0),
    text: (row) => of(row)?.requests ?? 0,
    sum: (rows) => count(rows.reduce((sum, row) => sum + (of(row)?.requests ?? 0), 0)),
  },
  {
    title: "Budget",
    isOptional: true,
    order(row) {
      const budget = of(row)?.budget;
      return budget === undefined ? null : budget.used / (budget.limit || 1);
    },
    show: (row) => <BudgetCell state={of(row)?.budget} />,
    text: (row) => of(row)?.budget?.limit ?? null,
  },
  {
    title: "Last use",
    isWide: true,
    order: (row) => of(row)?.lastUsedAt ?? null,
    show(row) {
      const at = of(row)?.lastUsedAt;
      return <span class="nowrap">{at === undefined ? "–" : lastUse(at)}</span>;
    },
    text: (row) => isoOf(of(row)?.lastUsedAt),
  },
];
