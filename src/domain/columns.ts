/** What a ranking compares of a field's entries, sorted and grouped once: read thousands of times for one choice. */
import { abilityOf } from "./ability.ts";
import type { Entry } from "./entry.ts";
import type { Model } from "./models.ts";

export interface Ranks {
  /** by position: 0 for the worst; equals share one */
  of: Uint32Array;
  /** how many there are */
  count: number;
}

/** Entries that cost the same whatever is asked: same prices, same tokenizer, same output, same reasoning. */
export interface PriceGroups {
  /** by position */
  of: Uint32Array;
  /** one entry of each */
  entries: readonly Entry[];
}

/** By position in the field's entries. */
export interface Columns {
  prices: PriceGroups;
  speed: Ranks;
  intelligence: Ranks;
  newness: Ranks;
  /** 1: the model reasons whatever is asked of it */
  alwaysReasons: Uint8Array;
}

/** Lowest first. */
function ranksOf(values: readonly number[]): Ranks {
  const distinct = Float64Array.from(new Set(values)).toSorted();
  const ranks = new Map([...distinct].map((value, rank) => [value, rank]));
  return {
    of: Uint32Array.from(values, (value) => ranks.get(value) ?? 0),
    count: distinct.length,
  };
}

/** Models are never changed, only replaced, so what was made of one stays right. */
const pricings = new WeakMap<Model, string>();

function pricingOf(model: Model): string {
  let pricing = pricings.get(model);
  if (pricing === undefined) {
    const { inputUsdPerMTok, outputUsdPerMTok, priceTiers, mediaPrices, outputModalities } = model;
    const { efforts, byDefault, sentAs, budgets } = model.reasoningControl ?? {};
    pricing = JSON.stringify([
      inputUsdPerMTok,
      outputUsdPerMTok,
      model.audioInputUsdPerMTok,
      priceTiers,
      mediaPrices,
      outputModalities,
      // What its reasoning may use is output too, and a call may ask one provider for more than others.
      ...(model.reasoning ? [model.provider, efforts, byDefault, sentAs, budgets] : []),
      ...(model.reasoning ? [model.outputTokens, model.contextTokens] : []),
    ]);
    pricings.set(model, pricing);
  }
  return pricing;
}

function priceGroupsOf(entries: readonly Entry[]): PriceGroups {
  const groups = new Map<string, number>();
  const firsts: Entry[] = [];
  const of = Uint32Array.from(entries, (entry) => {
    const key = `${entry.family} ${pricingOf(entry.model)}`;
    let group = groups.get(key);
    if (group === undefined) {
      group = firsts.push(entry) - 1;
      groups.set(key, group);
    }
    return group;
  });
  return { of, entries: firsts };
}

/** `models`: all that are known, since scores are compared among all of them. */
export function columnsOf(entries: readonly Entry[], models: readonly Model[]): Columns {
  const ability = abilityOf(models);
  return {
    prices: priceGroupsOf(entries),
    speed: ranksOf(entries.map((entry) => -entry.expectedMs)),
    intelligence: ranksOf(entries.map(({ model }) => ability(model))),
    alwaysReasons: Uint8Array.from(entries, (entry) => (entry.alwaysReasons ? 1 : 0)),
    newness: ranksOf(entries.map(({ model }) => dayOf(model.releasedAt))),
  };
}

/** A date as a number that sorts as it does; unknown is oldest. `2024-05` is the month's beginning. */
const dayOf = (releasedAt: string | null | undefined): number =>
  Number((releasedAt ?? "").replaceAll("-", "").padEnd(8, "0")) || 0;
