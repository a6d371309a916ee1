/** What is left of limits, on the overview and on the page of all limits. */
import type { ComponentChildren } from "preact";
import { bytes, count, fromNow, none, percentInColumn, time, usdInCents } from "../format.ts";
import { limitTitle, ownerTitle } from "../limit-titles.ts";
import { forecastOf, shareOf, toneOf, type LimitState } from "../overview-figures.ts";
import { ownPath } from "../place.ts";
import { column, type Column } from "./columns.tsx";
import { inSentence } from "./list-page.tsx";
import type { Names } from "./named.tsx";
import { Badge } from "./page.tsx";

/** `highest`: who used most of a limit of each, whose figures are shown */
export type ShownLimit = LimitState & { highest?: string | undefined };

export const keyOfLimit = ({ name, subject }: LimitState): string => `${name} ${subject}`;

const forecast = (state: LimitState): number | null => forecastOf(state, Date.now());

export const amountText = ({ unit }: LimitState, value: number): string =>
  unit === "usd" ? usdInCents(value) : unit === "bytes" ? bytes(value) : count(value);

function Meter({ state }: { state: LimitState }) {
  const { used, reserved, limit } = state;
  const width = (amount: number): string =>
    `${limit === 0 ? 100 : Math.min(100, (amount / limit) * 100)}%`;
  return (
    <span class="track" aria-hidden="true">
      <span class="bar-fill reserved" style={{ width: width(used + reserved) }} />
      <span class={`bar-fill ${toneOf(state, Date.now())}`} style={{ width: width(used) }} />
    </span>
  );
}

type BudgetCellProps = { state: LimitState | undefined; isOfKey: boolean };

/** "62.3% of $5 per day"; keys also have those of their person. */
export function BudgetCell({ state, isOfKey }: BudgetCellProps) {
  if (state === undefined) return <span class="faint">none</span>;
  const { name, used, limit } = state;
  const amount = `${amountText(state, limit)} ${inSentence(limitTitle(name))}`;
  const value = forecast(state);
  const ahead = value === null ? "" : `, forecast: ${amountText(state, value)}`;
  return (
    <span class="meter" title={`${amountText(state, used)} used${ahead}`}>
      <Meter state={state} />
      <small>
        {percentInColumn(shareOf(state))} of {amount.replace(/(?:\.00)? USD/, "")}
        {isOfKey && name.startsWith("user.") && ", person"}
      </small>
    </span>
  );
}

type Amount = "used" | "limit" | "reserved" | "left";
const amountColumn = (title: string, name: Amount): Column<ShownLimit> => ({
  title,
  isNumber: true,
  show: (state) =>
    name === "reserved" && state.reserved === 0 ? none : amountText(state, state[name]),
  text: (state) => state[name],
});

function forecastShown(state: LimitState): ComponentChildren {
  const value = forecast(state);
  if (value === null) return none;
  const shown = amountText(state, value);
  if (value <= state.limit) return shown;
  return <Badge word={`over: ${shown}`} tone={toneOf(state, Date.now())} />;
}

/** To its requests, or its usage. */
function pageOf({ name, subject }: LimitState): string {
  const [scope = ""] = name.split(".");
  const [, id] = /(?:^|:)((?:key|usr|srv)_\w+)$/.exec(subject) ?? [];
  return id === undefined ? `/usage?by=${scope}` : `/requests?${scope}=${id}`;
}

const Owner = ({ state, names }: { state: ShownLimit; names: Names }) => (
  <span title={state.subject}>
    <a href={ownPath(pageOf(state))}>{ownerTitle(state, names)}</a>{" "}
    <small>{limitTitle(state.name)}</small>
    {state.highest !== undefined && <small>, highest: {state.highest}</small>}
    {state.raisedUntil !== undefined && (
      <small title={`Until ${time(state.raisedUntil)}`}>
        , raised, ends {fromNow(state.raisedUntil)}
      </small>
    )}
  </span>
);

export const limitColumns = (names: Names): Column<ShownLimit>[] => [
  column.of(
    "For",
    (state) => `${ownerTitle(state, names)}, ${limitTitle(state.name)}`,
    (state) => <Owner {...{ state, names }} />,
  ),
  amountColumn("Spent", "used"),
  amountColumn("Limit", "limit"),
  {
    title: "Share",
    isNumber: true,
    show: (state) => (
      <span class="meter">
        <Meter state={state} />
        {percentInColumn(shareOf(state))}
      </span>
    ),
    text: shareOf,
  },
  amountColumn("Reserved", "reserved"),
  amountColumn("Left", "left"),
  { title: "Forecast", isNumber: true, show: forecastShown, text: forecast },
  column.time("Resets", ({ resetsAt }) => resetsAt, fromNow),
];
