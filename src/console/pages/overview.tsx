import { Card } from "../parts/card.tsx";
import { useMemo } from "preact/hooks";
import { api, type Schemas } from "../api.ts";
import { percent, usdInCents } from "../format.ts";
import { useLoaded, useRepeated } from "../load.ts";
import {
  metrics,
  rangeAt,
  ranges,
  shareOf,
  type MetricName,
  type RangeName,
  type UsageRow,
} from "../overview-figures.ts";
import { Budgets } from "../parts/budgets.tsx";
import { There } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { useQuery } from "../parts/pages.tsx";
import { Pick } from "../parts/pick.tsx";
import {
  Change,
  groupingNames,
  groupings,
  Spent,
  spenderName,
  topUsage,
  type Grouping,
} from "../parts/spend.tsx";
import { ownPath } from "../place.ts";
import type { Asked } from "../problem.ts";
import { splits, UsagePart, type Split } from "./usage-part.tsx";

const refreshMs = 30_000;
const shownOfEach = 5;

interface Usage {
  data: UsageRow[];
  names?: Record<string, string>;
  /** sums over all, since there are too many rows */
  isWhole?: true;
}

async function usageOf({
  range,
  by,
}: {
  range: RangeName;
  by: Split | "all";
}): Promise<Asked<Usage>> {
  const usageBy = (group: Split | "all") =>
    api.GET("/admin/v1/tenants/{tenant}/usage", {
      ...rangeAt(range, Date.now()),
      bucket: ranges[range].bucket,
      by: group,
    });
  const found = await usageBy(by);
  if (!found.ok || found.value.nextCursor === null || by === "all") return found;
  const whole = await usageBy("all");
  return whole.ok ? { ...whole, value: { ...whole.value, isWhole: true } } : whole;
}

type Top = Extract<Awaited<ReturnType<typeof topUsage>>, { ok: true }>["value"];

function TopList({ top, by, range }: { top: Top; by: Grouping; range: string }) {
  const rows = top.data.filter((row) => row.by === by);
  if (rows.length === 0) return null;
  const title = `By ${groupings[by]}`.replace(/ [A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
  return (
    <section class="top-list" aria-label={title}>
      <div class="over">
        <h3>{title}</h3>
        <a href={`${ownPath("/usage")}?by=${by}&range=${range}`}>
          All {top.groups[by]}
          <span class="unseen"> {title.toLowerCase()}</span>
        </a>
      </div>
      <ol class="plain">
        {rows.map((row) => (
          <li key={row.group}>
            <span class="top-share" style={{ width: `${row.share * 100}%` }} aria-hidden="true" />
            <Spent row={row} name={spenderName(row, top.names)} />
            <span class="nowrap" title={percent(row.share)}>
              <Change now={row.costUsd} before={row.before.costUsd} />{" "}
              <strong>{usdInCents(row.costUsd)}</strong>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface ChoicesOf {
  range: RangeName;
  by: Split;
  metric: MetricName;
  isTable: boolean;
}

function choicesIn(query: Readonly<Record<string, string>>): ChoicesOf {
  const { range = "", metric = "", by, table } = query;
  const known = range in ranges ? (range as RangeName) : "30d";
  const figure = metric in metrics ? (metric as MetricName) : "costUsd";
  return {
    range: known,
    by: splits.find((each) => each === by) ?? "model",
    metric: figure === "duration" && ranges[known].bucket === "month" ? "costUsd" : figure,
    isTable: table === "yes",
  };
}

export function Overview() {
  const [query, change] = useQuery();
  const choices = useMemo(() => choicesIn(query), [JSON.stringify(query)]);
  const { range, by, metric } = choices;
  const asks = metric === "duration" ? "all" : by;
  const usage = useLoaded(`usage ${range} ${asks}`, () => usageOf({ range, by: asks }));
  const top = useLoaded(`top usage ${range}`, () =>
    topUsage({ ...rangeAt(range, Date.now()), by: groupingNames, limit: shownOfEach }),
  );
  useRepeated(refreshMs, usage.again);
  useRepeated(refreshMs, top.again);
  const before = top.loaded.state === "there" ? top.loaded.value.total.before : null;
  return (
    <Page
      title="Overview"
      actions={
        <Pick
          label="Time"
          value={range}
          options={Object.entries(ranges).map(([name, { title }]) => [name, title])}
          onPick={(picked) => change({ range: picked })}
        />
      }
    >
      <div class="stack">
        <There what="usage" loading={usage}>
          {({ data, names = {}, isWhole = false }) => (
            <UsagePart {...{ rows: data, names, isWhole, choices, before, change }} />
          )}
        </There>
        <There what="budgets and who spent most" loading={top}>
          {(found) => (
            <>
              <Budgets states={budgetsIn(found)} names={found.names} />
              {found.data.length > 0 && (
                <Card title="Who spent most">
                  <div class="top-lists">
                    {groupingNames.map((each) => (
                      <TopList key={each} {...{ top: found, by: each, range }} />
                    ))}
                  </div>
                </Card>
              )}
            </>
          )}
        </There>
      </div>
    </Page>
  );
}

const mostOthers = 4;

/** The tenant's, and the fullest of those who spent most. */
function budgetsIn({ budgets, data }: Top): Schemas["LimitState"][] {
  const others = data
    .flatMap(({ budget }) => budget ?? [])
    .toSorted((one, other) => shareOf(other) - shareOf(one));
  return [...budgets, ...others.slice(0, mostOthers)];
}
