import { ignoredIn, type Ignored } from "../../domain/choice/ignored.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import type { Decision } from "../../domain/choice/decision.ts";
import { candidatesFor, withFailover } from "./admission/admit.ts";
import type { Caller } from "../callers/authenticate.ts";
import type { Chooser, Declared } from "./choice/choose.ts";

export type DryRun = Decision & { ignored: Ignored };

export const createRoute =
  ({ chooser, now }: { chooser: Chooser; now: () => number }) =>
  (call: SamplingCall, caller: Caller, declared: Declared): Result<DryRun, Refusal> => {
    const plan = chooser.plan(call, caller.snapshot, declared);
    if (!plan.ok) return plan;
    const steps = candidatesFor({
      plan: plan.value,
      caller,
      server: null,
      names: call,
      now: now(),
    });
    const decision = withFailover(plan.value.decision, { steps });
    const { provider, model: id, notes } = decision;
    const answeredBy = steps[0]?.model ?? { provider, id };
    return ok({ ...decision, ignored: ignoredIn({ call, decision, answeredBy, notes }) });
  };

export type Route = ReturnType<typeof createRoute>;
