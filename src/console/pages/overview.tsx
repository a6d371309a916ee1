import { counted } from "../../domain/counted.ts";
import { percent, usdInCents } from "../format.ts";
import { useLoaded, useRepeated, valueIn } from "../load.ts";
import {
  byFullness,
  isOwn,
  rangeAt,
  rangeIn,
  toneOf,
  type LimitState,
} from "../overview-figures.ts";
import { keyOfLimit, limitColumns } from "../parts/limit-columns.tsx";
import { inSentence, useQuery } from "../parts/list-page.tsx";
import { Card, Page, There } from "../parts/page.tsx";
import {
  Change,
  groupingNames,
  groupings,
  RangeChoice,
  Spent,
  topUsage,
  type Grouping,
  type Top,
} from "../parts/spend.tsx";
import { tenantNow } from "../parts/stopped.tsx";
import { Table } from "../parts/table.tsx";
import { ownPath } from "../place.ts";
import { refreshMs, UsagePart } from "./usage-part.tsx";

const shownOfEach = 5;
/** Their budgets are shown. */
const readOfEach = 200;
const mostOthers = 4;

function TopList({ top, by, range }: { top: Top; by: Grouping; range: string }) {
  const rows = top.data.filter((row) => row.by === by).slice(0, shownOfEach);
  if (rows.length === 0) return null;
  const title = `By ${inSentence(groupings[by])}`;
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
            <Spent row={row} names={top.names} from={top.from} />
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

/** The tenant's, all that are exceeded, and the fullest others that are in use. */
function budgetsIn({ budgets, data }: Top): LimitState[] {
  const own = data.flatMap(({ budget }) => budget ?? []);
  // A person's is also the budget of keys.
  const others = [...new Map(own.map((each) => [keyOfLimit(each), each])).values()]
    .filter(({ used, left }) => used > 0 || left <= 0)
    .toSorted(byFullness);
  const shown = others.filter(({ left }, at) => left <= 0 || at < mostOthers);
  return [...budgets, ...shown].toSorted(byFullness);
}

function Attention({ top }: { top: Top | undefined }) {
  const { attention, waitingApprovals } = tenantNow.value ?? {};
  const budgets = top ? budgetsIn(top) : [];
  const { bad = [], warn = [] } = Object.groupBy(budgets, (state) => toneOf(state, Date.now()));
  const warnings = "/limits?show=warnings";
  const causes: [count: number | undefined, cause: string, path: string][] = [
    [bad.length, "used-up budget", warnings],
    [warn.length, "budget warning", warnings],
    [attention?.failingCredentials, "rejected credential", "/credentials"],
    [attention?.failingServers, "failing server", "/servers"],
    [waitingApprovals, "pending approval", "/approvals"],
    [attention?.recentAlerts, "recent alert", "/alerts"],
  ];
  const there = causes.filter(([count = 0]) => count > 0);
  if (there.length === 0) return null;
  return (
    <aside class="notice warn" aria-label="Needs attention">
      <strong>Needs attention:</strong>
      {there.map(([count = 0, cause, path], at) => (
        <>
          {at === 0 ? " " : ", "}
          <a class="nowrap" href={ownPath(path)} children={counted(count, cause)} />
        </>
      ))}
    </aside>
  );
}

const Budgets = ({ top }: { top: Top }) => (
  <section class="card" aria-label="Budgets">
    <div class="over">
      <h2>Budgets</h2>
      <a href={ownPath("/limits")}>All limits</a>
    </div>
    {!top.budgets.some(isOwn) && (
      <p>
        No budget. This tenant’s spending is unlimited.{" "}
        <a href={`${ownPath("/limits")}?new=yes`}>Set a budget</a>
      </p>
    )}
    {budgetsIn(top).length > 0 && (
      <Table
        name="Budgets and what is left"
        columns={limitColumns(top.names)}
        rows={budgetsIn(top)}
        keyOf={keyOfLimit}
        empty=""
      />
    )}
  </section>
);

export function Overview() {
  const [query] = useQuery();
  const range = rangeIn(query);
  const top = useLoaded(`top usage ${range}`, () =>
    topUsage({ by: groupingNames, ...rangeAt(range, Date.now()), limit: readOfEach }),
  );
  useRepeated(refreshMs, top.again);
  return (
    <Page title="Overview" actions={<RangeChoice range={range} />}>
      <div class="stack">
        <Attention top={valueIn(top)} />
        <UsagePart range={range} spending={valueIn(top)} />
        <There what="budgets and who spent most" loading={top}>
          {(found) => (
            <>
              <Budgets top={found} />
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
