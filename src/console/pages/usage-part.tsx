/** Usage over time: tiles, a plot, and the same numbers as a table. */
import { Button } from "../parts/card.tsx";
import { useMemo } from "preact/hooks";
import { bucketTime, compact, count, duration, percent, usdInCents } from "../format.ts";
import { zone } from "../locale.ts";
import {
  durationsOf,
  metrics,
  monthForecast,
  rangeAt,
  ranges,
  seriesOf,
  totalsOf,
  type Bucket,
  type MetricName,
  type RangeName,
  type UsageRow,
} from "../overview-figures.ts";
import { fileColumn } from "../parts/columns.tsx";
import { Brief } from "../parts/brief.tsx";
import { Pick } from "../parts/pick.tsx";
import { Plot } from "../parts/plot.tsx";
import { Change, groupings, spenderName } from "../parts/spend.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { isoOf } from "../parts/time.tsx";
import { ownPath } from "../place.ts";
import { theme } from "../theme.ts";

export type Split = "model" | "server" | "key" | "user" | "endpoint";
export const splits: readonly Split[] = ["model", "key", "user", "server", "endpoint"];

/** In the period of the same length before; `null` while loading. */
export interface Before {
  requests: number;
  costUsd: number;
}

interface UsagePartProps {
  rows: readonly UsageRow[];
  names: Readonly<Record<string, string>>;
  /** sums over all, since there are too many groups */
  isWhole: boolean;
  choices: { range: RangeName; by: Split; metric: MetricName; isTable: boolean };
  before: Before | null;
  change: (changes: Record<string, string>) => void;
}

const formats: Readonly<Record<MetricName, (value: number) => string>> = {
  costUsd: usdInCents,
  requests: compact,
  tokens: compact,
  errors: compact,
  duration,
};

