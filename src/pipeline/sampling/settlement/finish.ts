/** The provider's part of an admitted call: attempt → settle. It always settles. */
import type { Opening, Receipt, Settlement, Timing } from "../../../domain/audit/record.ts";
import type { ProviderMessage } from "../../../domain/audit/capture.ts";
import { patienceOf } from "../../../domain/choice/patience.ts";
import { nameOf } from "../../../domain/models/model.ts";
import type { ApprovalNeed } from "../../../domain/sampling/approval.ts";
import { answersForMs } from "../../../domain/sampling/replay-key.ts";
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import { err, ok, type Result } from "../../../domain/result.ts";
import type { SamplingAnswer, SamplingCall } from "../../../domain/sampling/call.ts";
import type { Timings } from "../../../domain/audit/spans.ts";
import type { CallTurn } from "../../../domain/sampling/call-turn.ts";
import type { Reserved } from "../admission/admit.ts";
import type { SamplingRequest } from "../request/sampling-request.ts";
import type { AttemptAll, Attempted } from "../attempts/attempt.ts";
import type { Caller } from "../../callers/authenticate.ts";
import { capturedOf, endOf } from "./settlement-parts.ts";
import type { Cancellation } from "../request/cancel.ts";
import type { Planned } from "../choice/choose.ts";
import type { AnsweredBy, Idempotency, Recorded } from "../request/idempotency.ts";
import type { Observation } from "../request/observe.ts";
import { passedOf } from "../request/passed-request.ts";
import { providerMessages } from "../attempts/provider-messages.ts";
import { recordedOf, type Summary } from "./summary.ts";
import {
  chargeAsReserved,
  chargeOf,
  outcomeOf,
  type Charge,
  type Ended,
  type Settle,
} from "./settle.ts";

export interface Finished {
  answer: SamplingAnswer;
  call: SamplingCall;
  decision: Summary;
}

/** How a call ended, for whoever asked. */
export interface EndedCall {
  /** which call the answer, or the refusal, was made for */
  answeredBy: AnsweredBy;
  /** ms of each step */
  timing: Timings;
  outcome: Result<Finished, Refusal>;
  /** the call ran, and its result waits for a person */
  isHeld?: true;
}

export interface Admitted {
  caller: Caller;
  plan: Planned;
  reserved: Reserved;
  opening: Opening;
  receipt: Receipt;
  observed: Observation;
  request: SamplingRequest;
  turn: CallTurn;
  /** circuits that somebody else tries */
  blocked: readonly string[];
  chooseMs: number;
  /** ms for which the call waited for a person */
  approveMs: number;
  admitMs: number;
  /** who has to approve what; null: nobody */
  approval: ApprovalNeed | null;
}

const untold = { attempts: [], providerMs: 0, circuits: [], refusedKeys: [] };

/** ms that an answer waits for its settlement at most. */
const settlementWaitMs = 1_000;

