/** Settled: the ledger has the call's end, or gets it as soon as the database is back. */
import type { Timings } from "../../../domain/audit/spans.ts";
import { nameOf } from "../../../domain/models/model.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import { err, ok } from "../../../domain/result.ts";
import { answersForMs } from "../../../domain/sampling/replay-key.ts";
import type { Idempotency, Recorded } from "../request/idempotency.ts";
import {
  chargeAsReserved,
  chargeOf,
  outcomeOf,
  type Charge,
  type Ended,
  type Settle as SettleInLedger,
} from "../settlement/settle.ts";
import { capturedOf, endOf } from "../settlement/settlement-parts.ts";
import { keptOfStream } from "../streams/kept-answers.ts";
import { recordedOf, type Summary } from "../settlement/summary.ts";
import type { Admitted, Attempted, Held, Running, Settled } from "./states.ts";

/** ms that an answer waits for its settlement at most. */
const settlementWaitMs = 1_000;

const unknown = { providerMs: 0, circuits: [], refusedKeys: [] };

/** What the ledger gets of a call, and its answer. */
export interface Accounted {
  call: Attempted;
  ended: Ended;
  recorded: Recorded<Summary>;
  /** ms by the clock of durations */
  settlingAt: number;
}

export function createSettling(deps: {
  settle: SettleInLedger;
  idempotency: Pick<Idempotency<Summary>, "seal">;
  now: () => number;
  /** ms, for durations */
  elapsed: () => number;
  /** Acts after so many ms, unless the function that it gives is called before. */
  after: (ms: number, act: () => void) => () => void;
  /** Work that outlives the answer. */
  background: (work: Promise<unknown>) => void;
}) {
  const { settle, idempotency, now, elapsed, after, background } = deps;

  /** What repetitions are answered. */
  const resultOf = async (
    { replayKey, caller, opening, request }: Running,
    recorded: Recorded<Summary>,
    charge: Charge,
  ): Promise<Ended["result"]> => {
    if (replayKey === null) return null;
    const refusal = recorded.ok ? null : recorded.error;
    const keptMs = answersForMs(replayKey, { refusal, charge });
    if (keptMs === 0) return "free";
    const { id } = opening;
    const kept = request.reader === undefined ? recorded : keptOfStream(recorded, id);
    const parts = await idempotency.seal(caller.snapshot.tenant.id, id, kept);
    return { parts, expiresAt: now() + keptMs };
  };

  /** The answer has been paid for, and its record exists. So the answer doesn't wait for a database that is away. */
  const settleSoon = async (ended: Ended): Promise<void> => {
    const settling = settle(ended);
    background(settling);
    let stop = (): void => {};
    const late = new Promise<void>((resolve) => (stop = after(settlementWaitMs, resolve)));
    await Promise.race([settling, late]).finally(() => stop());
  };

  const report = (
    { observed }: Running,
    { charge, refusal }: Pick<Ended, "charge" | "refusal">,
    how: { timing: Timings; answered: Parameters<typeof observed.ends>[0]["answered"] },
  ): Timings =>
    observed.ends({
      outcome: outcomeOf(refusal),
      refusal,
      attempts: charge.attempts,
      usage: charge.usage,
      chargedMicroUsd: charge.microUsd,
      ...how,
    });

  /** What the call used, is charged and leaves behind. */
  const account = async (call: Attempted): Promise<Accounted> => {
    const { reserved, attempts, circuits, refusedKeys, answer, messages, providerMs } = call;
    const charge = chargeOf(attempts, reserved);
    const settlingAt = elapsed();
    const end = endOf(call, { providerMs, endedAt: settlingAt });
    const recorded = recordedOf(call, { charge, timing: end.timing });
    const ended: Ended = {
      ...end,
      circuits,
      refusedKeys,
      refusal: answer.ok ? null : answer.error,
      model: answer.ok ? nameOf(answer.value.model) : null,
      charge,
      result: await resultOf(call, recorded, charge),
      messages,
      content: capturedOf(call, answer),
    };
    return { call, ended, recorded, settlingAt };
  };

  const settleAs = async ({ call, ended, recorded, settlingAt }: Accounted): Promise<Settled> => {
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

  /** The call was paid, and is refused. */
  const settleRefused = async (
    call: Running,
    ended: Omit<Ended, "refusal" | "result">,
    refusal: Refusal,
  ): Promise<Settled> => {
    // If nothing can be kept for repetitions, a repetition is a new call.
    const result = await resultOf(call, err(refusal), ended.charge).catch(() => "free" as const);
    await settleSoon({ ...ended, refusal, result });
    return {
      state: "settled",
      answeredBy: "this-call",
      timing: report(
        call,
        { charge: ended.charge, refusal },
        { timing: ended.timing, answered: null },
      ),
      outcome: err(refusal),
    };
  };

  /** After a bug, gives back what the call holds now, and not when its lease ends. */
  const settleThrown = async (call: Admitted | Attempted): Promise<Settled> => {
    const { reserved } = call;
    const { providerMs, circuits, refusedKeys } = call.state === "attempted" ? call : unknown;
    // A provider may have been called.
    const charge =
      call.state === "attempted" ? chargeOf(call.attempts, reserved) : chargeAsReserved(reserved);
    return settleRefused(
      call,
      {
        ...endOf(call, { providerMs, endedAt: elapsed() }),
        circuits,
        refusedKeys,
        charge,
        model: null,
        messages: [],
        content: null,
      },
      { reason: "internal" },
    );
  };

  return { account, settleAs, settleRefused, settleThrown };
}

export type Settling = ReturnType<typeof createSettling>;
export type Settle = (call: Attempted) => Promise<Settled | Held>;
export type SettleThrown = Settling["settleThrown"];
