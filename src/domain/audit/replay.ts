/** Repeats a recorded decision on current catalogue data, and reports why the result differs. */
import type { Asked, SamplingRecord } from "./record.ts";
import { entryOf, type RankedModel } from "../choice/ranked-model.ts";
import { poolOf } from "../choice/model-pool.ts";
import { nameOf, type Model } from "../models/model.ts";
import type { Asking, Candidate, Decision } from "../choice/decision.ts";
import { decide } from "../choice/selection.ts";

export interface Replay {
  same: boolean;
  differences: string[];
  recorded: Decision;
  replayed: Decision | null;
}

const shownOf = (candidate: Candidate, { score: kept }: Candidate): string => {
  const { provider, model, score, axes, matchedHint, viaEquivalence } = candidate;
  const figures = kept === undefined ? [] : [score, axes];
  return JSON.stringify([provider, model, matchedHint, viaEquivalence, ...figures]);
};

const wordsOf = ({ provider, model, score }: Candidate, { score: kept }: Candidate): string =>
  `${provider}/${model}${kept === undefined ? "" : `, ${score}`}`;

const rankDifferences = (then: readonly Candidate[], now: readonly Candidate[]): string[] =>
  then.flatMap((candidate, at) => {
    const other = now[at];
    if (other !== undefined && shownOf(other, candidate) === shownOf(candidate, candidate))
      return [];
    const shown = other === undefined ? "nothing" : wordsOf(other, candidate);
    return [`Rank ${at + 1} was ${wordsOf(candidate, candidate)}; it is ${shown}.`];
  });

function askedAgain(
  { requirements: needs, weights, notes, alias, toolLoop }: Decision,
  asked: Pick<Asked, "hints">,
): Asking {
  return {
    needs,
    hints: alias?.hints ?? asked.hints,
    weights,
    notes,
    toolLoop: toolLoop === undefined ? null : { ...toolLoop, credentialId: "" },
    ...(alias !== undefined && { alias }),
  };
}

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
        // The record lists the preferred copy of a model first.
        preference: at,
        exclusion: null,
        measured: candidate.measured ?? null,
        deadline: { isLate: candidate.isLate === true },
      }),
    ];
  });
  const made = decide(
    askedAgain(decision, asked),
    poolOf(ranked, {
      models: today.models,
      unserved: 0,
      catalogueVersion: today.catalogueVersion,
      // The recorded candidates already include the allowed previews.
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
