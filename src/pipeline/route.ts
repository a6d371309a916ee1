/** The dry run: the choice for a request, without calling anyone or charging anything. */
import { everyCapability } from "../domain/capabilities.ts";
import { featuresOf } from "../domain/negotiation.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Refusal } from "../domain/refusals.ts";
import { ok, type Result } from "../domain/result.ts";
import type { SamplingCall } from "../domain/sampling.ts";
import type { Decision } from "../domain/selection.ts";
import { candidatesFor, withFailover } from "./admit.ts";
import type { Caller } from "./authenticate.ts";
import type { Chooser } from "./choose.ts";

export const createRoute =
  ({ chooser }: { chooser: Chooser }) =>
  (
    call: SamplingCall,
    caller: Caller,
    capabilitiesOf: (raw: JsonObject) => JsonObject,
  ): Result<Decision, Refusal> => {
    const raw = caller.session?.capabilities ?? everyCapability;
    const plan = chooser.plan(call, caller.snapshot, {
      capabilities: capabilitiesOf(raw),
      features: featuresOf(raw),
    });
    if (!plan.ok) return plan;
    const steps = candidatesFor({ plan: plan.value, caller, server: null });
    return ok(withFailover(plan.value.decision, { steps }));
  };

export type Route = ReturnType<typeof createRoute>;
