/** What becomes of a call before a provider is called. */
import type { Opening } from "../../domain/audit/record.ts";
import type { LimitState } from "../../domain/limits/holds.ts";
import type { IdempotentCall } from "../../domain/ports/ledger.ts";
import type { Refusal } from "../../domain/refusals.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import type { ReplayKey } from "../../domain/sampling/replay-key.ts";
import type { Claimed, Reserved } from "./admission/admit.ts";
import type { Planned } from "./choice/choose.ts";
import type { Admitted } from "./settlement/finish.ts";

export type Decided = { requestId: string; limits: LimitState[] } & (
  | { state: "refused"; refusal: Refusal }
  | { state: "admitted"; admitted: Admitted }
  /** the same call came before, and is answered with the result of the first one */
  | {
      state: "repeated";
      first: IdempotentCall;
      call: SamplingCall;
      /** a server that was sent away asks again under another id, and nobody else answers that */
      returns?: true;
    }
  /** the call waits for a person. Whoever sends `replayKey` joins it */
  | {
      state: "held";
      first: IdempotentCall;
      call: SamplingCall;
      replayKey: ReplayKey;
      /** the key that the router made for the call; null: the caller has its own */
      idempotencyKey: string | null;
    }
);

/**
 * Before a refusal is believed, a caller from memory is read anew: the caller may have changed, and may have a
 * model now.
 */
export type Tried =
  | Decided
  | { state: "nothing_to_choose"; refusal: Refusal }
  /** the tenant changed since the caller was read */
  | { state: "stale" }
  /** only what running calls have reserved is in the way */
  | { state: "waits" };

/** The claim that the admission took. */
export const takenOf = (
  first: { plan: Planned; reserved: Reserved },
  taken: Claimed | undefined,
): { plan: Planned; reserved: Reserved } => {
  if (taken === undefined) return first;
  const { plan, reserved } = taken;
  const { maxTokens } = plan.requirements;
  return { plan: { ...first.plan, ...plan, call: { ...first.plan.call, maxTokens } }, reserved };
};

export const refused = ({ id }: Pick<Opening, "id">, refusal: Refusal, limits: LimitState[] = []) =>
  ({ state: "refused", requestId: id, limits, refusal }) as const;