function Tiles({
  rows,
  before,
  range,
}: Pick<UsagePartProps, "rows" | "before"> & { range: RangeName }) {
  const forecast = monthForecast(rows, range, Date.now());
  const { requests, errors, tokens, costUsd } = totalsOf(rows);
  const since = (name: keyof Before, now: number) =>
    before !== null && (
      <small>
        <Change now={now} before={before[name]} />
      </small>
    );
  const failed = <small>{requests > 0 && percent(errors / requests)}</small>;
  const tiles = [
    ["Spent", usdInCents(costUsd), since("costUsd", costUsd)],
    ...(forecast === null ? [] : [["This month’s forecast", usdInCents(forecast), null] as const]),
    ["Requests", count(requests), since("requests", requests)],
    ["Failed or refused", count(errors), failed],
    ["Tokens", <span title={count(tokens)}>{compact(tokens)}</span>, null],
  ] as const;
  return (
    <dl class="tiles">
      {tiles.map(([title, figure, beside]) => (
        <div key={title} class="tile">
          <dt>{title}</dt>
          <dd>
            {figure} {beside}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface Grouped {
  /** `null` for totals */
  by: Split | null;
  names: UsagePartProps["names"];
}

const numbers: readonly (readonly [string, (row: UsageRow) => number | null, isSummed?: true])[] = [
  ["Requests", ({ requests }) => requests, true],
  ["Succeeded", ({ succeeded }) => succeeded, true],
  ["Failed", ({ failed }) => failed, true],
  ["Refused", ({ refused }) => refused, true],
  ["Tokens in", ({ inputTokens }) => inputTokens, true],
  ["Tokens out", ({ outputTokens }) => outputTokens, true],
  ["p50 ms", ({ latency }) => latency?.total.p50 ?? null],
  ["p90 ms", ({ latency }) => latency?.total.p90 ?? null],
  ["p99 ms", ({ latency }) => latency?.total.p99 ?? null],
];

const sumOf = (rows: readonly UsageRow[], of: (row: UsageRow) => number | null): number =>
  rows.reduce((sum, row) => sum + (of(row) ?? 0), 0);

function columnsOf(bucket: Bucket, { by, names }: Grouped): Column<UsageRow>[] {
  const nameOf = ({ group }: UsageRow): string =>
    by === null ? group : spenderName({ by, group }, names);
  return [
    {
      title: "From",
      order: ({ at }) => at,
      show: ({ at }) => <span class="nowrap">{bucketTime(at, bucket)}</span>,
      text: ({ at }) => isoOf(at),
    },
    ...(by === null
      ? []
      : [
          {
            title: groupings[by],
            show: (row: UsageRow) => (
              <Brief text={nameOf(row)} isCode={by === "model" || by === "endpoint"} />
            ),
            text: nameOf,
          },
          // Keys may share a name.
          fileColumn<UsageRow>(`${groupings[by]} id`, ({ group }) => group),
        ]),
    ...numbers.map(([title, of, isSummed]): Column<UsageRow> => ({
      title,
      isNumber: true,
      order: of,
      show: (row) => count(of(row)),
      text: of,
      ...(isSummed === true && { sum: (rows) => count(sumOf(rows, of)) }),
    })),
    {
      title: "USD",
      isNumber: true,
      show: ({ costUsd }) => usdInCents(costUsd),
      text: ({ costUsd }) => costUsd,
      sum: (rows) => usdInCents(sumOf(rows, ({ costUsd }) => costUsd)),
    },
  ];
}

function Switches({ choices, change }: Pick<UsagePartProps, "choices" | "change">) {
  const { range, by, isTable, metric } = choices;
  return (
    <div class="over">
      <Pick
        label="Figure"
        value={metric}
        options={Object.entries(metrics)
          .filter(([name]) => name !== "duration" || ranges[range].bucket !== "month")
          .map(([name, { title }]) => [name, title])}
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
      <Button
        class="quiet"
        aria-pressed={isTable}
        onClick={() => change({ table: isTable ? "" : "yes" })}
      >
        {isTable ? "Show the plot" : "Show the table"}
      </Button>
    </div>
  );
}

const splitTitle = (by: Split): string => `by ${groupings[by]}`.toLowerCase().replace("api ", "");

export function UsagePart({ before, change, ...props }: UsagePartProps) {
  const { rows, isWhole, choices } = props;
  const { range, by, isTable, metric } = choices;
  const { bucket } = ranges[range];
  const isDuration = metric === "duration";
  const series = useMemo(() => {
    const { from, to: until } = rangeAt(range, Date.now());
    if (isDuration) return durationsOf(rows, { bucket, from, until });
    const { at, lines } = seriesOf(rows, { metric, bucket, from, until });
    const nameOf = (group: string): string =>
      isWhole ? "All together" : spenderName({ by, group }, props.names);
    return { at, lines: lines.map((line) => ({ ...line, name: nameOf(line.name) })) };
  }, [rows, props.names, metric, range, by]);
  return (
    <section class="card stack" aria-label="Usage">
      <Tiles {...{ rows, before, range }} />
      {rows.length > 0 && <Switches {...{ choices, change }} />}
      {isWhole && <p class="faint">Too many to list; showing totals.</p>}
      {rows.length === 0 ? (
        <div class="empty">
          <p>No usage in this period.</p>
          <a class="button" href={ownPath("/start")}>
            First steps
          </a>
        </div>
      ) : isTable ? (
        <Table
          name="Usage"
          columns={columnsOf(bucket, { by: isDuration ? null : by, names: props.names })}
          rows={rows}
          keyOf={({ at, group }) => `${at} ${group}`}
          empty=""
        />
      ) : (
        <Plot
          {...{ series, bucket }}
          theme={theme.value}
          format={formats[metric]}
          isStacked={!isDuration}
          label={`${metrics[metric].title}, ${ranges[range].title}; the table has the same numbers`}
        />
      )}
      <p class="faint">
        {bucket === "hour" ? `Hours in ${zone}.` : "Days and months start at midnight UTC."}
      </p>
    </section>
  );
}
