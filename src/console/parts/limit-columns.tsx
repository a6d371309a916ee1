/** What is left of limits, on the overview and on the page of all limits. */
import { bytes, count, fromNow, none, percentInColumn, time, usdInCents } from "../format.ts";
import { limitTitle, ownerTitle } from "../limit-titles.ts";
import { forecastOf, shareOf, toneOf, type LimitState } from "../overview-figures.ts";
import { ownPath } from "../place.ts";
import { isoOf, type Column } from "./columns.tsx";
import type { Names } from "./named.tsx";
import { Badge } from "./page.tsx";
import { Meter } from "./spend.tsx";

export const keyOfLimit = ({ name, subject }: LimitState): string => `${name} ${subject}`;

const amount = ({ unit }: LimitState, value: number): string =>
  unit === "usd" ? usdInCents(value) : unit === "bytes" ? bytes(value) : count(value);

/** The limits of each person have no usage of their own. */
const hasUsage = ({ subject }: LimitState): boolean => subject !== "";

const amountColumn = (title: string, name: "used" | "reserved" | "left"): Column<LimitState> => ({
  title,
  isNumber: true,
  show: (state) => (hasUsage(state) ? amount(state, state[name]) : ""),
  text: (state) => (hasUsage(state) ? state[name] : null),
});

function forecastShown(state: LimitState) {
  const forecast = forecastOf(state, Date.now());
  if (forecast === null) return hasUsage(state) && none;
  const figure = amount(state, forecast);
  return forecast > state.limit ? (
    <Badge word={`over: ${figure}`} tone={toneOf(state, Date.now())} />
  ) : (
    figure
  );
}

const Owner = ({ state, names }: { state: LimitState; names: Names }) => (
  <span title={state.subject}>
    {hasUsage(state) ? (
      ownerTitle(state, names)
    ) : (
      <a href={`${ownPath("/usage")}?by=${state.name.split(".")[0]}`}>{ownerTitle(state, names)}</a>
    )}{" "}
    <small>{limitTitle(state.name)}</small>
    {state.raisedUntil !== undefined && (
      <small title={`Until ${time(state.raisedUntil)}`}>
        , raised, ends {fromNow(state.raisedUntil)}
      </small>
    )}
  </span>
);

export const limitColumns = (names: Names): Column<LimitState>[] => [
  {
    title: "For",
    show: (state) => <Owner {...{ state, names }} />,
    text: (state) => `${ownerTitle(state, names)}, ${limitTitle(state.name)}`,
  },
  amountColumn("Spent", "used"),
  {
    title: "Limit",
    isNumber: true,
    show: (state) => amount(state, state.limit),
    text: ({ limit }) => limit,
  },
  {
    title: "Share",
    isNumber: true,
    show: (state) =>
      hasUsage(state) && (
        <span class="meter">
          <Meter state={state} />
          {percentInColumn(shareOf(state))}
        </span>
      ),
    text: (state) => (hasUsage(state) ? shareOf(state) : null),
  },
  { ...amountColumn("Reserved", "reserved"), isWide: true },
  amountColumn("Left", "left"),
  {
    title: "Forecast",
    isNumber: true,
    show: forecastShown,
    text: (state) => forecastOf(state, Date.now()),
  },
  {
    title: "Resets",
    order: ({ resetsAt }) => resetsAt,
    show: ({ resetsAt: at, subject }) =>
      at === null ? subject !== "" && none : <span title={time(at)}>{fromNow(at)}</span>,
    text: ({ resetsAt }) => isoOf(resetsAt),
  },
];
