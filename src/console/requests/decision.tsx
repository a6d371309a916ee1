/** Why this model: the candidates with their scores, and what excluded the others. */
import type { Candidate, Decision } from "../../domain/choice/decision.ts";
import { count, percent, usd, words } from "../format.ts";
import { Table, type Column } from "../parts/table.tsx";
import { exclusionWords } from "./record.ts";

const axes = ["cost", "speed", "intelligence"] as const;

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

function hintWords(hint: string | undefined, isEquivalent: boolean): string {
  if (hint === undefined) return "";
  return isEquivalent ? `equivalent of “${hint}”` : `hint “${hint}”`;
}

function notesOf(candidate: Candidate, isHinted: boolean): string {
  const { excludedBy, matchedHint, viaEquivalence, viaFailover, viaToolLoop, isLate } = candidate;
  if (excludedBy !== undefined) return exclusionWords[excludedBy] ?? words(excludedBy);
  const notes = [
    hintWords(matchedHint, viaEquivalence === true),
    viaFailover === true ? "only after faults of the hinted ones" : "",
    viaToolLoop === true ? "began this tool loop" : "",
    isLate === true ? "expected to be late" : "",
  ]
    .filter((note) => note !== "")
    .join(", ");
  // Such a model stands below those that match, whatever its score.
  return notes === "" && isHinted ? "matches no hint" : notes;
}

const nameOf = ({ provider, model }: Candidate): string => `${provider}/${model}`;

/** @param isHinted some candidate matches a hint */
const columnsOf = (isHinted: boolean): Column<Candidate>[] => [
  {
    title: "Model",
    show: (candidate) => {
      const notes = notesOf(candidate, isHinted);
      return (
        <>
          <code>{nameOf(candidate)}</code>
          {notes !== "" && <div class="faint">{notes}</div>}
        </>
      );
    },
    text: nameOf,
  },
  {
    title: "Score",
    isNumber: true,
    show: ({ score }) => (score === undefined ? "excluded" : score.toFixed(3)),
    text: ({ score }) => score ?? null,
  },
  ...axes.map((axis) => ({
    title: axis[0]?.toUpperCase() + axis.slice(1),
    show: (candidate: Candidate) => <AxisBar value={candidate.axes?.[axis]} />,
    text: (candidate: Candidate) => candidate.axes?.[axis] ?? null,
  })),
  {
    title: "Why",
    show: () => null,
    text: (candidate) => notesOf(candidate, isHinted),
    isFileOnly: true,
  },
];

/** The choice in one sentence. */
function sentenceOf({ candidates = [], weights, provider, model }: Partial<Decision>): string {
  const feasible = candidates.filter(({ excludedBy }) => excludedBy === undefined);
  const [first] = feasible;
  const name = `${provider ?? ""}/${model ?? ""}`;
  if (first?.viaToolLoop === true) return `${name} began the tool loop that this call continues.`;
  if (first?.matchedHint !== undefined) {
    const { matchedHint, score = 0 } = first;
    if (first.viaEquivalence === true)
      return `No model that can serve the request matches a hint. ${name} is the best of the equivalents of “${matchedHint}”.`;
    // A model that the hint names more exactly stands before others, whatever they score.
    const isClosest = feasible.some(
      (each) => each.matchedHint === matchedHint && (each.score ?? 0) > score,
    );
    return isClosest
      ? `${name} matches the hint “${matchedHint}” most closely, which counts before the score.`
      : `${name} is the best of those that match the hint “${matchedHint}”.`;
  }
  if (feasible.length === 1) return `${name} is the only model that can serve the request.`;
  const heaviest =
    weights === undefined ? null : axes.toSorted((a, b) => weights[b] - weights[a])[0];
  const isEven = weights !== undefined && new Set(axes.map((axis) => weights[axis])).size === 1;
  return heaviest === null || isEven
    ? `${name} has the best score of ${feasible.length} models that can serve the request.`
    : `${name} has the best score of ${feasible.length} models that can serve the request; ${heaviest} weighs most.`;
}

function Excluded({ excluded }: { excluded: Decision["excluded"] }) {
  const rows = Object.entries(excluded);
  if (rows.length === 0) return null;
  return (
    <p class="faint">
      Excluded without being listed:{" "}
      {rows
        .map(([reason, models]) => `${count(models)} (${exclusionWords[reason] ?? words(reason)})`)
        .join(", ")}
      .
    </p>
  );
}

/** How the scores came about. A reader would take a long bar of cost for a high price otherwise. */
const Scores = ({ weights }: { weights: Decision["weights"] }) => (
  <p class="faint">
    The score adds up {axes.map((axis) => `${axis} (weight ${percent(weights[axis])})`).join(", ")}.
    1.00 is the cheapest, the fastest, the most intelligent of these models.
  </p>
);

export function DecisionTable({ decision }: { decision: Partial<Decision> }) {
  const { candidates = [], excluded = {}, weights, estimate, notes = [] } = decision;
  return (
    <div class="stack">
      <p>{sentenceOf(decision)}</p>
      {weights !== undefined && <Scores weights={weights} />}
      <Table
        name="Candidates"
        columns={columnsOf(candidates.some(({ matchedHint }) => matchedHint !== undefined))}
        rows={candidates}
        keyOf={nameOf}
        empty="No model could serve the request."
      />
      <Excluded excluded={excluded} />
      <dl class="facts">
        <dt>Estimate</dt>
        <dd>
          {estimate === undefined
            ? "–"
            : `${count(estimate.inputTokens)} tokens in, ${count(estimate.outputTokens)} out, ${usd(estimate.costUsd)}`}
        </dd>
        {notes.length > 0 && (
          <>
            <dt>Notes</dt>
            <dd>{notes.join(" · ")}</dd>
          </>
        )}
      </dl>
    </div>
  );
}
