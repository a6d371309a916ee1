/** Repeats a recorded decision under two policies with current catalogue data, to show the difference. */
import type { SamplingRecord } from "./record.ts";
import type { ModelPool } from "../choice/model-pool.ts";
import type { Policy } from "../choice/policy.ts";
import { decide } from "../choice/selection.ts";
import type { ExclusionReason, ReasoningNeeds, Requirements } from "../requirements.ts";
import type { Reason } from "../refusals.ts";

export type TriedChoice =
  | { model: string; refused: null }
  | {
      model: null;
      refused: { reason: Reason; excluded: Partial<Record<ExclusionReason, number>> };
    };

export interface TriedDecision {
  recorded: string;
  before: TriedChoice;
  after: TriedChoice;
  isChanged: boolean;
  excludedBy: ExclusionReason | null;
}

/** Members whose effect depends on data that records do not contain. */
const notReplayable = [
  "limits",
  "tags",
  "runs",
  "perUser",
  "groups",
  "raises",
  "rules",
  "toolRounds",
  "approval",
  "maxAttempts",
  "promptCaching",
] as const satisfies (keyof Policy)[];

const isOther = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) !== JSON.stringify(other);

const callersStopped = ({ stopped = {} }: Policy) => [
  stopped.tenant,
  stopped.keys,
  stopped.servers,
];

export const notReplayed = (before: Policy, after: Policy): string[] => [
  ...notReplayable.filter((name) => isOther(before[name], after[name])),
  ...(isOther(callersStopped(before), callersStopped(after)) ? ["stopped"] : []),
];

function reasoningUnder(
  { shrinks: _s, roomless: _r, wish: _w, tokens: _t, ...asked }: ReasoningNeeds,
  { reasoning, reasoningTokens }: Policy,
): ReasoningNeeds {
  return {
    ...asked,
    ...(reasoning !== undefined && reasoning !== "least" && { wish: reasoning }),
    ...(reasoningTokens !== undefined && { tokens: reasoningTokens }),
  };
}

function needsUnder(
  { reasoning = {}, ...needs }: Requirements,
  askedTokens: number,
  pool: ModelPool,
): Requirements {
  const wanted = reasoningUnder(reasoning, pool.policy);
  return {
    ...needs,
    maxTokens: Math.min(askedTokens, pool.policy.maxTokens ?? askedTokens),
    ...(Object.keys(wanted).length > 0 && { reasoning: wanted }),
  };
}

interface Tried {
  choice: TriedChoice;
  excludedBy: ReadonlyMap<string, ExclusionReason>;
}

function tryWith(
  pool: ModelPool,
  { decision, asked }: { decision: NonNullable<SamplingRecord["decision"]>; asked: Asked },
): Tried {
  const { weights, toolLoop } = decision;
  const made = decide(
    {
      needs: needsUnder(decision.requirements, asked.maxTokens, pool),
      hints: decision.alias?.hints ?? asked.hints,
      weights,
      notes: [],
      toolLoop: toolLoop === undefined ? null : { ...toolLoop, credentialId: "" },
    },
    pool,
  );
  if (made.ok) {
    const { provider, model, candidates } = made.value.decision;
    return {
      choice: { model: `${provider}/${model}`, refused: null },
      excludedBy: new Map(
        candidates.flatMap((candidate) =>
          candidate.excludedBy === undefined
            ? []
            : [[`${candidate.provider}/${candidate.model}`, candidate.excludedBy] as const],
        ),
      ),
    };
  }
  const excluded: Partial<Record<ExclusionReason, number>> = {};
  const candidates = made.error.reason === "no_eligible_model" ? made.error.candidates : [];
  for (const { excludedBy } of candidates) excluded[excludedBy] = (excluded[excludedBy] ?? 0) + 1;
  return {
    choice: { model: null, refused: { reason: made.error.reason, excluded } },
    excludedBy: new Map(candidates.map(({ model, excludedBy }) => [model, excludedBy])),
  };
}

type Asked = NonNullable<SamplingRecord["asked"]>;

export function tryPolicy(
  { decision, asked }: Pick<SamplingRecord, "decision" | "asked">,
  pools: { before: ModelPool; after: ModelPool },
): TriedDecision | null {
  if (decision === null || asked === null) return null;
  const { choice: before } = tryWith(pools.before, { decision, asked });
  const after = tryWith(pools.after, { decision, asked });
  return {
    recorded: `${decision.provider}/${decision.model}`,
    before,
    after: after.choice,
    isChanged: before.model !== after.choice.model,
    excludedBy: before.model === null ? null : (after.excludedBy.get(before.model) ?? null),
  };
}
