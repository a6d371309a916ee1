/** Refused: no provider was called for this request. */
import { detailOf } from "../../../domain/audit/record.ts";
import type { LimitState } from "../../../domain/limits/limit-checks.ts";
import type { Ledger } from "../../../domain/ports/ledger.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import { err } from "../../../domain/result.ts";
import type { Arrived, Refused } from "./states.ts";

export const withoutProvider = {
  attempts: [],
  answered: null,
  usage: null,
  chargedMicroUsd: 0,
  timing: {},
};

export const refused = (
  { opening, observed }: Pick<Arrived, "opening" | "observed">,
  refusal: Refusal,
  limits: LimitState[] = [],
): Refused => ({
  state: "refused",
  requestId: opening.id,
  limits,
  answeredBy: "this-call",
  timing: observed.ends({ ...withoutProvider, outcome: "refused", refusal }),
  outcome: err(refusal),
});

export type Refuse = (
  call: Pick<Arrived, "opening" | "observed">,
  refusal: Refusal,
) => Promise<Refused>;

/** Records a refusal before admission. If the record can't be written, that is the refusal. */
export const createRefuse =
  ({ ledger }: { ledger: Pick<Ledger, "refuse"> }): Refuse =>
  async (call, refusal) => {
    const recorded = await ledger.refuse(call.opening, refusal.reason, detailOf(refusal), null);
    return refused(call, recorded.ok ? refusal : recorded.error);
  };
