import type { Opening, Timing } from "../../../domain/audit/record.ts";
import { ignoredIn, type Ignored } from "../../../domain/choice/ignored.ts";
import { nameOf } from "../../../domain/models/model.ts";
import { err, ok } from "../../../domain/result.ts";
import { withOrigin } from "../../../domain/sampling/tool-loop.ts";
import type { AttemptsMade } from "../attempts/attempt.ts";
import type { Planned } from "../choice/choose.ts";
import type { Recorded } from "../request/idempotency.ts";
import type { Charge } from "./settle.ts";

export interface Summary {
  requestId: string;
  provider: string;
  model: string;
  attempts: number;
  usage: { inputTokens: number; outputTokens: number };
  costUsd: number | null;
  /** one sentence for each change to the request or answer */
  notes: string[];
  ignored: Ignored;
  timingMs: Timing & { settle: number };
}

export function recordedOf(
  {
    opening,
    plan: { call, decision },
    answer,
    attempts,
  }: Pick<AttemptsMade, "answer" | "attempts"> & { opening: Opening; plan: Planned },
  { charge: { usage, microUsd }, timing }: { charge: Charge; timing: Timing },
): Recorded<Summary> {
  if (!answer.ok) return err(answer.error);
  const { model, answer: given } = answer.value;
  const notes = [...decision.notes, ...given.notes];
  const credentialId = attempts.at(-1)?.credentialId ?? "";
  return ok({
    answer: {
      content: withOrigin(given.content, {
        provider: model.provider,
        model: model.id,
        credentialId,
      }),
      stopReason: given.stopReason,
      model: nameOf(model),
      ...(given.providerStopReason === null
        ? {}
        : { providerStopReason: given.providerStopReason }),
      ...(given.passed !== undefined && { passed: given.passed }),
      ...(given.isOversized === true && { isOversized: true as const }),
    },
    decision: {
      requestId: opening.id,
      provider: model.provider,
      model: model.id,
      attempts: attempts.length,
      usage: { inputTokens: usage?.inputTokens ?? 0, outputTokens: usage?.outputTokens ?? 0 },
      costUsd: microUsd === null ? null : microUsd / 1e6,
      notes,
      ignored: ignoredIn({ call, decision, answeredBy: model, notes }),
      timingMs: { ...timing, settle: 0 },
    },
  });
}
