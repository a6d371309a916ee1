import { percentInColumn, time } from "../format.ts";
import { useLoaded } from "../load.ts";
import { errorsOf, rangeAt, rangeIn } from "../overview-figures.ts";
import { column, type Column } from "../parts/columns.tsx";
import { Choice, useQuery } from "../parts/list-page.tsx";
import { Page, There } from "../parts/page.tsx";
import {
  Change,
  groupingNames,
  groupings,
  RangeChoice,
  spendColumns,
  spenderName,
  Spent,
  topUsage,
  type Grouping,
  type Spender,
  type Top,
} from "../parts/spend.tsx";
import { Table } from "../parts/table.tsx";

/** The most that one response has. */
const mostRows = 1_000;

const shareColumn: Column<Spender> = {
  ...column.number("Share", ({ share }) => share),
  show: ({ share }) => (
    <span class="meter">
      <span class="track" aria-hidden="true">
        <span class="bar-fill" style={{ width: `${share * 100}%` }} />
      </span>
      {percentInColumn(share)}
    </span>
  ),
};

const trendColumn: Column<Spender> = {
  ...column.number("Trend", ({ before }) => before.costUsd || null),
  order: ({ costUsd, before }) => costUsd - before.costUsd,
  show: ({ costUsd, before }) => <Change now={costUsd} before={before.costUsd} />,
};

function columnsOf(by: Grouping, { names, from }: Top): Column<Spender>[] {
  const [spent, { isWide: _, ...requests }, ...rest] = spendColumns<Spender>((row) => row);
  return [
    column.of(
      groupings[by],
      (row) => spenderName(row, names),
      (row) => <span class="brief" children={<Spent {...{ row, names, from }} />} />,
    ),
    column.file("Id", ({ group }) => group),
    spent,
    shareColumn,
    trendColumn,
    requests,
    { ...column.sum("Tokens", (row) => row.inputTokens + row.outputTokens), isWide: true },
    {
      ...column.sum("Failed or refused", errorsOf),
      show: (row) => <Spent {...{ row, names, from }} errors={errorsOf(row)} />,
    },
    ...rest,
  ];
}

export function UsageBy() {
  const [query] = useQuery();
  const by = groupingNames.find((each) => each === query["by"]) ?? "key";
  const range = rangeIn(query);
  const loading = useLoaded(`top usage ${range} ${by}`, () =>
    topUsage({ by: [by], ...rangeAt(range, Date.now()), limit: mostRows }),
  );
  const what = by === "group" || by === "tag" ? `calls with a ${by}` : "usage";
  const isLater = by === "group" || by === "tag" || by === "endpoint";
  return (
    <Page title="Usage" lead="Who spent most." actions={<RangeChoice range={range} />}>
      <div class="over">
        <Choice name="by" label="By" value={by} options={Object.entries(groupings)} />
      </div>
      <There what="usage" loading={loading}>
        {(top) => (
          <>
            <Table
              name={`Usage by ${groupings[by]}`}
              columns={columnsOf(by, top)}
              rows={top.data}
              keyOf={({ group }) => group}
              empty={`No ${what} in this period.`}
            />
            <p class="faint">
              {(top.groups[by] ?? 0) > mostRows && `The first ${mostRows} of ${top.groups[by]}. `}
              {top.total.before.costUsd > 0 &&
                "Trend: against the period of the same length before. "}
              {isLater && `Complete until ${time(top.completeUntil)}.`}
            </p>
          </>
        )}
      </There>
    </Page>
  );
}
