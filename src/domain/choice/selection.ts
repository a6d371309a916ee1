import { askingOf } from "./asking.ts";
import { choicesOf, type Choice } from "./choices.ts";
import {
  excludedOf,
  everydayLevel,
  explain,
  isOf,
  lateLevel,
  firstLevel,
  unhintedLevel,
  type Asking,
  type Decision,
} from "./decision.ts";
import { nameOf } from "../models/model.ts";
import { leadersOf } from "./copies.ts";
import { everydayRanks, isBalanced, leadersAmong, namesMaker } from "./everyday.ts";
import { withSpares, type ModelPool } from "./model-pool.ts";
import { narrow, nothingNarrowed, versionLevel, type Narrowed } from "./hints.ts";
import { kindOf, type Kind } from "../models/model-index.ts";
import type { Requirements } from "../requirements.ts";
import type { Refusal } from "../refusals.ts";
import { err, ok, type Result } from "../result.ts";
import type { SamplingCall } from "../sampling/call.ts";
import { orderOf, scoreAll } from "./score.ts";
import { reasonOf, feasibleOf, feasibilityOf } from "./feasibility.ts";
import { compileRequirements } from "./compiled-requirements.ts";
import { rankOfNamed } from "./named-models.ts";
import { credentialsLedBy } from "../sampling/tool-loop.ts";

export interface Plan {
  requirements: Requirements;
  choices: Choice[];
  halfOpen: ReadonlyMap<string, number>;
  decision: Decision;
}

const roomlessNote = "reasoning: the limits had no room left for it";

const maxListed = 5;

/** The refusal of a pool in which only open circuits prevent a selection; null: other reasons exist. */
function openIn(
  { ranked, circuits }: ModelPool,
  exclusions: Uint8Array,
): { spare: true } | { spare: false; refusal: Refusal } | null {
  const open = ranked.filter((_, at) => reasonOf(exclusions[at]) === "circuit_open");
  if (open.length === 0) return null;
  if (open.some(({ spareIds }) => (spareIds ?? []).length > 0)) return { spare: true };
  const until = Math.min(...open.map(({ openUntil }) => openUntil ?? 0));
  const retryAfterMs = Math.max(1, until - (circuits?.now ?? 0));
  const models = open.slice(0, maxListed).map(({ model }) => nameOf(model));
  return {
    spare: false,
    refusal: { reason: "unavailable", retryAfterMs, cause: "resting", models },
  };
}

/** Reasoning room shrinks, and open circuits are tried, only if nothing else is feasible. */
export function decide(asking: Asking, pool: ModelPool): Result<Plan, Refusal> {
  const roomy = decideWith(asking, pool);
  if (roomy.ok && !lacksRoomForEveryday(roomy.value, asking, pool)) return roomy;
  const { needs } = asking;
  const shrunk = { ...needs, reasoning: { ...needs.reasoning, shrinks: true as const } };
  const tight = decideWith({ ...asking, needs: shrunk }, pool);
  if (tight.ok) return tight;
  const waiting = openIn(pool, tight.error);
  if (waiting?.spare === true) return decide(asking, withSpares(pool));
  return err(
    waiting?.refusal ?? {
      reason: "no_eligible_model",
      cause: pool.ranked.length === 0 ? "no_known_model" : "all_excluded",
      requirements: needs,
      candidates: excludedOf(pool, tight.error).map(({ provider, model, excludedBy }) => ({
        model: `${provider}/${model}`,
        excludedBy: excludedBy ?? "no_credential",
      })),
    },
  );
}

function lacksRoomForEveryday(
  { decision, requirements }: Plan,
  { weights }: Asking,
  pool: ModelPool,
): boolean {
  const [chosen] = decision.candidates;
  if (!isBalanced(weights) || chosen?.matchedHint !== undefined || requirements.reasoning?.roomless)
    return false;
  const ranks = everydayRanks(pool, kindOf(requirements));
  const rankOf = (provider: string, model: string): number =>
    ranks.get(pool.served.findIndex((each) => each.provider === provider && each.id === model)) ??
    Number.POSITIVE_INFINITY;
  const rank = rankOf(decision.provider, decision.model);
  return decision.candidates.some(
    ({ provider, model, excludedBy }) =>
      excludedBy === "reasoning_room" && rankOf(provider, model) < rank,
  );
}

