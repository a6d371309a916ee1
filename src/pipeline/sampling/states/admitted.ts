/** Admitted: the limits have room, and the call's record is written. */
import type { Admission } from "../../../domain/ports/ledger.ts";
import type { NewApproval } from "../../../domain/sampling/approval.ts";
import type {
  Admit,
  PlannedReservation,
  FallbackReservation,
  Reserved,
} from "../admission/admit.ts";
import { ladderOf } from "../admission/ladder.ts";
import { limitRefusal } from "../admission/limit-refusal.ts";
import type { LostAdmission } from "../admission/lost-admissions.ts";
import type { Planned } from "../choice/choose.ts";
import type { Repeat } from "./joined.ts";
import { refused } from "./refused.ts";
import type { Chosen, Decided, Undecided } from "./states.ts";

export interface ToClaim {
  plan: Planned;
  reserved: Reserved;
  fallbacks: readonly FallbackReservation[];
  /** the call waits for approval; null: it runs immediately */
  approval: NewApproval | null;
}

export type Claim = (
  call: Chosen,
  toClaim: ToClaim,
) => Promise<
  { state: "granted"; granted: Admission & { state: "admitted" } } | Decided | Undecided
>;

export const createClaim =
  (deps: {
    admit: Admit;
    repeat: Repeat;
    /** Not waited for, not even by a host that ends. */
    release: (lost: LostAdmission) => void;
  }): Claim =>
  async (call, toClaim) => {
    const ifReserved = toClaim.approval === null ? call.ifReserved : "refused";
    const { caller, opening, replayKey, now } = call;
    const admission = await deps.admit({ ...toClaim, ifReserved, caller, opening, replayKey, now });
    if (!admission.ok) {
      const { error } = admission;
      // An admission without an answer may have happened. A full database has answered.
      if (error.reason !== "unavailable" || error.cause === undefined)
        deps.release({
          opening: call.opening,
          limitChecks: toClaim.reserved.limitChecks,
          isKeyed: call.replayKey !== null,
        });
      return refused(call, error);
    }
    const { value } = admission;
    switch (value.state) {
      case "admitted":
        return { state: "granted", granted: value };
      case "refused":
        return refused(call, limitRefusal(value.check, value), value.limits);
      case "repeated":
        return deps.repeat(call, value.first);
      default:
        return value;
    }
  };

const takenOf = (
  { plan, reserved }: Chosen,
  taken: PlannedReservation | undefined,
): { plan: Planned; reserved: Reserved } => {
  if (taken === undefined) return { plan, reserved };
  const { maxTokens } = taken.plan.requirements;
  return {
    plan: { ...plan, ...taken.plan, call: { ...plan.call, maxTokens } },
    reserved: taken.reserved,
  };
};

export const createAdmitChosen =
  ({ claim, elapsed }: { claim: Claim; elapsed: () => number }) =>
  async (call: Chosen): Promise<Decided | Undecided> => {
    const { plan, reserved, waitedMs, chosenAt } = call;
    const fallbacks = ladderOf({ ...call, names: call.asked }, reserved);
    const claimed = await claim(call, { plan, reserved, fallbacks, approval: null });
    if (claimed.state !== "granted") return claimed;
    const { blocked, receipt, limits, rung } = claimed.granted;
    const taken = takenOf(call, fallbacks[rung - 1]);
    call.observed.chose(taken.plan.decision);
    return {
      ...call,
      plan: taken.plan,
      reserved: taken.reserved,
      state: "admitted",
      requestId: call.opening.id,
      limits,
      receipt,
      blocked,
      approveMs: 0,
      admitMs: waitedMs + elapsed() - chosenAt,
    };
  };
