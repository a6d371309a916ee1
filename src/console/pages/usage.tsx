import { percent, time } from "../format.ts";
import { useLoaded } from "../load.ts";
import { rangeAt, ranges, type RangeName } from "../overview-figures.ts";
import { There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { useQuery } from "../parts/pages.tsx";
import { Pick } from "../parts/pick.tsx";
import {
  Change,
  groupingNames,
  groupings,
  spendColumns,
  Spent,
  spenderName,
  topUsage,
  type Grouping,
  type Spender,
} from "../parts/spend.tsx";
import { fileColumn } from "../parts/columns.tsx";
import { Table, type Column } from "../parts/table.tsx";

/** The most that one response has. */
const mostRows = 1_000;

function columnsOf({
  by,
  names,
}: {
  by: Grouping;
  names: Readonly<Record<string, string>>;
}): Column<Spender>[] {
  const [spent, requests, ...others] = spendColumns<Spender>((row) => row);
  return [
    {
      title: groupings[by],
      show: (row) => <Spent row={row} name={spenderName(row, names)} />,
      text: (row) => spenderName(row, names),
    },
    fileColumn("Id", ({ group }) => group),
    ...(spent === undefined ? [] : [spent]),
    {
      title: "Share",
      isNumber: true,
      show: ({ share }) => percent(share),
      text: ({ share }) => share,
    },
    {
      title: "Trend",
      isNumber: true,
      order: ({ costUsd, before }) => costUsd - before.costUsd,
      show: ({ costUsd, before }) => <Change now={costUsd} before={before.costUsd} />,
      text: ({ before }) => before.costUsd,
    },
    ...(requests === undefined ? [] : [requests]),
    {
      title: "Failed or refused",
      isNumber: true,
      text: ({ failed, refused }) => failed + refused,
      sum: (rows) => rows.reduce((sum, { failed, refused }) => sum + failed + refused, 0),
    },
    ...(by === "model" ? others.slice(1) : others),
  ];
}

export function UsageBy() {
  const [query, change] = useQuery();
  const by = groupingNames.find((each) => each === query["by"]) ?? "key";
  const asks = query["range"] ?? "month";
  const range = asks in ranges ? (asks as RangeName) : "month";
  const loading = useLoaded(`top usage ${range} ${by}`, () =>
    topUsage({ ...rangeAt(range, Date.now()), by: [by], limit: mostRows }),
  );
  return (
    <Page
      title="Usage"
      lead="Who spent most, with the change against the period before."
      actions={
        <Pick
          label="Time"
          value={range}
          options={Object.entries(ranges).map(([name, { title }]) => [name, title])}
          onPick={(picked) => change({ range: picked })}
        />
      }
    >
      <div class="over">
        <Pick
          label="By"
          value={by}
          options={groupingNames.map((each) => [each, groupings[each]])}
          onPick={(picked) => change({ by: picked })}
        />
      </div>
      <There what="usage" loading={loading}>
        {({ data, names, groups, completeUntil }) => (
          <>
            <Table
              name={`Usage by ${groupings[by]}`}
              columns={columnsOf({ by, names })}
              rows={data}
              keyOf={({ group }) => group}
              empty={
                by === "group" || by === "tag"
                  ? `No calls with a ${by} in this period.`
                  : "No usage in this period."
              }
            />
            {(groups[by] ?? 0) > data.length && (
              <p class="faint">
                The first {data.length} of {groups[by]}.
              </p>
            )}
            {(by === "group" || by === "tag") && (
              <p class="faint">Complete until {time(completeUntil)}.</p>
            )}
          </>
        )}
      </There>
    </Page>
  );
}
