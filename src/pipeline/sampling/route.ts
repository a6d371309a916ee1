import { ignoredIn, type Ignored } from "../../domain/choice/ignored.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { ApprovalNeed } from "../../domain/sampling/approval.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import type { Decision } from "../../domain/choice/decision.ts";
import { reservationOf, withFailover, type Reserved } from "./admission/admit.ts";
import type { Caller } from "../callers/authenticate.ts";
import type { Chooser, Declared, Planned } from "./choice/choose.ts";

export type DryRun = Decision & {
  ignored: Ignored;
  /** absent if the call needs no approval; `maxCostUsd` `null` without a known price */
  approval?: Pick<ApprovalNeed, "stages" | "conditions"> & { maxCostUsd: number | null };
};

interface RouteDeps {
  chooser: Chooser;
  approvalFor: (call: {
    plan: Planned;
    reserved: Reserved;
    caller: Caller;
    server: null;
    request: { tool: null };
  }) => ApprovalNeed | null;
  now: () => number;
}

export const createRoute =
  ({ chooser, approvalFor, now }: RouteDeps) =>
  (call: SamplingCall, caller: Caller, declared: Declared): Result<DryRun, Refusal> => {
    const planned = chooser.plan(call, caller.snapshot, declared);
    if (!planned.ok) return planned;
    const plan = planned.value;
    const asked = { plan, caller, server: null };
    const reserved = reservationOf({ ...asked, names: call, now: now() });
    const decision = withFailover(plan.decision, reserved);
    const { provider, model: id, notes } = decision;
    const answeredBy = reserved.steps[0]?.model ?? { provider, id };
    const need = approvalFor({ ...asked, reserved, request: { tool: null } });
    return ok({
      ...decision,
      ignored: ignoredIn({ call, decision, answeredBy, notes }),
      ...(need !== null && {
        approval: {
          stages: need.stages,
          conditions: need.conditions,
          maxCostUsd: reserved.microUsd === null ? null : reserved.microUsd / 1e6,
        },
      }),
    });
  };

export type Route = ReturnType<typeof createRoute>;