function levelsOf(
  pool: ModelPool,
  positions: readonly number[],
  { narrowed, loopPosition, asking }: { narrowed: Narrowed; loopPosition: number; asking: Asking },
): number[] {
  const { isLate } = pool.columns;
  if (asking.needs.model !== undefined)
    return positions.map((at) => {
      const model = pool.served[at];
      return model === undefined ? lateLevel : rankOfNamed(model, asking.needs);
    });
  const isSilent = isBalanced(asking.weights);
  const everyday =
    isSilent && narrowed.hint === null ? everydayRanks(pool, kindOf(asking.needs)) : null;
  const levels = positions.map((at) => {
    const hinted = narrowed.levels?.[at] ?? 0;
    const rank = everyday?.get(at);
    const unhinted =
      rank !== undefined ? everydayLevel + rank : isLate[at] === 1 ? lateLevel : unhintedLevel;
    return at === loopPosition ? firstLevel : hinted === 0 ? unhinted : hinted;
  });
  if (isSilent && narrowed.hint !== null && loopPosition === -1)
    putLeaders(levels, { positions, pool, narrowed, kind: kindOf(asking.needs) });
  return levels;
}

function putLeaders(
  levels: number[],
  {
    positions,
    pool,
    narrowed,
    kind,
  }: { positions: readonly number[]; pool: ModelPool; narrowed: Narrowed; kind: Kind },
): void {
  const best = levels.reduce((lowest, level) => Math.min(lowest, level), unhintedLevel);
  // Models of one name differ only in their provider, so price and speed decide.
  if (best <= versionLevel && !narrowed.viaEquivalence) return;
  const liked = positions.flatMap((at, place) => {
    const model = levels[place] === best ? pool.served[at] : undefined;
    return model === undefined ? [] : [{ model, place }];
  });
  const leaders = new Set(
    leadersAmong(
      liked.map(({ model }) => model),
      pool,
      kind,
    ),
  );
  for (const { model, place } of liked) if (leaders.has(model)) levels[place] = firstLevel;
}

function decideWith(asking: Asking, pool: ModelPool): Result<Plan, Uint8Array> {
  const { needs, hints, weights, toolLoop = null } = asking;
  const { served } = pool;
  const compiled = compileRequirements(needs);
  const feasibility = feasibilityOf(pool, compiled);
  const { exclusions, hintOnly } = feasibility;
  const loopPosition =
    toolLoop === null
      ? -1
      : served.findIndex((model, at) => exclusions[at] === 0 && isOf(toolLoop, model));
  if (loopPosition !== -1) hintOnly[loopPosition] = 0;
  const found = narrow(
    hints,
    {
      models: served,
      isFeasible: (at) => exclusions[at] === 0,
      isHintOnly: (at) => hintOnly[at] !== 0,
      isExactOnly: (at) => reasonOf(hintOnly[at]) === "unknown_class",
    },
    pool.models,
  );
  const isOpen = found.viaEquivalence && isBalanced(weights) && namesMaker(found.hint ?? "");
  const narrowed = isOpen ? nothingNarrowed : found;
  const positions = feasibleOf(feasibility, narrowed);
  if (positions.length === 0) return err(exclusions);
  const levels = levelsOf(pool, positions, { narrowed, loopPosition, asking });
  const leaders = pool.copies === null ? null : leadersOf(pool.copies, positions, levels);
  const scores = scoreAll({ pool, positions, leaders, compiled, weights });
  const order = orderOf(scores, { levels, lateLevel });
  const choices = choicesOf(order, compiled).map((choice) =>
    toolLoop !== null && isOf(toolLoop, choice.model)
      ? { ...choice, credentialIds: credentialsLedBy(choice.credentialIds, toolLoop.credentialId) }
      : choice,
  );
  return ok({
    requirements: needs,
    choices,
    halfOpen: pool.circuits?.halfOpen ?? new Map(),
    decision: explain(asking, pool, { order, levels, narrowed, exclusions }),
  });
}

/** Repeats the selection without room for reasoning; null: already done. */
export function planWithoutRoom(plan: Plan, asking: Asking, pool: ModelPool): Plan | null {
  const { reasoning } = plan.requirements;
  if (reasoning?.roomless === true) return null;
  const { toolLoop = null } = asking;
  const needs = {
    ...plan.requirements,
    reasoning: {
      ...reasoning,
      roomless: true as const,
      ...(toolLoop !== null && { shrinks: true as const }),
    },
  };
  const notes = [...asking.notes, roomlessNote];
  const roomless = decide({ ...asking, needs, notes }, pool);
  return roomless.ok ? roomless.value : null;
}

/** Repeats the selection for an answer of `maxTokens`; null: already as short, or nothing is feasible. */
export function planShortened(
  { plan, maxTokens }: { plan: Plan; maxTokens: number },
  asking: Asking,
  pool: ModelPool,
): Plan | null {
  const { requirements, decision } = plan;
  if (requirements.maxTokens <= maxTokens) return null;
  const needs = { ...requirements, maxTokens };
  const note = `limits: maxTokens lowered from ${requirements.maxTokens} to ${maxTokens}, because the remaining limit was too low`;
  const shortened = decide({ ...asking, needs, notes: [...decision.notes, note] }, pool);
  return shortened.ok ? shortened.value : null;
}

export const choose = (call: SamplingCall, pool: ModelPool): Result<Plan, Refusal> =>
  decide(askingOf(call, pool), pool);
