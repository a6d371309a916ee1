import { circuitReaches } from "../attempts.ts";
import { scopeOf, stateOf, type Circuit, type CircuitState } from "./circuits.ts";
import { columnsOf, credentialGroupsOf, type Columns } from "./columns.ts";
import { copiesAmong, type Copies } from "./copies.ts";
import { entryOf, type RankedModel } from "./ranked-model.ts";
import { endpointOf } from "./endpoints.ts";
import { measuredFrom, type Health } from "./health.ts";
import { isAllowed } from "../models/allowed.ts";
import {
  cannedProvider,
  credentialsFor,
  nameOf,
  type CredentialSummary,
  type Model,
} from "../models/model.ts";
import { type ExclusionReason } from "../requirements.ts";
import type { Modality } from "../modality.ts";
import type { CallBounds } from "./policy.ts";
import { isStopped, type Switches } from "./switches.ts";
import type { PromptCaching } from "../sampling/prompt-caching.ts";
import { type ReasoningWish } from "../requirements.ts";
import { defaultDeadlineMs, type Previews } from "./policy.ts";
import type { TokenFamily } from "../requirements.ts";
import { isPriced } from "../models/cost.ts";
import { isOffered } from "../models/listings.ts";

export interface ModelPool {
  models: readonly Model[];
  ranked: readonly RankedModel[];
  served: readonly Model[];
  columns: Columns;
  copies: Copies | null;
  /** abilities of the pool, including models with open circuits */
  able: { outputs: ReadonlySet<Modality>; tools: boolean };
  families: readonly TokenFamily[];
  unserved: number;
  catalogueVersion: string;
  policy: PoolPolicy;
  circuits?: PoolCircuits | undefined;
}

export interface PoolCircuits {
  now: number;
  /** ms since the epoch, when the first circuit changes its state */
  until: number;
  /** circuits open for a probe: scope → time of the last change */
  halfOpen: ReadonlyMap<string, number>;
}

export interface PoolPolicy {
  allowedModels?: string[];
  deniedModels?: string[];
  /** `provider/model`: excludes all other models */
  pinnedModel?: string;
  maxTokens?: number;
  reasoning?: ReasoningWish;
  reasoningTokens?: number;
  /** upper bounds of a single call; absent: unlimited */
  bounds?: CallBounds;
  /** the server's own lists, which apply in addition */
  server?: Pick<PoolPolicy, "allowedModels" | "deniedModels">;
  /** a budget applies, so the price must be known */
  budgeted?: true;
  /** absent: `hinted` */
  previews?: Previews;
  deadlineMs?: number;
  promptCaching?: PromptCaching;
  /** providers that the operator pays for and did not enable for the tenant */
  withheldProviders?: ReadonlySet<string>;
  stopped?: Switches;
}

export interface PoolParts {
  models: readonly Model[];
  credentials: readonly CredentialSummary[];
  catalogueVersion: string;
  policy: PoolPolicy;
  health?: readonly Health[];
  circuits?: readonly Circuit[];
  now?: number;
}

function permanentExclusion(
  model: Model,
  credentials: readonly CredentialSummary[],
  policy: PoolPolicy,
): ExclusionReason | null {
  if (model.status === "retired") return "retired";
  if (policy.stopped !== undefined && isStopped(model, policy.stopped)) return "stopped";
  if (policy.withheldProviders?.has(model.provider) === true) return "not_allowed_by_operator";
  if (policy.pinnedModel !== undefined && policy.pinnedModel !== nameOf(model))
    return "not_allowed";
  if (!isAllowed(model, policy) || !isAllowed(model, policy.server ?? {})) return "not_allowed";
  if (credentials.length === 0) return "not_offered";
  if (policy.previews === "never" && model.status === "preview") return "preview";
  if (policy.budgeted === true && !isPriced(model)) return "unknown_price";
  return credentials.every(({ status }) => status === "failing") ? "credential_failing" : null;
}

interface Way {
  id: string;
  openUntil: number | null;
  retryAfterUntil: number | null;
}

function wayOf(
  model: Model,
  credential: CredentialSummary,
  states: ReadonlyMap<string, CircuitState>,
): Way {
  const { id } = credential;
  const way: Way = { id, openUntil: null, retryAfterUntil: null };
  if (states.size === 0) return way;
  const path = { endpoint: endpointOf(credential), credentialId: id, model: nameOf(model) };
  for (const reach of circuitReaches) {
    const circuit = states.get(scopeOf(reach, path));
    if (circuit?.state !== "open") continue;
    way.openUntil = Math.max(way.openUntil ?? 0, circuit.until);
    if (reach === "model") way.retryAfterUntil = circuit.retryAfterUntil;
  }
  return way;
}

