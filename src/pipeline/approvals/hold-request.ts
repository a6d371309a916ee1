/** Whether a call has to wait for a person, and what that person is shown. */
import type { JsonObject } from "../../domain/json.ts";
import type {
  ApprovalStage,
  ApprovalWebhook,
  NewApproval,
} from "../../domain/sampling/approval.ts";
import type { Snapshot } from "../../domain/ports/stores.ts";
import type { Opening, Who } from "../../domain/audit/record.ts";
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
import type { Caller } from "../callers/authenticate.ts";
import type { Chooser, Declared, Planned } from "../sampling/choice/choose.ts";
import type { AskingServer } from "../callers/scopes.ts";

/** What the approver of a request is shown. */
export interface ShownRequest {
  who: Who;
  /** the slug of the asking server; null: the caller asks for itself */
  server: string | null;
  call: SamplingCall;
  /** `provider/model` that was chosen */
  model: string;
  /** the other models that can serve the call, best first */
  alternatives: string[];
  estimate: Decision["estimate"];
  /** USD that is reserved: the most that the call may cost; null: no known price */
  reservedUsd: number | null;
}

/** What is kept of a held request. */
export interface KeptRequest {
  shown: ShownRequest;
  /** with which the call can be planned again, where its caller is not at hand */
  declared: {
    capabilities: JsonObject;
    tags: [string, string | null][];
    denied: string[];
    ignored: string[];
  };
  /** the call before the tenant's rules shaped it: an edit is shaped as the caller's own words are */
  asked: SamplingCall;
}

const chosenIn = ({ provider, model }: Decision): string => nameOf({ provider, id: model });

/** What was declared, as the chooser takes it. */
export const declaredIn = ({ declared }: KeptRequest): Declared => ({
  capabilities: declared.capabilities,
  features: {
    declared: new Map(declared.tags),
    denied: new Set(declared.denied),
    ignored: declared.ignored,
  },
});

/** Who asks for what, as far as a rule of approval reads it. */
interface Wanted {
  plan: Planned;
  reserved: Reserved;
  caller: Caller;
  server: AskingServer | null;
  tool: string | null;
}

export function approvalFor({ plan, reserved, caller, server, tool }: Wanted): ApprovalNeed | null {
  const { policy } = caller.snapshot.tenant;
  const { provider, model, requirements } = plan.decision;
  const { inputModalities, outputModalities } = requirements;
  return approvalNeeded(approvalRuleOf(policy, server?.policy ?? null), {
    costMicroUsd: reserved.microUsd,
    model: plan.choices[0]?.model ?? { provider, id: model },
    server: caller.server?.slug ?? null,
    tool,
    modalities: [...inputModalities, ...outputModalities],
  });
}

/** A snapshot in which only that model can be chosen: a person approves a model, and not whatever stands in for it. */
export const pinnedTo = (snapshot: Snapshot, pinnedModel: string): Snapshot => ({
  ...snapshot,
  pinnedModel,
});

export interface ToHold {
  opening: Opening;
  asked: SamplingCall;
  /** the decision before the call is pinned to its model, with the other models */
  decision: Decision;
  caller: Caller;
  server: AskingServer | null;
  declared: Declared;
  need: ApprovalNeed;
  now: number;
}

/** A call as it will wait: on the chosen model alone, and without a place to run in. */
export interface Holdable {
  plan: Planned;
  reserved: Reserved;
  approval: NewApproval;
}

/** Seals texts in parts that fit a row. */
export type SealContent = (tenantId: string, id: string, text: string) => Promise<string[]>;

export type Hold = (toHold: ToHold) => AsyncResult<Holdable>;

const shownOf = (
  { opening, decision, caller }: ToHold,
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

/** What a webhook is told of a held call: no content of the call, since nobody has approved that it leaves. */
export function webhookOf(
  { opening, caller, need }: Pick<ToHold, "opening" | "caller"> & { need: ApprovalNeed },
  of: {
    stage: ApprovalStage;
    model: string;
    /** USD that the call may cost at most, or has cost; null: no known price */
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
      why: need.why,
      console: of.consoleOrigin === null ? null : `${of.consoleOrigin}/console/t/${slug}/approvals`,
    },
  };
}

/** Plans a call for one model, and reserves what the call may cost there. */
export function planFor(
  chooser: Pick<Chooser, "plan">,
  wanted: Pick<ToHold, "asked" | "caller" | "server" | "declared" | "now"> & {
    model: string;
    /** absent: the call is counted from now on */
    countedAt?: number;
  },
): Result<Omit<Holdable, "approval">, Refusal> {
  const { asked, caller, server, declared, now, model, countedAt } = wanted;
  const plan = chooser.plan(asked, pinnedTo(caller.snapshot, model), declared, server);
  if (!plan.ok) return plan;
  const all = heldReservationOf({ plan: plan.value, caller, server, names: asked, now, countedAt });
  // The place is taken when the call runs, and circuits are tried then.
  const holds = all.holds.filter(({ resource }) => resource !== "concurrent");
  return ok({ plan: plan.value, reserved: { ...all, holds, probes: [] } });
}

/** The decision as it was made among all models, for whoever asks why this one. The call may use this one alone. */
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
    /** where the console is reached; null: unknown */
    consoleOrigin: string | null;
  }): Hold =>
  async (toHold) => {
    const { opening, decision, declared, need, now } = toHold;
    const planned = planFor(deps.chooser, { ...toHold, model: chosenIn(decision) });
    if (!planned.ok) return planned;
    const shown = shownOf(toHold, planned.value);
    const { features, capabilities } = declared;
    const kept: KeptRequest = {
      shown,
      declared: {
        capabilities,
        tags: [...features.declared],
        denied: [...features.denied],
        ignored: features.ignored,
      },
      asked: toHold.asked,
    };
    const { model, reservedUsd: costUsd } = shown;
    const webhook = webhookOf(toHold, {
      stage: "request",
      model,
      costUsd,
      consoleOrigin: deps.consoleOrigin,
    });
    const parts = await deps.seal(
      opening.who.tenantId,
      `${opening.id}#request`,
      JSON.stringify(kept),
    );
    const { plan, reserved } = planned.value;
    return ok({
      plan: { ...plan, decision: asMade(decision, plan.decision) },
      reserved,
      approval: {
        stage: "request",
        deadline: now + need.timeoutMs,
        onTimeout: need.onTimeout,
        why: need.why,
        shown: await deps.sha256Hex(JSON.stringify(shown)),
        parts,
        ...(webhook !== null && { webhook }),
      },
    });
  };
