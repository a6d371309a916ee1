import { useState } from "preact/hooks";
import { roomLevel } from "../../domain/limits/room.ts";
import { bytes, count, fromNow, percent, time, usd, usdInCents } from "../format.ts";
import { forecastOf, windowOf, type LimitState } from "../overview-figures.ts";
import { limitTitle } from "../limit-titles.ts";
import { Named, type Names } from "../parts/named.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { isoOf } from "../parts/time.tsx";
import { tenantPath } from "../place.ts";

const amount = ({ unit }: LimitState, value: number): string =>
  unit === "usd" ? usd(value) : count(value);

const width = (value: number, limit: number): string =>
  `${limit === 0 ? 100 : Math.min(100, (value / limit) * 100)}%`;

const isHigh = ({ used, reserved, limit }: LimitState): boolean => used + reserved >= 0.9 * limit;

const isMarked = (forecast: number, limit: number): boolean => forecast > 0 && forecast < limit;

function Bar({ state, forecast }: { state: LimitState; forecast: number | null }) {
  const { used, reserved, limit } = state;
  return (
    <div class="track" aria-hidden="true">
      <span class="bar-fill reserved" style={{ width: width(used + reserved, limit) }} />
      <span
        class={`bar-fill ${isHigh(state) ? "high" : ""}`}
        style={{ width: width(used, limit) }}
      />
      {forecast !== null && isMarked(forecast, limit) && (
        <span class="bar-mark" style={{ left: width(forecast, limit) }} />
      )}
    </div>
  );
}

interface BudgetProps {
  state: LimitState;
  names: Names;
  now: number;
}

function pace(forecast: number | null, limit: number): string {
  if (forecast === null) return "Too early for a forecast. ";
  return forecast > limit
    ? `Forecast: ${usdInCents(forecast)}, over the budget. `
    : `Forecast: ${usdInCents(forecast)}${isMarked(forecast, limit) ? " (the mark on the bar)" : ""}. `;
}

function Budget({ state, names, now }: BudgetProps) {
  const { used, reserved, limit, left } = state;
  const forecast = forecastOf(state, now);
  const until = windowOf(state)?.until ?? null;
  return (
    <div class="budget">
      <div class="budget-head">
        <strong>{limitTitle(state.name, state.subject, names[state.subject])}</strong>
        <span>
          {usdInCents(used)} of {usdInCents(limit)} ({percent(limit === 0 ? 1 : used / limit)}),{" "}
          <strong>{usdInCents(left)} left</strong>
        </span>
      </div>
      <Bar state={state} forecast={forecast} />
      <p class="faint">
        {reserved > 0 && `${usdInCents(reserved)} is reserved by running and pending calls. `}
        {until !== null && <span title={time(until)}>Resets {fromNow(until, now)}. </span>}
        {until !== null && pace(forecast, limit)}
        {state.raisedUntil !== undefined && ` Raised until ${time(state.raisedUntil)}.`}
      </p>
    </div>
  );
}

function Storage({ tenant, state }: { tenant: string; state: LimitState }) {
  const level = roomLevel({ usedBytes: state.used, limitBytes: state.limit });
  return (
    <div class="budget">
      <div class="budget-head">
        <strong>Storage</strong>
        <span>
          {bytes(state.used)} of {bytes(state.limit)} ({percent(state.used / state.limit)}),{" "}
          <strong>{bytes(state.left)} left</strong>
        </span>
      </div>
      <Bar state={state} forecast={null} />
      {(level === "tight" || level === "full") && (
        <p>
          {level === "full"
            ? "New calls are refused until there is room. "
            : "Data in the policy’s earlyDeletion is deleted early. "}
          <a href={tenantPath(tenant, "/policy")}>Keep records for a shorter time</a>
        </p>
      )}
    </div>
  );
}

const columnsOf = (names: Names): Column<LimitState>[] => [
  { title: "Limit", show: ({ name }) => limitTitle(name), text: ({ name }) => name },
  {
    title: "Of",
    show: ({ subject }) => <Named id={subject} names={names} />,
    text: ({ subject }) => subject,
  },
  {
    title: "Used",
    isNumber: true,
    show: (state) => amount(state, state.used),
    text: ({ used }) => used,
  },
  {
    title: "Reserved",
    isNumber: true,
    show: (state) => amount(state, state.reserved),
    text: ({ reserved }) => reserved,
  },
  {
    title: "Left",
    isNumber: true,
    show: (state) => amount(state, state.left),
    text: ({ left }) => left,
  },
  {
    title: "Limit is",
    isNumber: true,
    show: (state) => (
      <>
        {amount(state, state.limit)}
        {state.raisedUntil !== undefined && (
          <span class="faint"> (raised, until {time(state.raisedUntil)})</span>
        )}
      </>
    ),
    text: ({ limit }) => limit,
  },
  {
    title: "Frees",
    show: ({ freesAt }) => (freesAt === null ? "–" : fromNow(freesAt)),
    text: ({ freesAt }) => isoOf(freesAt),
  },
];

interface BudgetsProps {
  tenant: string;
  states: readonly LimitState[];
  names: Names;
  hasMore: boolean;
}

function OtherLimits({ others, names }: { names: Names; others: readonly LimitState[] }) {
  return (
    <Table
      name="Limits"
      columns={columnsOf(names)}
      rows={others}
      keyOf={({ name, subject }) => `${name} ${subject}`}
      empty=""
    />
  );
}

const isTenants = ({ name }: LimitState): boolean => /^(tenant|ceiling)\./.test(name);

const maxBars = 5;

function budgetsIn(states: readonly LimitState[]): LimitState[] {
  const budgets = states.filter(({ unit }) => unit === "usd");
  const fullness = ({ used, limit }: LimitState): number => (limit === 0 ? 1 : used / limit);
  const others = budgets
    .filter((state) => !isTenants(state))
    .toSorted((one, other) => fullness(other) - fullness(one));
  return [...budgets.filter(isTenants), ...others.slice(0, maxBars)];
}

export function Budgets({ tenant, states, names, hasMore }: BudgetsProps) {
  const now = Date.now();
  const [isOpen, setOpen] = useState(false);
  const budgets = budgetsIn(states);
  const storage = states.filter(({ unit }) => unit === "bytes");
  const others = states.filter((state) => !budgets.includes(state) && !storage.includes(state));
  return (
    <section class="card stack">
      <h2>Budgets</h2>
      {!budgets.some(isTenants) && (
        <p>
          No budget. This tenant’s spending is unlimited.{" "}
          <a href={tenantPath(tenant, "/policy")}>Set one in the policy</a>
        </p>
      )}
      {budgets.map((state) => (
        <Budget key={`${state.name} ${state.subject}`} {...{ state, names, now }} />
      ))}
      {storage.map((state) => (
        <Storage key={state.name} tenant={tenant} state={state} />
      ))}
      {others.length > 0 && (
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>
            {others.length === 1 ? "One more limit" : `${others.length} more limits`}
          </summary>
          {isOpen && <OtherLimits {...{ others, names }} />}
        </details>
      )}
      {hasMore && (
        <p class="faint">
          This page doesn’t load all limits of keys and servers, so a fuller one may be missing.{" "}
          <a href={tenantPath(tenant, "/alerts")}>Alerts</a> list every budget that is nearly used
          up.
        </p>
      )}
    </section>
  );
}
