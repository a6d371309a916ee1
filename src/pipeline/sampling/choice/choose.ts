import {
  firstWithSamplingTools,
  missingFrom,
  requiredFor,
} from "../../../domain/sampling/capabilities.ts";
import { withheldBy } from "../../../domain/limits/ceilings.ts";
import { poolFrom, type ModelPool, type PoolPolicy } from "../../../domain/choice/model-pool.ts";
import { calledByPolicy } from "../../../domain/choice/named-models.ts";
import type { JsonObject } from "../../../domain/json.ts";
import { callBoundsOf, smallestBudget } from "../../../domain/limits/limit-checks.ts";
import { endOfRaises } from "../../../domain/limits/raises.ts";
import type { Catalogue } from "../../../domain/models/model.ts";
import { modelsOf } from "../../../domain/models/tenant-models.ts";
import type { Features } from "../../../domain/sampling/negotiation.ts";
import type { Asking } from "../../../domain/choice/decision.ts";
import { defaultToolRounds, type Policy } from "../../../domain/choice/policy.ts";
import type { Snapshot } from "../../../domain/ports/stores.ts";
import type { ReasoningRefusals } from "../../../domain/sampling/providers.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import { err, ok, type Result } from "../../../domain/result.ts";
import {
  checkToolHistory,
  toolRoundsOf,
  type SamplingCall,
} from "../../../domain/sampling/call.ts";
import { askingOf } from "../../../domain/choice/asking.ts";
import {
  decide,
  planShortened,
  planWithoutRoom,
  type Plan,
} from "../../../domain/choice/selection.ts";
import {
  recordOf,
  shape,
  shapingOf,
  type NegotiationRecord,
} from "../../../domain/sampling/shaping.ts";
import { withContinuationRequest, continuationNote } from "../../../domain/wires/continuation.ts";
import { pinnedTo } from "./pinned.ts";
import { createReasoningRefusals, withoutRefused } from "./reasoning-refusals.ts";
import { mayNameBudget, scopesOf, type AskingServer } from "../../callers/scopes.ts";

/** What the client declared, or what was advertised to the server of a proxied request. */
export interface Declared {
  /** those that the client's revision defines */
  capabilities: JsonObject;
  /** all that the client sent; absent in proxied requests */
  raw?: { capabilities: JsonObject; revision: string };
  features: Features;
}

export interface Planned extends Plan {
  /** as the model will get it */
  call: SamplingCall;
  /** Plan without room for reasoning, for limits with little left; `null` if this plan has no such room or no model fits. */
  withoutReasoningRoom: () => Plan | null;
  shortened: (plan: Plan, maxTokens: number) => Plan | null;
}

export interface Chooser {
  poolFor(snapshot: Snapshot): ModelPool;
  plan(
    call: SamplingCall,
    snapshot: Snapshot,
    declared: Declared,
    server?: AskingServer | null,
  ): Result<Planned, Refusal>;
}

interface Prepared {
  catalogue: Catalogue;
  serverPolicy: string;
  reasoningRefusalsVersion: number;
  raisedUntil: number;
  pool: ModelPool;
}

