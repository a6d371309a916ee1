/** Whether a call needs approval, and what the approver sees. */
import type { JsonObject } from "../../domain/json.ts";
import type {
  ApprovalStage,
  ApprovalWebhook,
  NewApproval,
} from "../../domain/sampling/approval.ts";
import type { Snapshot } from "../../domain/ports/stores.ts";
import type { Who } from "../../domain/audit/record.ts";
import { nameOf } from "../../domain/models/model.ts";
import {
  approvalNeeded,
  approvalRuleOf,
  type ApprovalNeed,
} from "../../domain/sampling/approval.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import type { Decision } from "../../domain/choice/decision.ts";
import type { AsyncResult, Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Reserved } from "../sampling/admission/admit.ts";
import { heldReservationOf } from "../sampling/admission/ladder.ts";
import type { Chooser, Declared, Planned } from "../sampling/choice/choose.ts";
import type { Chosen } from "../sampling/states/states.ts";

export interface ShownRequest {
  who: Who;
  server: string | null;
  call: SamplingCall;
  model: string;
  alternatives: string[];
  estimate: Decision["estimate"];
  /** USD; `null` without a known price */
  reservedUsd: number | null;
}

export interface KeptRequest {
  shown: ShownRequest;
  /** to plan the call again without its caller */
  declared: {
    capabilities: JsonObject;
    tags: [string, string | null][];
    denied: string[];
    ignored: string[];
  };
  /** before the tenant's rules were applied, which also apply to edits */
  asked: SamplingCall;
}

const chosenIn = ({ provider, model }: Decision): string => nameOf({ provider, id: model });

export const declaredIn = ({ declared }: KeptRequest): Declared => ({
  capabilities: declared.capabilities,
  features: {
    declared: new Map(declared.tags),
    denied: new Set(declared.denied),
    ignored: declared.ignored,
  },
});

type ToApprove = Pick<Chosen, "caller" | "server"> & {
  plan: Pick<Planned, "decision" | "choices">;
  reserved: Pick<Reserved, "microUsd">;
  request: Pick<Chosen["request"], "tool">;
};

export function approvalFor(call: ToApprove): ApprovalNeed | null {
  const { plan, reserved, caller, server, request } = call;
  const { policy } = caller.snapshot.tenant;
  const { provider, model, requirements } = plan.decision;
  const { inputModalities, outputModalities } = requirements;
  return approvalNeeded(approvalRuleOf(policy, server?.policy ?? null), {
    costMicroUsd: reserved.microUsd,
    model: plan.choices[0]?.model ?? { provider, id: model },
    server: caller.server?.slug ?? null,
    tool: request.tool,
    modalities: [...inputModalities, ...outputModalities],
  });
}

export const pinnedTo = (snapshot: Snapshot, pinnedModel: string): Snapshot => ({
  ...snapshot,
  pinnedModel,
});

export interface Holdable {
  plan: Planned;
  reserved: Reserved;
  approval: NewApproval;
}

export type SealContent = (tenantId: string, id: string, text: string) => Promise<string[]>;

export type ToHold = Pick<
  Chosen,
  "request" | "opening" | "asked" | "plan" | "caller" | "server" | "now"
>;

export type Hold = (call: ToHold, need: ApprovalNeed) => AsyncResult<Holdable>;

const shownOf = (
  { opening, plan: { decision }, caller }: ToHold,
  { plan, reserved }: Omit<Holdable, "approval">,
): ShownRequest => {
  const model = chosenIn(plan.decision);
  return {
    who: opening.who,
    server: caller.server?.slug ?? null,
    call: plan.call,
    model,
    alternatives: decision.candidates
      .filter(({ excludedBy }) => excludedBy === undefined)
      .map((candidate) => nameOf({ provider: candidate.provider, id: candidate.model }))
      .filter((name) => name !== model),
    estimate: plan.decision.estimate,
    reservedUsd: reserved.microUsd === null ? null : reserved.microUsd / 1e6,
  };
};

/** Webhook payload without content, which has not been approved to leave. */
export function webhookOf(
  { opening, caller, need }: Pick<ToHold, "opening" | "caller"> & { need: ApprovalNeed },
  of: {
    stage: ApprovalStage;
    model: string;
    /** USD, at most or actual */
    costUsd: number | null;
    consoleOrigin: string | null;
  },
): ApprovalWebhook | null {
  if (need.webhookUrl === null) return null;
  const { who } = opening;
  const { slug } = caller.snapshot.tenant;
  return {
    url: need.webhookUrl,
    notice: {
      requestId: opening.id,
      stage: of.stage,
      tenant: slug,
      keyId: who.keyId,
      clientName: who.clientName,
      server: caller.server?.slug ?? null,
      tool: who.tool,
      model: of.model,
      costUsd: of.costUsd,
      conditions: need.conditions,
      console: of.consoleOrigin === null ? null : `${of.consoleOrigin}/console/t/${slug}/approvals`,
    },
  };
}

export function planFor(
  chooser: Pick<Chooser, "plan">,
  wanted: Pick<ToHold, "asked" | "caller" | "server" | "now"> & {
    declared: Declared;
    model: string;
    /** defaults to now */
    countedAt?: number;
  },
): Result<Omit<Holdable, "approval">, Refusal> {
  const { asked, caller, server, declared, now, model, countedAt } = wanted;
  const plan = chooser.plan(asked, pinnedTo(caller.snapshot, model), declared, server);
  if (!plan.ok) return plan;
  const all = heldReservationOf({ plan: plan.value, caller, server, names: asked, now, countedAt });
  // Slots and circuits are claimed when the call runs.
  const limitChecks = all.limitChecks.filter(({ resource }) => resource !== "concurrent");
  return ok({ plan: plan.value, reserved: { ...all, limitChecks, probes: [] } });
}

/** Keeps the original candidates for the record; the call uses only this model. */
const asMade = (made: Decision, { estimate, failover }: Decision): Decision => ({
  ...made,
  estimate,
  ...(failover !== undefined && { failover }),
});

export const createHold =
  (deps: {
    chooser: Pick<Chooser, "plan">;
    seal: SealContent;
    sha256Hex: (text: string) => Promise<string>;
    consoleOrigin: string | null;
  }): Hold =>
  async (call, need) => {
    const { opening, asked, plan: chosen, now } = call;
    const declared = call.request.declaredBy(call.caller);
    const model = chosenIn(chosen.decision);
    const planned = planFor(deps.chooser, { ...call, declared, model });
    if (!planned.ok) return planned;
    const shown = shownOf(call, planned.value);
    const { features, capabilities } = declared;
    const kept: KeptRequest = {
      shown,
      declared: {
        capabilities,
        tags: [...features.declared],
        denied: [...features.denied],
        ignored: features.ignored,
      },
      asked,
    };
    const webhook = webhookOf(
      { ...call, need },
      {
        stage: "request",
        model: shown.model,
        costUsd: shown.reservedUsd,
        consoleOrigin: deps.consoleOrigin,
      },
    );
    const parts = await deps.seal(
      opening.who.tenantId,
      `${opening.id}#request`,
      JSON.stringify(kept),
    );
    const { plan, reserved } = planned.value;
    return ok({
      plan: { ...plan, decision: asMade(chosen.decision, plan.decision) },
      reserved,
      approval: {
        stage: "request",
        deadline: now + need.timeoutMs,
        onTimeout: need.onTimeout,
        conditions: need.conditions,
        contentHash: await deps.sha256Hex(JSON.stringify(shown)),
        parts,
        ...(webhook !== null && { webhook }),
      },
    });
  };