export function createFinish(deps: {
  attempt: AttemptAll;
  settle: Settle;
  /** Has the result wait for a person. False: the call has ended meanwhile. */
  holdResult: (
    admitted: Admitted,
    ended: Ended,
    recorded: Recorded<Summary> & { ok: true },
  ) => AsyncResult<boolean>;
  cancellation: Cancellation;
  idempotency: Idempotency<Summary>;
  now: () => number;
  /** ms, for durations */
  elapsed: () => number;
  /** Acts after so many ms, unless the function that it gives is called before. */
  after: (ms: number, act: () => void) => () => void;
  /** Work that outlives the answer. */
  background: (work: Promise<unknown>) => void;
  /** What this isolate remembers of a caller is out of date. */
  forget: (caller: Caller) => void;
}) {
  const {
    attempt,
    settle,
    holdResult,
    cancellation,
    idempotency,
    now,
    elapsed,
    after,
    background,
    forget,
  } = deps;

  const attemptAll = async (
    { request, caller, plan, reserved, receipt, observed, blocked, turn }: Admitted,
    signal: AbortSignal,
  ) => {
    const { tenant, credentials } = caller.snapshot;
    const { session } = caller;
    const watch =
      session === null || request.messageId === null
        ? null
        : cancellation.watch(
            { tenantId: tenant.id, sessionId: session.id, messageId: request.messageId },
            request.startedAt,
          );
    const messages = providerMessages(tenant.policy, request.server === null ? "caller" : "server");
    const attempted = await attempt({
      steps: reserved.steps,
      maxAttempts: reserved.maxAttempts,
      held: { tokens: receipt.reservedTokens, microUsd: receipt.reservedMicroUsd },
      blocked: [...blocked, ...reserved.resting],
      call: plan.call,
      ...passedOf(request, plan.call, reserved.holds),
      credentials,
      deadlineMs: reserved.deadlineMs,
      // A call that tries a circuit finds out whether the provider answers at all, however slowly.
      patienceAt: (place) =>
        reserved.probes.length > 0
          ? null
          : patienceOf(caller.snapshot.health, place, {
              maxTokens: plan.decision.requirements.maxTokens,
              now: now(),
            }),
      promptCaching: tenant.policy.promptCaching ?? "auto",
      afterContentFilter: tenant.policy.afterContentFilter ?? "stop",
      signal: watch === null ? signal : AbortSignal.any([signal, watch.signal]),
      begins: observed.begins,
      outside: turn.outside,
      ...messages.listener,
    });
    watch?.stop();
    // The circuit of a provider that failed has changed. So has the circuit of a provider that
    // answered when it was tried.
    if (reserved.probes.length > 0 || attempted.attempts.some(({ fault }) => fault !== null))
      forget(caller);
    return { ...attempted, answer: messages.told(attempted.answer), messages: messages.kept() };
  };

  /** What a repetition is answered. */
  const resultOf = async (
    { request, caller, opening }: Admitted,
    recorded: Recorded<Summary>,
    charge: Charge,
  ): Promise<Settlement["result"]> => {
    if (request.replayKey === null) return null;
    const refusal = recorded.ok ? null : recorded.error;
    const keptMs = answersForMs(request.replayKey, { refusal, charge });
    if (keptMs === 0) return "free";
    const parts = await idempotency.seal(caller.snapshot.tenant.id, opening.id, recorded);
    return { parts, expiresAt: now() + keptMs };
  };

  /** The answer has been paid for, and its record exists. So the answer waits for no database that is away. */
  const settleSoon = async (ended: Ended): Promise<void> => {
    const settling = settle(ended);
    background(settling);
    let stop = (): void => {};
    const late = new Promise<void>((resolve) => (stop = after(settlementWaitMs, resolve)));
    await Promise.race([settling, late]).finally(() => stop());
  };

  const awaiting = (timing: Timing): EndedCall => ({
    answeredBy: "this-call",
    timing,
    outcome: err({ reason: "approval_pending", retryAfterMs: 1_000, idempotencyKey: null }),
    isHeld: true,
  });

  /** The call was paid, and is refused. */
  const settleRefused = async (
    admitted: Admitted,
    ended: Omit<Ended, "refusal" | "result">,
    refusal: Refusal,
  ): Promise<EndedCall> => {
    const { charge, timing } = ended;
    // Where nothing can be kept for repetitions, a repetition begins anew.
    const result = await resultOf(admitted, err(refusal), charge).catch(() => "free" as const);
    await settleSoon({ ...ended, refusal, result });
    return {
      answeredBy: "this-call",
      timing: admitted.observed.ends({
        outcome: outcomeOf(refusal),
        refusal,
        attempts: charge.attempts,
        answered: null,
        usage: charge.usage,
        chargedMicroUsd: charge.microUsd,
        timing,
      }),
      outcome: err(refusal),
    };
  };

  /**
   * A bug threw after the admission. What the call holds is given back now, and not when its lease ends. `attempted`:
   * null where a provider may have been called, and nobody knows.
   */
  const settleThrown = async (
    admitted: Admitted,
    attempted: Attempted | null,
  ): Promise<EndedCall> => {
    const { attempts, providerMs, circuits, refusedKeys } = attempted ?? untold;
    const { reserved } = admitted;
    return settleRefused(
      admitted,
      {
        ...endOf(admitted, { providerMs, endedAt: elapsed() }),
        circuits,
        refusedKeys,
        model: null,
        charge: attempted === null ? chargeAsReserved(reserved) : chargeOf(attempts, reserved),
        messages: [],
        content: null,
      },
      { reason: "internal" },
    );
  };

  const finishAttempted = async (
    admitted: Admitted,
    attempted: Attempted & { messages: ProviderMessage[] },
  ): Promise<EndedCall> => {
    const { plan, reserved, observed } = admitted;
    const { attempts, circuits, refusedKeys, answer, messages, providerMs } = attempted;
    const charge = chargeOf(attempts, reserved);
    const settlingAt = elapsed();
    const end = endOf(admitted, { providerMs, endedAt: settlingAt });
    const { timing } = end;
    const refusal = answer.ok ? null : answer.error;
    const recorded = recordedOf(admitted, attempted, { charge, timing });
    const ended = {
      ...end,
      circuits,
      refusedKeys,
      refusal,
      model: answer.ok ? nameOf(answer.value.model) : null,
      charge,
      result: await resultOf(admitted, recorded, charge),
      messages,
      content: capturedOf(admitted, answer),
    };
    const isAwaited = recorded.ok && admitted.approval?.stages.includes("result") === true;
    const held = isAwaited ? await holdResult(admitted, ended, recorded) : ok(false);
    if (held.ok && held.value) return awaiting(timing);
    // Nobody approved the result, so nobody gets it: it can't wait, because the database is away.
    if (isAwaited)
      return settleRefused(admitted, ended, { reason: "unavailable", retryAfterMs: 1_000 });
    await settleSoon(ended);
    const settled = { ...timing, settle: elapsed() - settlingAt };
    return {
      answeredBy: "this-call",
      timing: observed.ends({
        outcome: outcomeOf(refusal),
        refusal,
        attempts: charge.attempts,
        answered: answer.ok ? { stopReason: answer.value.answer.stopReason } : null,
        usage: charge.usage,
        chargedMicroUsd: charge.microUsd,
        timing: settled,
      }),
      outcome: recorded.ok
        ? ok({
            answer: recorded.value.answer,
            call: plan.call,
            decision: { ...recorded.value.decision, timingMs: settled },
          })
        : recorded,
    };
  };

  return async (admitted: Admitted, signal: AbortSignal): Promise<EndedCall> => {
    let attempted: Awaited<ReturnType<typeof attemptAll>> | null = null;
    try {
      attempted = await attemptAll(admitted, signal);
      return await finishAttempted(admitted, attempted);
    } catch (thrown) {
      await settleThrown(admitted, attempted);
      // The surface reports the bug.
      throw thrown;
    }
  };
}

export type Finish = ReturnType<typeof createFinish>;
