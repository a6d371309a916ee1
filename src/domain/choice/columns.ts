/**
 * What a ranking compares of a pool's ranked models, sorted and grouped once. One choice reads it thousands of
 * times.
 */
import { abilityOf } from "../models/ability.ts";
import type { RankedModel } from "./ranked-model.ts";
import { isEstimated, type Model } from "../models/model.ts";

export interface Ranks {
  /** rank by position; 0 is the worst, and equal values share a rank */
  of: Uint32Array;
  /** how many ranks there are */
  count: number;
}

/** Ranked models in groups of equal cost: same prices, same tokenizer, same output, same reasoning. */
export interface PriceGroups {
  /** group by position */
  of: Uint32Array;
  /** one model of each group */
  firsts: readonly RankedModel[];
}

/** Ranked models in groups that the same credentials serve. */
export interface CredentialGroups {
  /** group by position */
  of: Uint32Array;
  /** the credentials of each group */
  ids: readonly (readonly string[])[];
}

/** Columns of values, by position in the pool. */
export interface Columns {
  /** for requests that say nothing of reasoning, so that every model is asked for its least effort */
  prices: PriceGroups;
  /**
   * for requests that say something: then providers and efforts differ, and a model's limits may leave less
   * room
   */
  pricesWithReasoning: PriceGroups;
  credentials: CredentialGroups;
  speed: Ranks;
  intelligence: Ranks;
  newness: Ranks;
  /** 1: the model reasons whatever effort is asked of it */
  alwaysReasons: Uint8Array;
  /** 1: an ordinary answer is expected to take longer than the call's deadline */
  isLate: Uint8Array;
  /** 1: the model's class is estimated from its price */
  isEstimated: Uint8Array;
}

/** Ranks of the values, the lowest value first. */
function ranksOf(values: readonly number[]): Ranks {
  const distinct = Float64Array.from(new Set(values)).toSorted();
  const ranks = new Map([...distinct].map((value, rank) => [value, rank]));
  return {
    of: Uint32Array.from(values, (value) => ranks.get(value) ?? 0),
    count: distinct.length,
  };
}

/** Everything that decides the cost of a model's answers, as texts that are equal where the cost is equal. */
interface Pricing {
  atLeast: string;
  withReasoning: string;
}

/** Models are replaced and never changed, so what was derived from a model stays right. */
const pricings = new WeakMap<Model, Pricing>();

function pricingOf({ model, leastReasoning }: RankedModel): Pricing {
  const known = pricings.get(model);
  if (known !== undefined) return known;
  const { inputUsdPerMTok, outputUsdPerMTok, priceTiers, mediaPrices, outputModalities } = model;
  const plain = JSON.stringify([
    inputUsdPerMTok,
    outputUsdPerMTok,
    model.audioInputUsdPerMTok,
    priceTiers,
    mediaPrices,
    outputModalities,
  ]);
  const { efforts, byDefault, sentAs, budgets } = model.reasoningControl ?? {};
  const reasoning = [model.provider, efforts, byDefault, sentAs, budgets];
  const limits = [model.outputTokens, model.contextTokens];
  const pricing = {
    atLeast: `${plain} ${leastReasoning.room} ${leastReasoning.effort}`,
    withReasoning: model.reasoning ? plain + JSON.stringify([reasoning, limits]) : plain,
  };
  pricings.set(model, pricing);
  return pricing;
}

/** Groups ranked models by a text that equal models share: the group of each, and one model of each group. */
function groupsOf(
  ranked: readonly RankedModel[],
  keyOf: (entry: RankedModel) => string,
): { of: Uint32Array; firsts: RankedModel[] } {
  const groups = new Map<string, number>();
  const firsts: RankedModel[] = [];
  const of = Uint32Array.from(ranked, (entry) => {
    const key = keyOf(entry);
    let group = groups.get(key);
    if (group === undefined) {
      group = firsts.push(entry) - 1;
      groups.set(key, group);
    }
    return group;
  });
  return { of, firsts };
}

function priceGroupsOf(ranked: readonly RankedModel[], of: keyof Pricing): PriceGroups {
  const groups = groupsOf(ranked, (entry) => `${entry.family} ${pricingOf(entry)[of]}`);
  return { of: groups.of, firsts: groups.firsts };
}

export function credentialGroupsOf(ranked: readonly RankedModel[]): CredentialGroups {
  const { of, firsts } = groupsOf(ranked, ({ credentialIds }) => credentialIds.join(" "));
  return { of, ids: firsts.map(({ credentialIds }) => credentialIds) };
}

/** `models`: all known models, since scores are compared among all of them. */
export function columnsOf(ranked: readonly RankedModel[], models: readonly Model[]): Columns {
  const ability = abilityOf(models);
  return {
    prices: priceGroupsOf(ranked, "atLeast"),
    pricesWithReasoning: priceGroupsOf(ranked, "withReasoning"),
    credentials: credentialGroupsOf(ranked),
    speed: ranksOf(ranked.map((entry) => -entry.expectedMs)),
    intelligence: ranksOf(ranked.map(({ model }) => ability(model))),
    alwaysReasons: Uint8Array.from(ranked, (entry) => (entry.alwaysReasons ? 1 : 0)),
    isLate: Uint8Array.from(ranked, (entry) => (entry.isLate ? 1 : 0)),
    isEstimated: Uint8Array.from(ranked, ({ model }) => (isEstimated(model) ? 1 : 0)),
    newness: ranksOf(ranked.map(({ model }) => dayOf(model.releasedAt))),
  };
}

/**
 * A date as a number that sorts the same way. An unknown date is the oldest, and `2024-05` is the month's first
 * day.
 */
const dayOf = (releasedAt: string | null | undefined): number =>
  Number((releasedAt ?? "").replaceAll("-", "").padEnd(8, "0")) || 0;
