/**
 * Makes a recorded decision again, from its requirements, hints, weights and measurements, on the figures of
 * today. The result is the same unless a figure or a name has changed since, and then it says which.
 */
import type { SamplingRecord } from "./record.ts";
import { entryOf, type RankedModel } from "../choice/ranked-model.ts";
import { poolOf } from "../choice/model-pool.ts";
import { nameOf, type Model } from "../models/model.ts";
import { type Candidate, type Decision } from "../choice/decision.ts";
import { decide } from "../choice/selection.ts";

export interface Replay {
  same: boolean;
  /** why the result differs, one sentence for each reason; empty: it is the same */
  differences: string[];
  recorded: Decision;
  /** null: no model that was feasible then is known today */
  replayed: Decision | null;
}

/** What has to be the same of a candidate; its scores where the record keeps them. */
const shownOf = (candidate: Candidate, { score: kept }: Candidate): string => {
  const { provider, model, score, axes, matchedHint, viaEquivalence } = candidate;
  const figures = kept === undefined ? [] : [score, axes];
  return JSON.stringify([provider, model, matchedHint, viaEquivalence, ...figures]);
};

const wordsOf = ({ provider, model, score }: Candidate, { score: kept }: Candidate): string =>
  `${provider}/${model}${kept === undefined ? "" : `, ${score}`}`;

/** A sentence for each rank that another candidate has now. */
const rankDifferences = (then: readonly Candidate[], now: readonly Candidate[]): string[] =>
  then.flatMap((candidate, at) => {
    const other = now[at];
    if (other !== undefined && shownOf(other, candidate) === shownOf(candidate, candidate))
      return [];
    const shown = other === undefined ? "nothing" : wordsOf(other, candidate);
    return [`Rank ${at + 1} was ${wordsOf(candidate, candidate)}; it is ${shown}.`];
  });

/** null for a record without a decision: such a request was refused before one was made. */
export function replay(
  record: Pick<SamplingRecord, "decision" | "asked">,
  today: { models: readonly Model[]; catalogueVersion: string },
): Replay | null {
  const { decision, asked } = record;
  if (decision === null || asked === null) return null;
  const byName = new Map(today.models.map((model) => [nameOf(model), model]));
  const differences: string[] = [];
  if (decision.catalogueVersion !== today.catalogueVersion)
    differences.push(
      `The catalogue is ${today.catalogueVersion} now; it was ${decision.catalogueVersion}.`,
    );
  const feasible = decision.candidates.filter(({ excludedBy }) => excludedBy === undefined);
  const ranked = feasible.flatMap((candidate, at): RankedModel[] => {
    const name = nameOf({ provider: candidate.provider, id: candidate.model });
    const model = byName.get(name);
    if (model === undefined) {
      differences.push(`${name} is not known any more.`);
      return [];
    }
    return [
      entryOf({
        model,
        credentialIds: [],
        // Of copies of one model, the record lists first the one that was preferred.
        preference: at,
        exclusion: null,
        measured: candidate.measured ?? null,
        deadline: { isLate: candidate.isLate === true },
      }),
    ];
  });
  const { requirements: needs, weights, notes } = decision;
  const toolLoop =
    decision.toolLoop === undefined ? null : { ...decision.toolLoop, credentialId: "" };
  const made = decide(
    { needs, hints: asked.hints, weights, notes, toolLoop },
    poolOf(ranked, {
      models: today.models,
      unserved: 0,
      catalogueVersion: today.catalogueVersion,
      // The record lists the previews that were candidates, so the policy of today does not matter.
      policy: { previews: "allowed" },
    }),
  );
  if (!made.ok)
    return {
      same: false,
      differences: [...differences, "Nothing that was feasible then would be today."],
      recorded: decision,
      replayed: null,
    };
  const replayed = made.value.decision;
  differences.push(...rankDifferences(feasible, replayed.candidates));
  return { same: differences.length === 0, differences, recorded: decision, replayed };
}
