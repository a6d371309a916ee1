/** Usage over time: tiles, a plot, and the same numbers as a table. */
import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { useMemo } from "preact/hooks";
import { api } from "../api.ts";
import { bucketTime, compact, count, percent, usdInCents, zone } from "../format.ts";
import { useLoaded, useRepeated } from "../load.ts";
import {
  byPercentile,
  failedOrRefused,
  metricNames,
  metrics,
  others,
  othersColor,
  percentiles,
  projected,
  rangeAt,
  ranges,
  seriesOf,
  totalsOf,
  type MetricName,
  type RangeName,
  type UsageRow,
} from "../overview-figures.ts";
import { column, type Column } from "../parts/columns.tsx";
import { Choice, inSentence, useQuery } from "../parts/list-page.tsx";
import { Button, There } from "../parts/page.tsx";
import { Plot } from "../parts/plot.tsx";
import { Change, groupings, requestsPath, spenderName, type Top } from "../parts/spend.tsx";
import { Table } from "../parts/table.tsx";
import { ownPath } from "../place.ts";
import { ok, type Asked } from "../problem.ts";

export const refreshMs = 30_000;

const splits = ["model", "key", "user", "server", "endpoint"] as const;
type By = (typeof splits)[number] | "all";
const splitOptions = splits.map((each) => [each, `by ${inSentence(groupings[each])}`] as const);

type Usage = { data: readonly UsageRow[]; names: Top["names"]; by: By };

/** Sums over all if there are too many rows. */
async function usageOf(range: RangeName, by: By): Promise<Asked<Usage>> {
  const found = await api.GET("/admin/v1/tenants/{tenant}/usage", {
    ...rangeAt(range, Date.now()),
    bucket: ranges[range].bucket,
    by,
  });
  if (!found.ok) return found;
  const { data, names = {}, nextCursor } = found.value;
  return by === "all" || nextCursor === null ? ok({ data, names, by }) : usageOf(range, "all");
}

const Short = ({ value }: { value: number }) => (
  <span title={count(value)}>{value < 100_000 ? count(value) : compact(value)}</span>
);

type Spending = Pick<Top, "total" | "month" | "budgets">;
type PartProps = { range: RangeName; spending: Spending | undefined };

