import { counted } from "../../domain/counted.ts";
import { percent, usdInCents } from "../format.ts";
import { useLoaded, useRepeated, valueIn } from "../load.ts";
import {
  byFullness,
  isOwn,
  rangeAt,
  rangeIn,
  shareOf,
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
  const others = data
    .flatMap(({ budget }) => (budget && (budget.used > 0 || budget.left <= 0) ? budget : []))
    .toSorted(byFullness);
  const shown = others.filter(({ left }, at) => left <= 0 || at < mostOthers);
  return [...budgets, ...shown].toSorted(byFullness);
}

/** Links to the causes; nothing if all is well. */
function Attention({ top }: { top: Top | undefined }) {
  const { attention, waitingApprovals } = tenantNow.value ?? {};
  const budgets = top ? budgetsIn(top) : [];
  const usedUp = budgets.filter(({ left }) => left <= 0).length;
  const almost = budgets.filter((state) => shareOf(state) >= 0.9).length - usedUp;
  const causes: [count: number | undefined, cause: string, path: string][] = [
    [usedUp, "used-up budget", "/limits"],
    [almost, "almost used-up budget", "/limits"],
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
