/** What is left of limits, on the overview and on the page of all limits. */
import type { ComponentChildren } from "preact";
import { bytes, count, fromNow, none, percentInColumn, time, usdInCents } from "../format.ts";
import { limitTitle, ownerTitle } from "../limit-titles.ts";
import { forecastOf, shareOf, toneOf, type LimitState } from "../overview-figures.ts";
import { ownPath } from "../place.ts";
import { column, type Column } from "./columns.tsx";
import type { Names } from "./named.tsx";
import { Badge } from "./page.tsx";
import { Meter } from "./spend.tsx";

/** `highest`: who used most of a limit of each, whose figures are shown */
export type ShownLimit = LimitState & { highest?: string | undefined };

export const keyOfLimit = ({ name, subject }: LimitState): string => `${name} ${subject}`;

export const amountText = ({ unit }: LimitState, value: number): string =>
  unit === "usd" ? usdInCents(value) : unit === "bytes" ? bytes(value) : count(value);

/** A limit of each may have no usage yet. */
const hasUsage = ({ subject, highest }: ShownLimit): boolean =>
  subject !== "" || highest !== undefined;

const usageColumn = (
  title: string,
  of: (state: ShownLimit) => number | null,
  show: (state: ShownLimit) => ComponentChildren,
): Column<ShownLimit> => ({
  title,
  isNumber: true,
  show: (state) => hasUsage(state) && show(state),
  text: (state) => (hasUsage(state) ? of(state) : null),
});

const amountColumn = (title: string, name: "used" | "left") =>
  usageColumn(
    title,
    (state) => state[name],
    (state) => amountText(state, state[name]),
  );

const forecast = (state: LimitState): number | null => forecastOf(state, Date.now());

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
  {
    title: "Limit",
    isNumber: true,
    show: (state) => amountText(state, state.limit),
    text: ({ limit }) => limit,
  },
  usageColumn("Share", shareOf, (state) => (
    <span class="meter">
      <Meter state={state} />
      {percentInColumn(shareOf(state))}
    </span>
  )),
  usageColumn(
    "Reserved",
    ({ reserved }) => reserved,
    (state) => (state.reserved === 0 ? none : amountText(state, state.reserved)),
  ),
  amountColumn("Left", "left"),
  usageColumn("Forecast", forecast, forecastShown),
  column.time("Resets", ({ resetsAt }) => resetsAt, fromNow),
];