function Tiles({ data, range, spending }: PartProps & Pick<Usage, "data">) {
  const { requests, errors, tokens, costUsd } = totalsOf(data);
  const { month, total: { before } = { before: { requests: 0, costUsd: 0 } } } = spending ?? {};
  const forecast = month === undefined ? null : projected(month.costUsd, month, Date.now());
  const budget = spending?.budgets.find(({ name }) => name === "tenant.usdPerMonth");
  const isOver = budget !== undefined && (forecast ?? 0) > budget.limit;
  const of = budget ? `, ${isOver ? "above the " : ""}budget ${usdInCents(budget.limit)}` : "";
  const ahead = <span class={isOver ? "fault" : ""}>{usdInCents(forecast)}</span>;
  const soFar = `${usdInCents(month?.costUsd ?? 0)} so far${of}`;
  const { from } = rangeAt(range, Date.now());
  const failures = requestsPath({ outcome: failedOrRefused, from });
  const share = requests > 0 && percent(errors / requests);
  const tiles: [title: string, figure: ComponentChildren, beside: ComponentChildren][] = [
    ["Spent", usdInCents(costUsd), <Change now={costUsd} before={before.costUsd} />],
    ["This month’s forecast", ahead, soFar],
    ["Requests", <Short value={requests} />, <Change now={requests} before={before.requests} />],
    ["Failed or refused", <a href={failures} children={<Short value={errors} />} />, share],
    ["Tokens", <Short value={tokens} />, null],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([title, figure, beside]) => (
        <div key={title} class="tile">
          <dt>{title}</dt>
          <dd>
            {figure} <small>{beside}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

type Shown = Usage & { range: RangeName; metric: MetricName; isTable: boolean };

const nameIn = ({ by, names }: Usage, group: string): string =>
  by === "all" ? group || "All together" : spenderName({ by, group }, names);

function columnsOf(usage: Shown): Column<UsageRow>[] {
  const { by, range } = usage;
  const { bucket } = ranges[range];
  const nameOf = ({ group }: UsageRow): string => nameIn(usage, group);
  const timeOf = (at: number): string => bucketTime(at, bucket);
  const title = by === "all" ? "" : groupings[by];
  return [
    column.time("From", ({ at }) => at, timeOf),
    // Keys may share a name.
    ...(by === "all"
      ? []
      : [
          column.of(title, nameOf, (row) => <span class="nowrap">{nameOf(row)}</span>),
          column.file<UsageRow>(`${title} id`, ({ group }) => group),
        ]),
    column.sum("Spent", ({ costUsd }) => costUsd, usdInCents),
    column.sum("Requests", ({ requests }) => requests),
    column.file("Succeeded", ({ succeeded }) => succeeded),
    column.sum("Failed", ({ failed }) => failed),
    column.sum("Refused", ({ refused }) => refused),
    column.sum("Tokens in", ({ inputTokens }) => inputTokens),
    column.sum("Tokens out", ({ outputTokens }) => outputTokens),
    ...percentiles.map((name): Column<UsageRow> => ({
      ...column.number(`${name} ms`, ({ latency }) => latency?.total[name], count),
      isWide: true,
    })),
  ];
}

function Figures({ colors, ...usage }: Shown & { colors: Map<string, number> }) {
  const { data, range, metric } = usage;
  const { bucket, title } = ranges[range];
  const isDuration = metric === "duration";
  const { route } = useLocation();
  if (usage.isTable)
    return (
      <Table
        name="Usage"
        columns={columnsOf(usage)}
        rows={data}
        keyOf={({ at, group }) => `${at} ${group}`}
        empty=""
      />
    );
  const rows = isDuration ? byPercentile(data) : data;
  const { at, lines } = seriesOf(rows, { metric, bucket, ...rangeAt(range, Date.now()) }, colors);
  return (
    <Plot
      series={{ at, lines: lines.map((line) => ({ ...line, name: nameIn(usage, line.name) })) }}
      isStacked={!isDuration}
      format={metrics[metric].format}
      bucket={bucket}
      open={(begin) => route(requestsPath({ from: at[begin], to: at[begin + 1] }))}
      label={`${metrics[metric].title}, ${title}; the table has the same numbers`}
    />
  );
}

function useChoices(range: RangeName) {
  const [query, change] = useQuery();
  const { bucket } = ranges[range];
  const offered = metricNames.filter((name) => name !== "duration" || bucket !== "month");
  const metric = offered.find((each) => each === query["metric"]) ?? "costUsd";
  const metricOptions = offered.map((each) => [each, metrics[each].title] as const);
  const isDuration = metric === "duration";
  const split = splits.find((each) => each === query["by"]) ?? "model";
  const isTable = query["table"] === "yes";
  const choices = (
    <div class="over">
      <Choice name="metric" label="Figure" value={metric} options={metricOptions} />
      {!isDuration && <Choice name="by" label="Split" value={split} options={splitOptions} />}
      <Button class="quiet" onClick={() => change({ table: isTable ? "" : "yes" })}>
        {isTable ? "Show the plot" : "Show the table"}
      </Button>
    </div>
  );
  return { range, metric, by: isDuration ? "all" : split, isTable, choices } as const;
}

export function UsagePart({ range, spending }: PartProps) {
  const { choices, by, ...chosen } = useChoices(range);
  const loading = useLoaded(`usage ${range} ${by}`, () => usageOf(range, by));
  const colors = useMemo(() => new Map([[others, othersColor]]), [by]);
  useRepeated(refreshMs, loading.again);
  const isByHour = ranges[range].bucket === "hour";
  return (
    <There what="usage" loading={loading}>
      {(usage) => (
        <section class="card stack" aria-label="Usage">
          <Tiles data={usage.data} {...{ range, spending }} />
          {usage.data.length === 0 ? (
            <div class="empty">
              <p>No usage in this period.</p>
              <a class="button" href={ownPath("/start")} children="First steps" />
            </div>
          ) : (
            <>
              {choices}
              {usage.by !== by && <p class="faint">Too many to list; showing totals.</p>}
              <Figures {...{ ...chosen, ...usage, colors }} />
              <p class="faint">
                {isByHour ? `Hours in ${zone}.` : "Days and months start at midnight UTC."}
              </p>
            </>
          )}
        </section>
      )}
    </There>
  );
}