function waysOf(
  ways: readonly Way[],
): Pick<RankedModel, "credentialIds" | "spareIds" | "openUntil"> {
  const closed = ways.filter(({ openUntil }) => openUntil === null).map(({ id }) => id);
  if (closed.length > 0 || ways.length === 0) return { credentialIds: closed };
  return {
    credentialIds: [],
    spareIds: ways.filter(({ retryAfterUntil }) => retryAfterUntil === null).map(({ id }) => id),
    // Without an alternative, only the provider's own wait blocks a model.
    openUntil: Math.min(...ways.map((way) => way.retryAfterUntil ?? way.openUntil ?? 0)),
  };
}

const byModelName = (a: Model, b: Model): number => (nameOf(a) < nameOf(b) ? -1 : 1);

export function poolOf(
  ranked: readonly RankedModel[],
  parts: Pick<ModelPool, "models" | "unserved" | "catalogueVersion" | "policy" | "circuits">,
): ModelPool {
  const sorted = ranked.toSorted((a, b) => byModelName(a.model, b.model));
  const able = sorted.filter(({ exclusion }) => exclusion === null);
  return {
    ...parts,
    able: {
      outputs: new Set(able.flatMap(({ model }) => model.outputModalities)),
      tools: able.some(({ model }) => model.tools),
    },
    ranked: sorted,
    served: sorted.map(({ model }) => model),
    columns: columnsOf(sorted, parts.models),
    copies: copiesAmong(sorted),
    families: [...new Set(able.map(({ family }) => family))],
  };
}

function circuitsOf(
  circuits: readonly Circuit[],
  now: number,
): { states: ReadonlyMap<string, CircuitState>; circuits?: PoolCircuits } {
  const states = new Map(circuits.map((circuit) => [circuit.scope, stateOf(circuit, now)]));
  if (states.size === 0) return { states };
  const ends = [...states.values()].flatMap((each) =>
    each.state === "open" ? [each.retryAfterUntil ?? each.until] : [],
  );
  const halfOpen = circuits
    .filter(({ scope }) => states.get(scope)?.state === "half-open")
    .map(({ scope, updatedAt }) => [scope, updatedAt] as const);
  const until = Math.min(Number.POSITIVE_INFINITY, ...ends);
  return { states, circuits: { now, until, halfOpen: new Map(halfOpen) } };
}

export function poolFrom(parts: PoolParts): ModelPool {
  const { models, credentials, policy, health = [], now = 0 } = parts;
  const byModel = Map.groupBy(health, ({ model }) => model);
  const { states, circuits } = circuitsOf(parts.circuits ?? [], now);
  const ranked: RankedModel[] = [];
  // Real and canned answers must never mix, even if the provider fails.
  const areCannedUsed = credentials.every(({ provider }) => provider === cannedProvider);
  for (const model of models.toSorted(byModelName)) {
    const serving = credentialsFor(model, credentials);
    if (serving.length === 0) continue;
    const offering = serving.filter((credential) => isOffered(model, credential));
    const active = offering.filter(({ status }) => status === "active");
    const ways = waysOf(active.map((credential) => wayOf(model, credential, states)));
    const ids = new Set([...ways.credentialIds, ...(ways.spareIds ?? [])]);
    const samples = (byModel.get(nameOf(model)) ?? [])
      .filter(({ credentialId }) => ids.has(credentialId))
      .flatMap((measured) => measured.samples);
    ranked.push(
      entryOf({
        model,
        ...ways,
        preference: credentials.findIndex((each) => each === (active[0] ?? serving[0])),
        exclusion:
          model.provider === cannedProvider && !areCannedUsed
            ? "canned"
            : permanentExclusion(model, offering, policy),
        measured: measuredFrom(samples, now),
        deadline: policy.deadlineMs ?? defaultDeadlineMs,
      }),
    );
  }
  return poolOf(ranked, {
    models,
    unserved: models.length - ranked.length,
    catalogueVersion: parts.catalogueVersion,
    policy,
    circuits,
  });
}

/** The pool without circuits that opened because of faults, for requests that nothing else can serve. */
export function withSpares(pool: ModelPool): ModelPool {
  const ranked = pool.ranked.map((entry) =>
    entry.openUntil === undefined || (entry.spareIds ?? []).length === 0
      ? entry
      : { ...entry, credentialIds: entry.spareIds ?? [], openUntil: undefined },
  );
  return {
    ...pool,
    ranked,
    columns: { ...pool.columns, credentials: credentialGroupsOf(ranked) },
  };
}
