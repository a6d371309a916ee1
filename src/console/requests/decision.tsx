import type { Asked } from "../../domain/audit/record.ts";
import type { Candidate, Decision } from "../../domain/choice/decision.ts";
import { Fragment } from "preact";
import { useLocation } from "preact-iso/router";
import { count, percent, usd } from "../format.ts";
import { fileColumn } from "../parts/columns.tsx";
import { Badge } from "../parts/notice.tsx";
import { Facts } from "../parts/facts.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { tenantIn, ownPath } from "../place.ts";
import { axes, exclusionText, hasInName, notesOf, type CandidateContext } from "./notes.ts";
import { sentenceOf, wishesOf } from "./sentence.ts";

/** A long "cost" bar would look expensive. */
const axisTitles = { cost: "Cheapness", speed: "Speed", intelligence: "Intelligence" } as const;

export function AxisBar({ value }: { value: number | undefined }) {
  if (value === undefined) return <>–</>;
  const share = Math.max(0, Math.min(1, value));
  return (
    <span class="nowrap">
      <span class="axis" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      {value.toFixed(2)}
    </span>
  );
}

const nameOf = ({ provider, model }: Candidate): string => `${provider}/${model}`;

export type Ended = ReadonlyMap<string, "answered" | "failed">;

const columnsOf = ({
  ended,
  ...context
}: CandidateContext & { ended: Ended }): Column<Candidate>[] => [
  {
    title: "Model",
    show: (candidate) => {
      const notes = notesOf(candidate, context);
      const end = ended.get(nameOf(candidate));
      return (
        <>
          <code class="wraps">{nameOf(candidate)}</code>{" "}
          {end !== undefined && <Badge word={end} tone={end === "answered" ? "good" : "bad"} />}
          {notes !== "" && <div class="faint">{notes}</div>}
        </>
      );
    },
    text: nameOf,
  },
  {
    title: "Score",
    isNumber: true,
    show: ({ score, excludedBy }) =>
      excludedBy === undefined ? (score?.toFixed(3) ?? "") : "excluded",
    text: ({ score }) => score ?? null,
  },
  ...axes.map((axis) => ({
    title: axisTitles[axis],
    show: (candidate: Candidate) => <AxisBar value={candidate.axes?.[axis]} />,
    text: (candidate: Candidate) => candidate.axes?.[axis] ?? null,
  })),
  fileColumn("Why", (candidate) => notesOf(candidate, context)),
];

const remedies: Readonly<Record<string, string>> = {
  not_allowed: "/policy",
  no_credential: "/credentials",
  credential_failing: "/credentials",
  stopped: "/switches",
};

interface ExcludedProps {
  excluded: Decision["excluded"];
  /** of the candidates */
  listed: number;
}

function Excluded({ excluded, listed }: ExcludedProps) {
  const tenant = tenantIn(useLocation().path);
  const rows = Object.entries(excluded);
  if (rows.length === 0) return null;
  return (
    <p class="faint">
      {listed > 0 && `${count(listed)} of the models above are excluded, as each row says. `}
      Models that aren’t listed:{" "}
      {rows.map(([reason, models], at) => {
        const why = exclusionText(reason);
        const page = remedies[reason];
        return (
          <Fragment key={reason}>
            {at > 0 && ", "}
            {count(models)} (
            {page === undefined || tenant === null ? why : <a href={ownPath(page)}>{why}</a>})
          </Fragment>
        );
      })}
      .
    </p>
  );
}

const Scores = ({ weights }: { weights: Decision["weights"] }) => (
  <p class="faint">
    Score ={" "}
    {axes
      .map((axis) => `${axisTitles[axis].toLowerCase()} × ${percent(weights[axis])}`)
      .join(" + ")}
    . Each ranges from 0 (worst in this table) to 1 (best), so two models with equal grades on the
    Models page may differ here. Speed is measured by this router if possible.
  </p>
);

interface DecisionProps {
  decision: Partial<Decision>;
  /** omitted where the page shows it elsewhere */
  asked?: Partial<Asked> | null;
  ended?: Ended;
}

/** candidates that are shown first; called ones always are */
const maxBest = 5;
const notCalled: Ended = new Map();

export function DecisionTable({ decision, asked = null, ended = notCalled }: DecisionProps) {
  const { candidates = [], excluded = {}, weights, estimate, notes = [] } = decision;
  const isHinted = candidates.some(({ matchedHint }) => matchedHint !== undefined);
  const isMatched = candidates.some(
    (each) => each.matchedHint !== undefined && hasInName(each, each.matchedHint),
  );
  return (
    <div class="stack">
      <p>
        {sentenceOf(decision)} {asked !== null && wishesOf(asked, weights)}
      </p>
      {(isMatched || candidates.some(({ isDefault }) => isDefault === true)) && (
        <p class="faint">
          {isMatched ? "Models that match a hint" : "Default models"} are ranked first, the others
          by score.
        </p>
      )}
      {weights !== undefined && <Scores weights={weights} />}
      <Table
        name="Candidates"
        columns={columnsOf({ isHinted, weights, ended })}
        rows={candidates}
        keyOf={nameOf}
        isDense
        isShown={(candidate, at) => at < maxBest || ended.has(nameOf(candidate))}
        empty="No feasible model."
      />
      <Excluded
        excluded={excluded}
        listed={candidates.filter(({ excludedBy }) => excludedBy !== undefined).length}
      />
      <Facts
        of={[
          [
            "Estimated before the call",
            estimate === undefined
              ? "–"
              : `${count(estimate.inputTokens)} tokens in, ${count(estimate.outputTokens)} out, ${usd(estimate.costUsd)}`,
          ],
          notes.length > 0 && ["Notes", notes.join(" · ")],
        ]}
      />
    </div>
  );
}
