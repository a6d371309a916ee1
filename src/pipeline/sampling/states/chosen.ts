/** Chosen: a model, what the call may use of it, and the limits that count it. */
import { refusalOfNames } from "../../../domain/choice/call-names.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import { reservationOf } from "../admission/admit.ts";
import type { Chooser } from "../choice/choose.ts";
import type { Refuse } from "./refused.ts";
import type { Chosen, Received, Refused, Undecided } from "./states.ts";

export const createChoose =
  (deps: {
    chooser: Pick<Chooser, "plan">;
    refuse: Refuse;
    now: () => number;
    elapsed: () => number;
  }) =>
  async (call: Received): Promise<Chosen | Refused | Undecided> => {
    const { chooser, refuse, now, elapsed } = deps;
    const { request, caller, observed, waitedMs } = call;
    if (!request.call.ok) return refuse(call, request.call.error);
    const asked = request.call.value;
    const unchosen = (refusal: Refusal): Undecided => ({
      ...call,
      state: "unchosen",
      asked,
      refusal,
    });
    // The entry as it is now, so that a server can be disabled immediately.
    const server = request.server === null ? null : { ...request.server, ...caller.server };
    const choosingAt = elapsed();
    const unnamed = refusalOfNames(asked, caller.snapshot.tenant.policy);
    if (unnamed !== null) return unchosen(unnamed);
    const chosen = chooser.plan(asked, caller.snapshot, request.declaredBy(caller), server);
    const chosenAt = elapsed();
    if (!chosen.ok) return unchosen(chosen.error);
    const plan = chosen.value;
    observed.chose(plan.decision);
    const at = now();
    return {
      ...call,
      state: "chosen",
      asked,
      server,
      plan,
      reserved: reservationOf({ plan, caller, server, names: asked, now: at, waitedMs }),
      now: at,
      chosenAt,
      chooseMs: chosenAt - choosingAt,
      approval: null,
    };
  };
