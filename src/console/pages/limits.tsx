import { roomLevel } from "../../domain/limits/room.ts";
import { useRead } from "../load.ts";
import { bytes, count, fromNow, percent, usdInCents } from "../format.ts";
import { limitTitle } from "../limit-titles.ts";
import { forecastOf, shareOf, type LimitState } from "../overview-figures.ts";
import { limitText } from "../parts/limits.tsx";
import { Listed } from "../parts/listed.tsx";
import { Named, type Names } from "../parts/named.tsx";
import { Page } from "../parts/page.tsx";
import { usePaging } from "../parts/pages.tsx";
import { Meter } from "../parts/spend.tsx";
import type { Column } from "../parts/table.tsx";
import { isoOf } from "../parts/time.tsx";
import { ownPath } from "../place.ts";

const amount = ({ unit }: LimitState, value: number): string =>
  unit === "usd" ? usdInCents(value) : unit === "bytes" ? bytes(value) : count(value);

const columnsOf = (names: Names): Column<LimitState>[] => [
  {
    title: "Limit",
    order: ({ name }) => limitTitle(name),
    show: (state) => (
      <>
        {state.unit === "bytes" ? "Storage" : limitTitle(state.name).split(",")[0]}
        {state.unit === "bytes" &&
          ["tight", "full"].includes(
            roomLevel({ usedBytes: state.used, limitBytes: state.limit }),
          ) && (
            <>
              {" "}
              <a href={ownPath("/policy")}>Keep records for a shorter time</a>
            </>
          )}
      </>
    ),
    text: ({ name }) => name,
  },
  {
    title: "Of",
    order: ({ subject }) => names[subject] ?? subject,
    show: ({ subject }) => <Named id={subject} names={names} />,
    text: ({ subject }) => subject,
  },
  {
    title: "Used",
    isNumber: true,
    order: shareOf,
    show: (state) => (
      <span class="meter">
        <Meter state={state} />
        <small>{percent(shareOf(state))}</small>
      </span>
    ),
    text: ({ used }) => used,
  },
  ...(["used", "reserved", "left", "limit"] as const).map((name): Column<LimitState> => ({
    title: { used: "Amount", reserved: "Reserved", left: "Left", limit: "Limit is" }[name],
    isNumber: true,
    show: (state) => amount(state, state[name]),
    text: (state) => state[name],
  })),
  {
    title: "Forecast",
    isNumber: true,
    show(state) {
      const forecast = forecastOf(state, Date.now());
      return forecast === null ? "–" : usdInCents(forecast);
    },
  },
  {
    title: "Resets",
    order: ({ resetsAt }) => resetsAt,
    show: ({ resetsAt: at }) => <span class="nowrap">{at === null ? "–" : fromNow(at)}</span>,
    text: ({ resetsAt }) => isoOf(resetsAt),
  },
];

/** The API lists people, groups, and tags only from their first call. */
function Each() {
  const { loaded } = useRead("/admin/v1/tenants/{tenant}/policy");
  const { perUser, groups, tags } = loaded.state === "there" ? loaded.value : {};
  return (
    <>
      {Object.entries({ person: perUser, group: groups?.each, tag: tags?.each }).map(
        ([of, limits]) =>
          limits !== undefined && (
            <p key={of}>
              <strong>Each {of}:</strong> {limitText(limits)}
            </p>
          ),
      )}
      <p class="faint">
        A person, group, or tag is listed after its first call under a limit. Its usage counts from
        the time when the policy first has the limit.
      </p>
    </>
  );
}

export function Limits() {
  const paging = usePaging("/admin/v1/tenants/{tenant}/limits");
  const { loaded } = paging.loading;
  const names = loaded.state === "there" ? loaded.value.names : {};
  return (
    <Page
      title="Limits"
      lead="Every limit with what is used, reserved, and left."
      actions={
        <a class="button" href={ownPath("/policy")}>
          Edit in Policy
        </a>
      }
    >
      <Each />
      <Listed
        what="limits"
        paging={paging}
        name="Limits"
        columns={columnsOf(names)}
        keyOf={({ name, subject }) => `${name} ${subject}`}
        empty={
          <>
            No limits. <a href={ownPath("/policy")}>Set one in the policy</a>
          </>
        }
      />
    </Page>
  );
}
