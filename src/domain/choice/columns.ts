/** Columns of a pool, by position. Precomputed, because a selection reads them thousands of times. */
import { abilityOf } from "../models/ability.ts";
import type { RankedModel } from "./ranked-model.ts";
import { isEstimated, type Model } from "../models/model.ts";

export interface Ranks {
  /** rank by position; 0 is the worst, ties share a rank */
  of: Uint32Array;
  count: number;
}

export interface PriceGroups {
  of: Uint32Array;
  firsts: readonly RankedModel[];
}

export interface CredentialGroups {
  of: Uint32Array;
  ids: readonly (readonly string[])[];
}

export interface Columns {
  prices: PriceGroups;
  /** for requests with reasoning needs, where providers, efforts and limits matter too */
  pricesWithReasoning: PriceGroups;
  credentials: CredentialGroups;
  speed: Ranks;
  intelligence: Ranks;
  newness: Ranks;
  alwaysReasons: Uint8Array;
  isLate: Uint8Array;
  isEstimated: Uint8Array;
}

function ranksOf(values: readonly number[]): Ranks {
  const distinct = Float64Array.from(new Set(values)).toSorted();
  const ranks = new Map([...distinct].map((value, rank) => [value, rank]));
  return {
    of: Uint32Array.from(values, (value) => ranks.get(value) ?? 0),
    count: distinct.length,
  };
}

interface Pricing {
  atLeast: string;
  withReasoning: string;
}

/** Models are immutable. */
const pricings = new WeakMap<Model, Pricing>();

function pricingOf({ model, minReasoning }: RankedModel): Pricing {
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
    atLeast: `${plain} ${minReasoning.room} ${minReasoning.effort}`,
    withReasoning: model.reasoning ? plain + JSON.stringify([reasoning, limits]) : plain,
  };
  pricings.set(model, pricing);
  return pricing;
}

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

const dayOf = (releasedAt: string | null | undefined): number =>
  Number((releasedAt ?? "").replaceAll("-", "").padEnd(8, "0")) || 0;
