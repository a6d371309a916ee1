import { useMemo } from "preact/hooks";
import { bucketTime, compact, count, percent, usd } from "../format.ts";
import { zone } from "../locale.ts";
import {
  durationsOf,
  metrics,
  ranges,
  seriesOf,
  totalsOf,
  type MetricName,
  type RangeName,
  type UsageRow,
} from "../overview-figures.ts";
import { Brief } from "../parts/brief.tsx";
import { Plot } from "../parts/plot.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { isoOf } from "../parts/time.tsx";
import { tenantPath } from "../place.ts";
import { theme } from "../theme.ts";

export type Split = "model" | "server" | "key" | "user" | "endpoint";
const splitTitles: Readonly<Record<Split, string>> = {
  model: "by model",
  server: "by server",
  key: "by key",
  user: "by person",
  endpoint: "by endpoint",
};

const groupTitles: Readonly<Record<Split, string>> = {
  model: "Model",
  server: "Server",
  key: "Key",
  user: "Person",
  endpoint: "Endpoint",
};

interface Choices {
  range: RangeName;
  by: Split;
  metric: MetricName;
  isTable: boolean;
}

interface UsagePartProps {
  tenant: string;
  rows: readonly UsageRow[];
  names: Readonly<Record<string, string>>;
  /** sums over all, since there are too many groups */
  isWhole: boolean;
  choices: Choices;
  change: (changes: Record<string, string>) => void;
}

interface PickProps {
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onPick: (value: string) => void;
}

function Pick({ label, value, options, onPick }: PickProps) {
  return (
    <span class="choices" role="group" aria-label={label}>
      {options.map(([each, title]) => (
        <button
          key={each}
          type="button"
          class="quiet"
          aria-pressed={each === value}
          onClick={() => onPick(each)}
        >
          {title}
        </button>
      ))}
    </span>
  );
}

function Tiles({ rows }: { rows: readonly UsageRow[] }) {
  const { requests, succeeded, errors, tokens, costUsd } = totalsOf(rows);
  const share = (value: number): string => (requests === 0 ? "–" : percent(value / requests));
  return (
    <dl class="tiles">
      <div class="tile">
        <dt>Requests</dt>
        <dd>{count(requests)}</dd>
      </div>
      <div class="tile">
        <dt>Succeeded</dt>
        <dd>{share(succeeded)}</dd>
      </div>
      <div class="tile">
        <dt>Failed or refused</dt>
        <dd>
          {count(errors)} <small>{share(errors)}</small>
        </dd>
      </div>
      <div class="tile">
        <dt>Tokens</dt>
        <dd title={count(tokens)}>{compact(tokens)}</dd>
      </div>
      <div class="tile">
        <dt>Spent</dt>
        <dd>{usd(costUsd)}</dd>
      </div>
    </dl>
  );
}

interface Grouped {
  by: Split | null;
  names: UsagePartProps["names"];
}

/** Others are ids, which have names. */
const isName = (by: Split): boolean => by === "model" || by === "endpoint";

const columnsOf = (bucket: "hour" | "day", { by, names }: Grouped): Column<UsageRow>[] => [
  {
    title: "From",
    show: ({ at }) => <span class="nowrap">{bucketTime(at, bucket)}</span>,
    text: ({ at }) => isoOf(at),
  },
  ...(by === null
    ? []
    : [
        {
          title: groupTitles[by],
          show: ({ group }: UsageRow) => (
            <Brief text={(names[group] ?? group) || "none"} isCode={isName(by)} />
          ),
          text: ({ group }: UsageRow) => names[group] ?? group,
        },
        // Keys may share a name.
        ...(isName(by)
          ? []
          : [
              {
                title: `${groupTitles[by]} id`,
                isFileOnly: true as const,
                show: () => null,
                text: ({ group }: UsageRow) => group,
              },
            ]),
      ]),
  ...(
    [
      ["Requests", ({ requests }: UsageRow) => requests],
      ["Succeeded", ({ succeeded }: UsageRow) => succeeded],
      ["Failed", ({ failed }: UsageRow) => failed],
      ["Refused", ({ refused }: UsageRow) => refused],
      ["Tokens in", ({ inputTokens }: UsageRow) => inputTokens],
      ["Tokens out", ({ outputTokens }: UsageRow) => outputTokens],
      ["p50 ms", ({ latency }: UsageRow) => latency?.total.p50 ?? null],
      ["p90 ms", ({ latency }: UsageRow) => latency?.total.p90 ?? null],
      ["p99 ms", ({ latency }: UsageRow) => latency?.total.p99 ?? null],
    ] as const
  ).map(([title, of]) => ({
    title,
    isNumber: true as const,
    show: (row: UsageRow) => count(of(row)),
    text: of,
  })),
  {
    title: "USD",
    isNumber: true,
    show: ({ costUsd }) => usd(costUsd),
    text: ({ costUsd }) => costUsd,
  },
];

