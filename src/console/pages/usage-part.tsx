/** Usage over time: tiles, a plot, and the same numbers as a table. */
import type { ComponentChildren } from "preact";
import { bucketTime, compact, count, none, percent, usdInCents, zone } from "../format.ts";
import {
  durationsOf,
  metrics,
  projected,
  rangeAt,
  ranges,
  seriesOf,
  totalsOf,
  type Bucket,
  type MetricName,
  type RangeName,
  type UsageRow,
} from "../overview-figures.ts";
import {
  column,
  fileColumn,
  isoOf,
  numberColumn,
  sumColumn,
  type Column,
} from "../parts/columns.tsx";
import { Button, Pick } from "../parts/page.tsx";
import { Plot } from "../parts/plot.tsx";
import { Change, groupings, spenderName, type Top } from "../parts/spend.tsx";
import { Table } from "../parts/table.tsx";
import { ownPath } from "../place.ts";

const options = Object.entries(ranges).map(([name, { title }]) => [name, title] as const);

interface RangePickProps {
  range: RangeName;
  change: (changes: { range: string }) => void;
}

export const RangePick = ({ range, change }: RangePickProps) => (
  <Pick
    label="Time"
    value={range}
    options={options}
    onPick={(picked) => change({ range: picked })}
  />
);

const splits = ["model", "key", "user", "server", "endpoint"] as const;
export type Split = (typeof splits)[number];

const metricsIn = (range: RangeName): MetricName[] =>
  (Object.keys(metrics) as MetricName[]).filter(
    (name) => name !== "duration" || ranges[range].bucket !== "month",
  );

export const choicesIn = (
  { metric, by, table }: Readonly<Record<string, string>>,
  range: RangeName,
) => ({
  range,
  by: splits.find((each) => each === by) ?? "model",
  metric: metricsIn(range).find((each) => each === metric) ?? "costUsd",
  isTable: table === "yes",
});

interface UsagePartProps {
  data: readonly UsageRow[];
  names?: Readonly<Record<string, string>>;
  /** sums over all, since there are too many groups */
  isWhole: boolean;
  choices: ReturnType<typeof choicesIn>;
  /** `null` while loading */
  spending: Pick<Top, "total" | "month"> | null;
  change: (changes: Record<string, string>) => void;
}

const Short = ({ value }: { value: number }) => (
  <span title={count(value)}>{value < 100_000 ? count(value) : compact(value)}</span>
);

