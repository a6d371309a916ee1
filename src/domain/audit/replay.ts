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

const comparedParts = (candidate: Candidate, { score: recordedScore }: Candidate): string => {
  const { provider, model, score, axes, matchedHint, viaEquivalence } = candidate;
  const figures = recordedScore === undefined ? [] : [score, axes];
  return JSON.stringify([provider, model, matchedHint, viaEquivalence, ...figures]);
};

const describe = (
  { provider, model, score }: Candidate,
  { score: recordedScore }: Candidate,
): string => `${provider}/${model}${recordedScore === undefined ? "" : `, ${score}`}`;

const rankDifferences = (
  recorded: readonly Candidate[],
  replayed: readonly Candidate[],
): string[] =>
  recorded.flatMap((candidate, at) => {
    const other = replayed[at];
    if (
      other !== undefined &&
      comparedParts(other, candidate) === comparedParts(candidate, candidate)
    )
      return [];
    const current = other === undefined ? "empty" : describe(other, candidate);
    return [`Rank ${at + 1} was ${describe(candidate, candidate)}; now it is ${current}.`];
  });

function recordedInputs(
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
  current: { models: readonly Model[]; catalogueVersion: string },
): Replay | null {
  const { decision, asked } = record;
  if (decision === null || asked === null) return null;
  const byName = new Map(current.models.map((model) => [nameOf(model), model]));
  const differences: string[] = [];
  if (decision.catalogueVersion !== current.catalogueVersion)
    differences.push(
      `The catalogue version changed from ${decision.catalogueVersion} to ${current.catalogueVersion}.`,
    );
  const feasible = decision.candidates.filter(({ excludedBy }) => excludedBy === undefined);
  const ranked = feasible.flatMap((candidate, at): RankedModel[] => {
    const name = nameOf({ provider: candidate.provider, id: candidate.model });
    const model = byName.get(name);
    if (model === undefined) {
      differences.push(`${name} is no longer in the catalogue.`);
      return [];
    }
    return [
      entryOf({
        model,
        credentialIds: [],
        // If a model has several providers, the record lists the preferred one first.
        preference: at,
        exclusion: null,
        measured: candidate.measured ?? null,
        deadline: { isLate: candidate.isLate === true },
      }),
    ];
  });
  const result = decide(
    recordedInputs(decision, asked),
    poolOf(ranked, {
      models: current.models,
      unserved: 0,
      catalogueVersion: current.catalogueVersion,
      // The recorded candidates already include the allowed previews.
      policy: { previews: "allowed" },
    }),
  );
  if (!result.ok)
    return {
      same: false,
      differences: [...differences, "No model that was feasible then is feasible now."],
      recorded: decision,
      replayed: null,
    };
  const replayed = result.value.decision;
  differences.push(...rankDifferences(feasible, replayed.candidates));
  return { same: differences.length === 0, differences, recorded: decision, replayed };
}
