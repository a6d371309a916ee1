import { captureOf } from "../../../domain/audit/capture.ts";
import { sizeOf } from "../../../domain/choice/attempt-timeout.ts";
import type { Opening, Receipt, Settlement, Timing } from "../../../domain/audit/record.ts";
import type { Reserved } from "../admission/admit.ts";
import type { AttemptsMade } from "../attempts/attempt.ts";
import type { Caller } from "../../callers/authenticate.ts";
import type { Planned } from "../choice/choose.ts";
import type { SamplingRequest } from "../request/sampling-request.ts";

interface AdmittedCall {
  caller: Caller;
  request: SamplingRequest;
  plan: Pick<Planned, "decision">;
  reserved: Reserved;
  opening: Opening;
  receipt: Receipt;
  chooseMs: number;
  approveMs: number;
  admitMs: number;
}

export const uncalled = {
  receipt: null,
  attempts: [],
  usage: null,
  costMicroUsd: 0,
  chargedTokens: 0,
  chargedMicroUsd: 0,
  model: null,
  health: [],
  circuits: [],
  failing: [],
  captured: null,
} satisfies Partial<Settlement>;

/** Times in ms. */
export function endOf(
  { request, caller, plan, reserved, opening, receipt, chooseMs, approveMs, admitMs }: AdmittedCall,
  { providerMs, endedAt }: { providerMs: number; endedAt: number },
) {
  const timing: Timing = {
    auth: request.authMs,
    choose: chooseMs,
    approve: approveMs,
    admit: admitMs,
    provider: providerMs,
  };
  return {
    id: opening.id,
    tenantId: caller.snapshot.tenant.id,
    receipt,
    reserved,
    size: sizeOf(plan.decision.requirements.maxTokens),
    timing,
    totalMs: endedAt - request.beganAt,
  };
}

/** `null` if the policy captures nothing. */
export const capturedOf = (
  { request, caller }: Pick<AdmittedCall, "request" | "caller">,
  answer: AttemptsMade["answer"],
): string | null => {
  const { capture, captureSecrets } = caller.snapshot.tenant.policy;
  return capture === "full"
    ? captureOf(request.content, answer.ok ? answer.value.answer.content : null, captureSecrets)
    : null;
};