function Tiles({ data, spending }: UsagePartProps) {
  const { requests, errors, tokens, costUsd } = totalsOf(data);
  const { costUsd: soFar, ...month } = spending?.month ?? { from: 0, until: 1, costUsd: 0 };
  const before = spending?.total.before ?? { requests: 0, costUsd: 0 };
  const forecast = spending === null ? null : projected(soFar, month, Date.now());
  const hasBefore = spending === null || costUsd === 0 || before.costUsd > 0;
  const tiles: [title: string, figure: ComponentChildren, beside: ComponentChildren][] = [
    [
      "Spent",
      usdInCents(costUsd),
      hasBefore ? <Change now={costUsd} before={before.costUsd} /> : "no earlier data",
    ],
    [
      "This month’s forecast",
      forecast === null ? none : usdInCents(forecast),
      `${usdInCents(soFar)} so far`,
    ],
    ["Requests", <Short value={requests} />, <Change now={requests} before={before.requests} />],
    ["Failed or refused", <Short value={errors} />, requests > 0 && percent(errors / requests)],
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

const percentiles = (["p50", "p90", "p99"] as const).map((name): Column<UsageRow> => ({
  ...numberColumn(`${name} ms`, ({ latency }) => latency?.total[name], count),
  isWide: true,
}));

/** @param by `null` for totals */
function columnsOf(
  bucket: Bucket,
  by: Split | null,
  nameOf: (row: UsageRow) => string,
): Column<UsageRow>[] {
  const groupColumns = (title: string): Column<UsageRow>[] => [
    column(title, nameOf, (row) => <span class="nowrap">{nameOf(row)}</span>),
    // Keys may share a name.
    fileColumn(`${title} id`, ({ group }) => group),
  ];
  return [
    {
      title: "From",
      order: ({ at }) => at,
      show: ({ at }) => <span class="nowrap">{bucketTime(at, bucket)}</span>,
      text: ({ at }) => isoOf(at),
    },
    ...(by === null ? [] : groupColumns(groupings[by])),
    sumColumn("Spent", ({ costUsd }) => costUsd, usdInCents),
    sumColumn("Requests", ({ requests }) => requests),
    fileColumn("Succeeded", ({ succeeded }) => succeeded),
    sumColumn("Failed", ({ failed }) => failed),
    sumColumn("Refused", ({ refused }) => refused),
    sumColumn("Tokens in", ({ inputTokens }) => inputTokens),
    sumColumn("Tokens out", ({ outputTokens }) => outputTokens),
    ...percentiles,
  ];
}

const splitTitle = (by: Split): string => `by ${groupings[by]}`.toLowerCase().replace("api ", "");

function Switches({ choices, change }: Pick<UsagePartProps, "choices" | "change">) {
  const { range, by, isTable, metric } = choices;
  return (
    <div class="over">
      <Pick
        label="Figure"
        value={metric}
        options={metricsIn(range).map((name) => [name, metrics[name].title])}
        onPick={(picked) => change({ metric: picked })}
      />
      {metric !== "duration" && (
        <Pick
          label="Split"
          value={by}
          options={splits.map((each) => [each, splitTitle(each)])}
          onPick={(picked) => change({ by: picked })}
        />
      )}
      <Button class="quiet" onClick={() => change({ table: isTable ? "" : "yes" })}>
        {isTable ? "Show the plot" : "Show the table"}
      </Button>
    </div>
  );
}

function Figures({ data, isWhole, names = {}, choices }: UsagePartProps) {
  const { range, by, isTable, metric } = choices;
  const { bucket, title } = ranges[range];
  const isDuration = metric === "duration";
  const nameOf = (group: string): string =>
    isWhole ? "All together" : spenderName({ by, group }, names);
  if (isTable)
    return (
      <Table
        name="Usage"
        isDense
        columns={columnsOf(bucket, isDuration ? null : by, ({ group }) => nameOf(group))}
        rows={data}
        keyOf={({ at, group }) => `${at} ${group}`}
        empty=""
      />
    );
  const { from, to: until } = rangeAt(range, Date.now());
  const { at, lines } = isDuration
    ? durationsOf(data, { bucket, from, until })
    : seriesOf(data, { metric, bucket, from, until });
  const named = isDuration ? lines : lines.map((line) => ({ ...line, name: nameOf(line.name) }));
  return (
    <Plot
      series={{ at, lines: named }}
      isStacked={!isDuration}
      format={metrics[metric].format}
      bucket={bucket}
      label={`${metrics[metric].title}, ${title}; the table has the same numbers`}
    />
  );
}

export function UsagePart(props: UsagePartProps) {
  const { data, isWhole, choices, change } = props;
  const isHours = ranges[choices.range].bucket === "hour";
  return (
    <section class="card stack" aria-label="Usage">
      <Tiles {...props} />
      {data.length === 0 ? (
        <div class="empty">
          <p>No usage in this period.</p>
          <a class="button" href={ownPath("/start")} children="First steps" />
        </div>
      ) : (
        <>
          <Switches {...{ choices, change }} />
          {isWhole && <p class="faint">Too many to list; showing totals.</p>}
          <Figures {...props} />
          <p class="faint">
            {isHours ? `Hours in ${zone}.` : "Days and months start at midnight UTC."}
          </p>
        </>
      )}
    </section>
  );
}
