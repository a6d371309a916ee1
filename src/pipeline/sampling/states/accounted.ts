import { captureOf } from "../../../domain/audit/capture.ts";
import { sizeOf } from "../../../domain/choice/attempt-timeout.ts";
import { nameOf } from "../../../domain/models/model.ts";
import { answersForMs } from "../../../domain/sampling/replay-key.ts";
import type { AttemptsMade } from "../attempts/attempt.ts";
import type { Idempotency, Recorded } from "../request/idempotency.ts";
import { chargeOf, type Charge, type Ended } from "../settlement/settle.ts";
import { recordedOf, type Summary } from "../settlement/summary.ts";
import { keptOfStream } from "../streams/kept-answers.ts";
import type { Attempted, Running } from "./states.ts";

export interface Accounted {
  call: Attempted;
  ended: Ended;
  recorded: Recorded<Summary>;
  /** ms by the clock of durations */
  settlingAt: number;
}

export const endOf = (
  { request, caller, plan, reserved, opening, receipt, chooseMs, approveMs, admitMs }: Running,
  { providerMs, endedAt }: { providerMs: number; endedAt: number },
) => ({
  id: opening.id,
  tenantId: caller.snapshot.tenant.id,
  receipt,
  reserved,
  size: sizeOf(plan.decision.requirements.maxTokens),
  timing: {
    auth: request.authMs,
    choose: chooseMs,
    approve: approveMs,
    admit: admitMs,
    provider: providerMs,
  },
  totalMs: endedAt - request.monotonicStart,
});

const capturedOf = (
  { request, caller }: Running,
  answer: AttemptsMade["answer"],
): string | null => {
  const { capture, captureSecrets } = caller.snapshot.tenant.policy;
  return capture === "full"
    ? captureOf(request.content, answer.ok ? answer.value.answer.content : null, captureSecrets)
    : null;
};

interface Sealing {
  idempotency: Pick<Idempotency<Summary>, "seal">;
  now: () => number;
}

/** What repetitions are answered. */
export const createResultOf =
  ({ idempotency, now }: Sealing) =>
  async (
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

export function createAccount(deps: Sealing & { elapsed: () => number }) {
  const resultOf = createResultOf(deps);
  return async (call: Attempted): Promise<Accounted> => {
    const { reserved, attempts, circuits, refusedKeys, answer, messages, providerMs } = call;
    const charge = chargeOf(attempts, reserved);
    const settlingAt = deps.elapsed();
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
}
