/** Settled: the ledger has the call's end, or gets it as soon as the database is back. */
import type { Ended as ObservedEnd, Timings } from "../../../domain/audit/spans.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import { err, ok } from "../../../domain/result.ts";
import type { Idempotency } from "../request/idempotency.ts";
import {
  chargeAsReserved,
  chargeOf,
  outcomeOf,
  settlingSoon,
  type Ended,
  type Settle,
} from "../settlement/settle.ts";
import type { Summary } from "../settlement/summary.ts";
import { createResultOf, endOf, type Accounted } from "./accounted.ts";
import type { Admitted, Attempted, Running, Settled } from "./states.ts";

const report = (
  { observed }: Running,
  { charge, refusal }: Pick<Ended, "charge" | "refusal">,
  how: Pick<ObservedEnd, "timing" | "answered">,
): Timings =>
  observed.ends({
    ...how,
    outcome: outcomeOf(refusal),
    refusal,
    attempts: charge.attempts,
    usage: charge.usage,
    chargedMicroUsd: charge.microUsd,
  });

export function createSettling(deps: {
  settle: Settle;
  idempotency: Pick<Idempotency<Summary>, "seal">;
  now: () => number;
  elapsed: () => number;
  after: (ms: number, act: () => void) => () => void;
  background: (work: Promise<unknown>) => void;
}) {
  const { elapsed } = deps;
  const resultOf = createResultOf(deps);
  const settleSoon = settlingSoon(deps);

  const settle = async ({ call, ended, recorded, settlingAt }: Accounted): Promise<Settled> => {
    await settleSoon(ended);
    const { answer, plan } = call;
    const timing = { ...ended.timing, settle: elapsed() - settlingAt };
    const answered = answer.ok ? { stopReason: answer.value.answer.stopReason } : null;
    return {
      state: "settled",
      answeredBy: "this-call",
      timing: report(call, ended, { timing, answered }),
      outcome: recorded.ok
        ? ok({
            answer: recorded.value.answer,
            call: plan.call,
            decision: { ...recorded.value.decision, timingMs: timing },
          })
        : recorded,
    };
  };

  const settleRefused = async (
    call: Running,
    ended: Omit<Ended, "refusal" | "result">,
    refusal: Refusal,
  ): Promise<Settled> => {
    const { charge, timing } = ended;
    // If nothing can be kept for repetitions, a repetition is a new call.
    const result = await resultOf(call, err(refusal), charge).catch(() => "free" as const);
    await settleSoon({ ...ended, refusal, result });
    return {
      state: "settled",
      answeredBy: "this-call",
      timing: report(call, { charge, refusal }, { timing, answered: null }),
      outcome: err(refusal),
    };
  };

  /** After a bug, releases what the call holds before its lease ends. */
  const settleThrown = (call: Admitted | Attempted): Promise<Settled> => {
    const isAttempted = call.state === "attempted";
    return settleRefused(
      call,
      {
        ...endOf(call, { providerMs: isAttempted ? call.providerMs : 0, endedAt: elapsed() }),
        circuits: isAttempted ? call.circuits : [],
        refusedKeys: isAttempted ? call.refusedKeys : [],
        // Without attempts, a provider may have been called all the same.
        charge: isAttempted
          ? chargeOf(call.attempts, call.reserved)
          : chargeAsReserved(call.reserved),
        model: null,
        messages: [],
        content: null,
      },
      { reason: "internal" },
    );
  };

  return { settle, settleRefused, settleThrown };
}

export type Settling = ReturnType<typeof createSettling>;