interface SwitchesProps {
  metric: MetricName;
  by: Split;
  isTable: boolean;
  change: UsagePartProps["change"];
}

function Switches({ metric, by, isTable, change }: SwitchesProps) {
  return (
    <div class="over">
      <Pick
        label="Figure"
        value={metric}
        options={Object.entries(metrics).map(([name, { title }]) => [name, title])}
        onPick={(picked) => change({ metric: picked })}
      />
      {metric !== "duration" && (
        <Pick
          label="Split"
          value={by}
          options={Object.entries(splitTitles)}
          onPick={(picked) => change({ by: picked })}
        />
      )}
      <button
        type="button"
        class="quiet"
        aria-pressed={isTable}
        onClick={() => change({ table: isTable ? "" : "yes" })}
      >
        {isTable ? "Show the plot" : "Show the table"}
      </button>
    </div>
  );
}

const bucketMs = { hour: 3_600_000, day: 86_400_000 };

const allTogether: UsagePartProps["names"] = { "": "all together" };

export function UsagePart(props: UsagePartProps) {
  const { tenant, rows, isWhole, choices, change } = props;
  const { range, by, isTable } = choices;
  const names = isWhole ? allTogether : props.names;
  const metric = choices.metric in metrics ? choices.metric : "requests";
  const { bucket } = ranges[range];
  const series = useMemo(() => {
    const until = Date.now();
    const from = until - ranges[range].ms;
    const options = { bucketMs: bucketMs[bucket], from, until };
    if (metric === "duration") return durationsOf(rows, options);
    const { at, lines } = seriesOf(rows, { metric, ...options });
    return { at, lines: lines.map((line) => ({ ...line, name: names[line.name] ?? line.name })) };
  }, [rows, names, metric, range, bucket]);
  return (
    <section class="card stack" aria-label="Usage">
      <div class="over">
        <h2>Usage</h2>
        <Pick
          label="Time"
          value={range}
          options={Object.entries(ranges).map(([name, { title }]) => [name, title])}
          onPick={(picked) => change({ range: picked })}
        />
      </div>
      <Tiles rows={rows} />
      <Switches {...{ metric, by, isTable, change }} />
      {isWhole && <p class="faint">Too many to list {splitTitles[by]}; showing totals.</p>}
      {rows.length === 0 ? (
        <div class="empty">
          No usage in this period. <a href={tenantPath(tenant, "/start")}>First steps</a>
        </div>
      ) : isTable ? (
        <Table
          name="Usage"
          columns={columnsOf(bucket, { by: metric === "duration" ? null : by, names })}
          rows={rows}
          keyOf={({ at, group }) => `${at} ${group}`}
          empty=""
        />
      ) : (
        <Plot
          series={series}
          bucket={bucket}
          theme={theme.value}
          label={`${metrics[metric].title} over ${ranges[range].title}; the table has the same numbers`}
        />
      )}
      <p class="faint">
        {bucket === "day" ? "Days start at midnight UTC." : `Hours are in your time zone, ${zone}.`}
      </p>
    </section>
  );
}
