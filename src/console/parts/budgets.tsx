/** Budgets as compact rows, colored by forecast. */
import { fromNow, percent, time, usdInCents } from "../format.ts";
import { limitTitle } from "../limit-titles.ts";
import { forecastOf, shareOf, toneOf, windowOf, type LimitState } from "../overview-figures.ts";
import { ownPath } from "../place.ts";
import type { Names } from "./named.tsx";
import { Badge } from "./notice.tsx";
import { Meter } from "./spend.tsx";

/** Names of people and keys by the subjects of limits. */
const nameOf = (subject: string, names: Names): string | undefined =>
  names[subject] ?? names[subject.replace(/^user:/, "")];

function Budget({ state, names, now }: { state: LimitState; names: Names; now: number }) {
  const { used, reserved, limit, left, raisedUntil } = state;
  const forecast = forecastOf(state, now);
  const until = windowOf(state)?.until ?? null;
  const tone = toneOf(state, now);
  return (
    <li>
      <span class="budget-name">
        {limitTitle(state.name, state.subject, nameOf(state.subject, names))}
        {raisedUntil !== undefined && (
          <small title={`Raised until ${time(raisedUntil)}`}>
            {" "}
            raised, ends {fromNow(raisedUntil, now)}
          </small>
        )}
      </span>
      <span class="budget-bar">
        <Meter state={state} />
      </span>
      <span>
        {usdInCents(used)} of {usdInCents(limit)} <small>{percent(shareOf(state))}</small>
        {reserved >= 0.01 && <small>, {usdInCents(reserved)} reserved</small>}
      </span>
      <span>
        <strong>{usdInCents(left)} left</strong>
        {until !== null && <small title={time(until)}> Resets {fromNow(until, now)}.</small>}
      </span>
      <span>
        {until === null ? null : forecast === null ? (
          <small>Too early for a forecast</small>
        ) : (
          <Badge
            word={`${forecast > limit ? "over: " : ""}forecast ${usdInCents(forecast)}`}
            tone={tone === "good" ? "" : tone}
          />
        )}
      </span>
    </li>
  );
}

interface BudgetsProps {
  states: readonly LimitState[];
  names: Names;
}

export function Budgets({ states, names }: BudgetsProps) {
  const now = Date.now();
  const hasOwn = states.some(({ name }) => /^(tenant|ceiling)\./.test(name));
  return (
    <section class="card" aria-label="Budgets">
      <div class="over">
        <h2>Budgets</h2>
        <a href={ownPath("/limits")}>All limits</a>
      </div>
      {!hasOwn && (
        <p>
          No budget. This tenant’s spending is unlimited.{" "}
          <a href={ownPath("/policy")}>Set a budget</a>
        </p>
      )}
      <ul class="budgets plain">
        {states.map((state) => (
          <Budget key={`${state.name} ${state.subject}`} {...{ state, names, now }} />
        ))}
      </ul>
    </section>
  );
}
