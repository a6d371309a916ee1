/** Finer than tiers: scores of one tier, benchmark and setting move a model by less than half a tier. */
import { memoizedByObject } from "../memoized.ts";
import { abler, generationOf, parseModel } from "./lines.ts";
import { isEstimated, type Model } from "./model.ts";

const middleTier = 3;

/** Keeps the best of a tier below the worst of the next. */
const maxMovement = 0.49;
/** Weight of the tier, in comparisons: one score may be luck. */
const doubt = 2;

interface Evidence {
  lead: number;
  others: number;
}

function evidenceOf(models: readonly Model[]): Map<Model, Evidence> {
  const groups = new Map<string, { model: Model; score: number }[]>();
  for (const model of models) {
    if (model.scores === undefined) continue;
    for (const [setting, score] of Object.entries(model.scores)) {
      const key = `${model.intelligence ?? middleTier} ${setting}`;
      const group = groups.get(key) ?? [];
      group.push({ model, score });
      groups.set(key, group);
    }
  }
  const evidence = new Map<Model, Evidence>();
  for (const group of groups.values()) {
    // A model's copies at several providers are one result.
    const scores = [...new Set(group.map(({ model, score }) => `${lineKey(model)} ${score}`))];
    const values = scores.map((text) => Number(text.slice(text.lastIndexOf(" ") + 1)));
    const others = values.length - 1;
    if (others === 0) continue;
    for (const { model, score } of group) {
      const worse = values.filter((value) => value < score).length;
      const equal = values.filter((value) => value === score).length - 1;
      const of = evidence.get(model) ?? { lead: 0, others: 0 };
      of.lead += worse + equal / 2 - others / 2;
      of.others += others;
      evidence.set(model, of);
    }
  }
  return evidence;
}

const lineKey = (model: Model): string => parseModel(model)?.core ?? model.id;

const lineAndTier = (model: Model): string =>
  `${parseModel(model)?.line} ${model.intelligence ?? middleTier}`;

/** Within a line and tier, a newer model is never below an older one. */
function keepLineOrder(models: readonly Model[], ability: Map<Model, number>): void {
  const moved = new Set([...ability.keys()].map(lineAndTier));
  const groups = Map.groupBy(
    models.filter((model) => generationOf(model) !== null && moved.has(lineAndTier(model))),
    lineAndTier,
  );
  for (const group of groups.values()) {
    const byGeneration = Map.groupBy(group, (model) => generationOf(model) ?? 0);
    let lowest = Number.NEGATIVE_INFINITY;
    for (const generation of [...byGeneration.keys()].toSorted((a, b) => a - b)) {
      const members = byGeneration.get(generation) ?? [];
      for (const model of members) ability.set(model, Math.max(lowest, abilityIn(ability, model)));
      lowest = Math.max(...members.map((model) => abilityIn(ability, model)));
    }
  }
}

/** Too small to outweigh a published result. */
const leadInWords = 1e-3;

/** Within a tier, the newest model of an `abler` line is above the other line. */
function keepMakersOrder(models: readonly Model[], ability: Map<Model, number>): void {
  for (const [line, than] of abler) {
    const ofLine = (name: string): Model[] =>
      models.filter((model) => parseModel(model)?.line === name);
    const served = ofLine(line).filter(({ status }) => status !== "retired");
    const generations = served.map((model) => parseModel(model)?.generation ?? 0);
    const newest = served.filter((_, at) => generations[at] === Math.max(...generations));
    for (const model of newest) {
      const others = ofLine(than).filter(({ intelligence }) => intelligence === model.intelligence);
      const lowest = Math.max(...others.map((other) => abilityIn(ability, other)));
      if (lowest >= abilityIn(ability, model)) ability.set(model, lowest + leadInWords);
    }
  }
}

const abilityIn = (ability: ReadonlyMap<Model, number>, model: Model): number =>
  ability.get(model) ?? model.intelligence ?? middleTier;

export const abilityOf = memoizedByObject((models: readonly Model[]) => {
  const ability = new Map<Model, number>();
  for (const [model, { lead, others }] of evidenceOf(models)) {
    const bounded = Math.max(-maxMovement, Math.min(maxMovement, lead / (others + doubt)));
    ability.set(model, (model.intelligence ?? middleTier) + bounded);
  }
  keepLineOrder(models, ability);
  keepMakersOrder(models, ability);
  for (const model of models)
    if (isEstimated(model)) ability.set(model, (model.intelligence ?? middleTier) - maxMovement);
  return (model: Model): number => abilityIn(ability, model);
});
