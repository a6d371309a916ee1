import type { Asked } from "../../domain/audit/record.ts";
import type { Candidate, Decision } from "../../domain/choice/decision.ts";
import type { ExclusionReason } from "../../domain/requirements.ts";
import { count, none, percent, usdOfCall } from "../format.ts";
import { column, type Column } from "../parts/columns.tsx";
import { Badge, Facts } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { ownPath } from "../place.ts";
import { axes, exclusionText, nameOf, notesOf, sentenceOf, wishesOf } from "./notes.ts";
import type { RequestRecord } from "./record.ts";

export const End = ({ fault }: Pick<Attempts[number], "fault">) =>
  fault === null ? <Badge word="answered" tone="good" /> : <Badge word="failed" />;

/** A long "cost" bar would look expensive. */
const axisTitles = { cost: "Cheapness", speed: "Speed", intelligence: "Intelligence" } as const;

type Attempts = RequestRecord["attempts"];

const scoreOf = (score?: number | null): string => score?.toFixed(3) ?? none;

function columnsOf(attempts: Attempts, whyOf: (its: Candidate) => string): Column<Candidate>[] {
  return [
    column.of("Model", nameOf, (candidate) => {
      const notes = whyOf(candidate);
      const attempt = attempts.findLast((each) => nameOf(each) === nameOf(candidate));
      return (
        <>
          <code class="wraps">{nameOf(candidate)}</code> {attempt && <End {...attempt} />}
          {notes !== "" && <div class="faint">{notes}</div>}
        </>
      );
    }),
    column.number("Score", ({ score }) => score, scoreOf),
    ...axes.map((axis): Column<Candidate> => ({
      title: axisTitles[axis],
      show({ axes: { [axis]: value } = {} }) {
        if (value === undefined) return none;
        return (
          <span class="nowrap">
            <span class="axis" aria-hidden="true">
              <span style={{ width: `${Math.max(0, Math.min(1, value)) * 100}%` }} />
            </span>
            {value.toFixed(2)}
          </span>
        );
      },
      text: ({ axes: values }) => values?.[axis] ?? null,
    })),
    column.file("Why", whyOf),
  ];
}

const remedies: Readonly<Record<string, string>> = {
  not_allowed: "/policy",
  no_credential: "/credentials",
  credential_failing: "/credentials",
  stopped: "/switches",
};

/** Records have only the number of excluded models, dry runs have their names too. */
function Excluded({ candidates = [], excluded = {} }: Partial<Decision>) {
  const reasons = [
    ...candidates.flatMap((each) => each.excludedBy ?? []),
    ...Object.keys(excluded),
  ];
  const shown = [...new Set(reasons as ExclusionReason[])].map((reason, at) => {
    const names = candidates.filter((each) => each.excludedBy === reason).map(nameOf);
    const [page, why] = [remedies[reason], exclusionText(reason)];
    return (
      <span key={reason} title={names.join(", ")}>
        {at > 0 && ", "}
        {count(names.length + (excluded[reason] ?? 0))} (
        {page === undefined ? why : <a href={ownPath(page)}>{why}</a>})
      </span>
    );
  });
  return shown.length === 0 ? null : <p class="faint">Excluded models: {shown}.</p>;
}

const scoreText = (weights: Decision["weights"]): string =>
  axes
    .filter((axis) => weights[axis] > 0)
    .map((axis) => `${axisTitles[axis].toLowerCase()} × ${percent(weights[axis])}`)
    .join(" + ");

interface DecisionProps {
  decision: Partial<Decision>;
  /** omitted where the page shows it elsewhere */
  asked?: Partial<Asked> | null;
  attempts?: Attempts;
}

export function DecisionTable({ decision, asked = null, attempts = [] }: DecisionProps) {
  const { candidates = [], weights, estimate, requirements, notes = [] } = decision;
  const feasible = candidates.filter(({ excludedBy }) => excludedBy === undefined);
  const isHinted = candidates.some(({ matchedHint }) => matchedHint !== undefined);
  const isDefaulted = candidates.some(({ isDefault }) => isDefault === true);
  const isByScore = feasible.every(
    ({ score = 0 }, at) => score <= (feasible[at - 1]?.score ?? Infinity),
  );
  const isMore = (estimate?.outputTokens ?? 0) > (requirements?.maxTokens ?? Infinity);
  return (
    <div class="stack">
      <p>
        {sentenceOf(decision)} {asked !== null && wishesOf(asked, weights)}
      </p>
      <p class="faint">
        {weights !== undefined &&
          feasible.length > 1 &&
          `Score = ${scoreText(weights)}, each from 0 (worst of these models) to 1 (best). `}
        {!isByScore &&
          `${isHinted ? "Models that match a hint are first" : isDefaulted ? "Default models are first" : "The line below a name says what precedes its score"}. `}
        {feasible.at(-1)?.score === undefined && "Records keep the scores of the first ten models."}
      </p>
      {feasible.length !== 1 && (
        <Table
          name="Candidates"
          columns={columnsOf(attempts, (its) => notesOf(its, { isHinted, weights }))}
          rows={feasible}
          keyOf={nameOf}
          isShown={(its, at) => at < 5 || attempts.map(nameOf).includes(nameOf(its))}
          empty="No feasible model."
        />
      )}
      <Excluded {...decision} />
      <Facts
        of={[
          estimate !== undefined && [
            "Estimated before the call",
            `${count(estimate.inputTokens)} tokens in, ${count(estimate.outputTokens)} out${isMore ? " with reasoning" : ""}, ${usdOfCall(estimate.costUsd)}`,
          ],
          notes.length > 0 && ["Notes", notes.join(" · ")],
        ]}
      />
    </div>
  );
}