export function policyFor(
  snapshot: Pick<Snapshot, "tenant" | "key" | "pinnedModel">,
  { server, now }: { server: AskingServer | null; now: number },
): PoolPolicy {
  const { policy } = snapshot.tenant;
  const scopes = scopesOf(snapshot, { server, now });
  const { allowedModels, deniedModels, maxTokens, previews, deadlineMs } = policy;
  const { reasoning, reasoningTokens, promptCaching } = policy;
  const max = Math.min(
    maxTokens ?? Number.POSITIVE_INFINITY,
    server?.policy.maxTokens ?? Number.POSITIVE_INFINITY,
  );
  const bounds = callBoundsOf(scopes);
  const withheldProviders = withheldBy(snapshot.tenant.ceiling);
  return {
    ...(withheldProviders !== undefined && { withheldProviders }),
    ...(policy.stopped !== undefined && { stopped: policy.stopped }),
    ...(Number.isFinite(Math.min(bounds.tokens, bounds.microUsd)) && { bounds }),
    ...(snapshot.pinnedModel !== undefined && { pinnedModel: snapshot.pinnedModel }),
    ...(allowedModels !== undefined && { allowedModels }),
    ...(deniedModels !== undefined && { deniedModels }),
    ...(Number.isFinite(max) && { maxTokens: max }),
    ...(reasoning !== undefined && { reasoning }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(promptCaching !== undefined && { promptCaching }),
    ...(previews !== undefined && { previews }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(server !== null && { server: server.policy }),
    ...((smallestBudget(scopes) !== null || mayNameBudget(policy)) && {
      budgeted: true,
    }),
  };
}

/** Deducts from the wait the time since the refusal was computed. */
const withRemainingWait = (
  refusal: Extract<Refusal, { reason: "unavailable" }>,
  passedMs: number,
): Refusal => ({
  ...refusal,
  retryAfterMs: Math.max(1, refusal.retryAfterMs - Math.max(0, passedMs)),
});

/** If no plan with the prefill is possible, plans a request to continue instead, unless the policy refuses prefills. */
function planCall(
  { prefill = "refuse" }: Policy,
  pool: ModelPool,
  { call, negotiation }: { call: SamplingCall; negotiation: NegotiationRecord | null },
): { call: SamplingCall; asking: Asking; plan: Result<Plan, Refusal> } {
  const asking = askingOf(call, pool, negotiation);
  const plan = decide(asking, pool);
  const unchanged = { call, asking, plan };
  if (plan.ok || prefill === "refuse" || asking.needs.wire?.prefill !== true) return unchanged;
  const continued = withContinuationRequest(call);
  const withoutNote = askingOf(continued, pool, negotiation);
  const noted = { ...withoutNote, notes: [...withoutNote.notes, continuationNote] };
  const fallback = decide(noted, pool);
  return fallback.ok ? { call: continued, asking: noted, plan: fallback } : unchanged;
}

/** A tool's arguments are useless if they are cut off. */
const needsWhole = ({ toolChoice, endpoint }: SamplingCall): boolean =>
  toolChoice === "required" && endpoint === undefined;

export function createChooser(deps: {
  catalogue: () => Catalogue;
  now: () => number;
  refusals?: ReasoningRefusals;
}): Chooser {
  const { refusals: reasoningRefusals = createReasoningRefusals(0) } = deps;
  // Health and circuits are read with the snapshot, so a pool is valid for one snapshot only.
  const prepared = new WeakMap<Snapshot, Map<string, Prepared>>();
  const poolFor = (snapshot: Snapshot, server: AskingServer | null): ModelPool => {
    const catalogue = deps.catalogue();
    const pools = prepared.get(snapshot) ?? new Map<string, Prepared>();
    prepared.set(snapshot, pools);
    const serverId = server?.id ?? "";
    // The server's policy may be newer than the snapshot.
    const serverPolicy = server === null ? "" : JSON.stringify(server.policy);
    const reasoningRefusalsVersion = reasoningRefusals.version();
    const previous = pools.get(serverId);
    const now = deps.now();
    if (
      previous?.catalogue === catalogue &&
      previous.serverPolicy === serverPolicy &&
      previous.reasoningRefusalsVersion === reasoningRefusalsVersion &&
      now < previous.raisedUntil &&
      // When a circuit becomes half-open, it is probed even if the snapshot is old.
      now < (previous.pool.circuits?.until ?? Number.POSITIVE_INFINITY) &&
      // If the clock was set back, the pool's circuits would stay open too long.
      now >= (previous.pool.circuits?.now ?? 0)
    )
      return previous.pool;
    const { credentials, overrides, health, circuits } = snapshot;
    const pool = poolFrom({
      models: withoutRefused(
        modelsOf(catalogue, credentials, overrides),
        credentials,
        reasoningRefusals,
      ),
      credentials,
      catalogueVersion: catalogue.version,
      policy: policyFor(snapshot, { server, now }),
      health,
      circuits,
      now,
    });
    pools.set(serverId, {
      catalogue,
      serverPolicy,
      reasoningRefusalsVersion,
      raisedUntil: endOfRaises(snapshot.tenant.policy.raises, now),
      pool,
    });
    return pool;
  };
  return {
    poolFor: (snapshot) => poolFor(snapshot, null),
    plan(sent, snapshot, { capabilities, features, raw }, server = null) {
      const { policy } = snapshot.tenant;
      const asked = calledByPolicy(sent, policy);
      if (server?.policy.disabled === true)
        return err({ reason: "forbidden", action: "sampling for this server is switched off" });
      const needs = {
        tools: asked.tools.length > 0 || asked.toolChoice !== undefined,
        outputModalities: asked.outputModalities,
      };
      const requiredCapabilities = missingFrom(requiredFor(needs), capabilities);
      if (requiredCapabilities !== null)
        return err({
          reason: "capability_missing",
          requiredCapabilities,
          ...(raw !== undefined &&
            missingFrom(requiredCapabilities, raw.capabilities) === null && {
              detail: `declared, but not supported in revision ${raw.revision}: use ${firstWithSamplingTools} or later`,
            }),
        });
      const history = checkToolHistory(asked.messages);
      if (!history.ok) return history;
      const rounds = Math.min(
        // At a model endpoint, the loop is the client's own.
        policy.toolRounds ?? (asked.endpoint === undefined ? defaultToolRounds : Infinity),
        server?.policy.toolRounds ?? Number.POSITIVE_INFINITY,
      );
      if (toolRoundsOf(asked.messages) > rounds)
        return err({ reason: "forbidden", action: `more than ${rounds} tool rounds` });
      const shaping = shapingOf({
        features,
        rules: policy.rules ?? [],
        readBy: server === null ? "client" : "server",
        wants: asked.outputModalities,
      });
      const shaped = shape(asked, shaping);
      const pool = poolFor(snapshot, server);
      const negotiation = recordOf(features, shaping);
      const { call: kept, asking, plan } = planCall(policy, pool, { call: shaped, negotiation });
      if (!plan.ok) {
        const { error } = plan;
        if (error.reason === "unavailable")
          return err(withRemainingWait(error, deps.now() - (pool.circuits?.now ?? 0)));
        return error.reason === "no_eligible_model" && snapshot.credentials.length === 0
          ? err({ ...error, cause: "no_credential" })
          : plan;
      }
      const pin = asked.passing?.pinned;
      const pinned = pinnedTo(plan.value, pin, snapshot);
      if (!pinned.ok) return pinned;
      const repinned = (other: Plan | null): Plan | null => {
        const result = other === null ? null : pinnedTo(other, pin, snapshot);
        return result?.ok === true ? result.value : null;
      };
      const call = { ...kept, maxTokens: plan.value.requirements.maxTokens };
      const withoutReasoningRoom = (): Plan | null =>
        repinned(planWithoutRoom(plan.value, asking, pool));
      const shortened = (from: Plan, maxTokens: number): Plan | null =>
        needsWhole(kept) ? null : repinned(planShortened({ plan: from, maxTokens }, asking, pool));
      return ok({ ...pinned.value, call, withoutReasoningRoom, shortened });
    },
  };
}
