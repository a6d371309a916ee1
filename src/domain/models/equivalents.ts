/** A line has the class of its newest member: a hint for Claude Sonnet 3 means today's Sonnet. */
import { memoizedByObject } from "../memoized.ts";
import { isPriceMissing } from "./cost.ts";
import { retiredModelNamed } from "./gone-models.ts";
import { isForCode, newestFirst, parseModel } from "./lines.ts";
import {
  containing,
  equalTo,
  indexOf,
  kindOf,
  lineIn,
  namesLine,
  versionsOf,
  type Fit,
  type Kind,
  type ModelIndex,
  type ReadHint,
  type Served,
} from "./model-index.ts";
import { withoutSuperseded } from "./superseded.ts";
import { isEstimated, type Model } from "./model.ts";

interface Tiers {
  intelligence: number | null;
  speed: number | null;
  outputUsdPerMTok: number | null;
}

export interface ModelClass extends Tiers {
  kind: Kind;
  isForCode: boolean;
}

const statusRank = { active: 0, preview: 1, retired: 2 } as const;

const representativeFirst = (a: Model, b: Model): number =>
  statusRank[a.status] - statusRank[b.status] ||
  Number(isPriceMissing(a)) - Number(isPriceMissing(b)) ||
  newestFirst(a, b);

const classesIn = memoizedByObject((_: ModelIndex) => new Map<string, ModelClass>());

function classOfLine(index: ModelIndex, line: string): ModelClass | null {
  const classes = classesIn(index);
  const known = classes.get(line);
  if (known !== undefined) return known;
  const members = (index.byLine.get(line) ?? []).flatMap((at) => index.models[at] ?? []);
  const speaker = members.toSorted(representativeFirst)[0];
  if (speaker === undefined) return null;
  const { intelligence, speed, outputUsdPerMTok } = speaker;
  const kind = kindOf(speaker);
  const found = { intelligence, speed, outputUsdPerMTok, kind, isForCode: isForCode(line) };
  classes.set(line, found);
  return found;
}

function classOf(index: ModelIndex, model: Model): ModelClass {
  const line = parseModel(model)?.line;
  const ofLine = line === undefined ? null : classOfLine(index, line);
  const { intelligence, speed, outputUsdPerMTok } = model;
  const kind = kindOf(model);
  return ofLine ?? { intelligence, speed, outputUsdPerMTok, kind, isForCode: false };
}

/** Prefers whole words: `mini` in `gpt-5-mini`, not in `ministral`. */
function whollyNamed(holders: ReturnType<typeof containing>): number[] {
  const ofFit = (wanted: Fit): number[] =>
    holders.filter(({ fit }) => fit === wanted).map(({ at }) => at);
  const wholly = ofFit("words");
  return wholly.length > 0 ? wholly : ofFit("beginning");
}

export function classesNamedBy(hint: ReadHint, all: readonly Model[]): ModelClass[] {
  const index = indexOf(all);
  const { folded, parsed } = hint;
  const gone = retiredModelNamed(folded);
  const named = gone === null ? [...equalTo(index, hint), ...versionsOf(index, hint)] : [];
  const line =
    gone?.parsed.line ??
    (parsed !== null && namesLine(parsed, index) ? lineIn(index, parsed) : null);
  if (named.length === 0 && line !== null) {
    const ofLine = classOfLine(index, line);
    if (ofLine !== null) return [ofLine];
  }
  if (named.length === 0) named.push(...whollyNamed(containing(index, hint)));
  // An unknown model of a known line or series, for example `gpt-9`.
  if (named.length === 0 && parsed !== null && parsed.generation !== null) {
    const ofLine = classOfLine(index, parsed.line);
    if (ofLine !== null) return [ofLine];
    named.push(...(index.bySeries.get(parsed.series) ?? []));
  }
  const classes = new Map<string, ModelClass>();
  for (const at of named) {
    const model = all[at];
    if (model === undefined) continue;
    const of = classOf(index, model);
    classes.set(Object.values(of).join(" "), of);
  }
  return [...classes.values()];
}

const unknownGap = 2.5;

/** Price ratio in doublings. */
function priceRatio({ outputUsdPerMTok: price }: Tiers, target: Tiers): number {
  const asked = target.outputUsdPerMTok;
  if (asked === null || asked === 0 || price === 0) return 0;
  if (price === null) return unknownGap;
  return Math.max(0, Math.log2(price / asked));
}

function gapOf(of: Tiers, target: Tiers): number {
  const { intelligence, speed } = of;
  const lead =
    intelligence === null || target.intelligence === null
      ? unknownGap
      : intelligence - target.intelligence;
  const pace = speed === null || target.speed === null ? -unknownGap : speed - target.speed;
  const strength = lead < 0 ? -3 * lead : 2 * lead;
  return strength + (pace < 0 ? -pace : pace / 4) + 3 * priceRatio(of, target);
}

const unreachable = Number.POSITIVE_INFINITY;

/** Within this distance of the nearest line, priorities decide. */
const neighbourhood = 1;

interface StandIn {
  at: number;
  model: Model;
  line: ModelClass;
}

function neighboursOf(target: ModelClass, candidates: readonly StandIn[]): readonly StandIn[] {
  const gaps = new Map<string, number>();
  const gap = (of: Tiers): number => {
    const key = `${of.intelligence} ${of.speed} ${of.outputUsdPerMTok}`;
    const known = gaps.get(key) ?? gapOf(of, target);
    gaps.set(key, known);
    return known;
  };
  // An older member may be further away than its line.
  const far = candidates.map(({ model, line }) => Math.max(gap(model), gap(line)));
  const bound = far.reduce((lowest, each) => Math.min(lowest, each), unreachable) + neighbourhood;
  return candidates.filter((_, at) => (far[at] ?? unreachable) <= bound);
}

export function equivalentsOf(
  named: readonly ModelClass[],
  served: Served,
  all: readonly Model[],
): number[] | null {
  const index = indexOf(all);
  const forCode = named.every((target) => target.isForCode);
  const candidates: StandIn[] = [];
  for (const [at, model] of served.models.entries()) {
    if (!served.isFeasible(at) || served.isHintOnly?.(at) === true) continue;
    const line = classOf(index, model);
    if (!line.isForCode || forCode) candidates.push({ at, model, line });
  }
  const judged = candidates.filter(({ model }) => !isEstimated(model));
  const among = judged.length > 0 ? judged : candidates;
  // `nano` is a size of GPT models and a name of Google's image models, so kinds must match.
  const near = named.flatMap((target) =>
    neighboursOf(
      target,
      among.filter(({ line }) => line.kind === target.kind),
    ),
  );
  if (near.length === 0) return null;
  const newest = new Set(withoutSuperseded(near.map(({ model }) => model)));
  const levels = served.models.map(() => 0);
  for (const { at, model } of near) if (newest.has(model)) levels[at] = 1;
  return levels;
}
