import type { Plan } from "../../../domain/choice/selection.ts";
import { nameOf } from "../../../domain/models/model.ts";
import type { Snapshot } from "../../../domain/ports/stores.ts";
import { err, ok, type Result } from "../../../domain/result.ts";
import type { Refusal } from "../../../domain/refusals.ts";

/** ms after which a circuit may have closed */
const againAfterMs = 5_000;

/** The plan with the account's credential alone; a plan of other models where the tenant no longer has it. */
export function pinnedTo(
  plan: Plan,
  pinned: string | undefined,
  { credentials }: Pick<Snapshot, "credentials">,
): Result<Plan, Refusal> {
  if (pinned === undefined || !credentials.some(({ id }) => id === pinned)) return ok(plan);
  const choices = plan.choices.flatMap((choice) =>
    choice.credentialIds.includes(pinned) ? [{ ...choice, credentialIds: [pinned] }] : [],
  );
  return choices.length > 0
    ? ok({ ...plan, choices })
    : err({
        reason: "unavailable",
        retryAfterMs: againAfterMs,
        cause: "resting",
        models: plan.choices.map(({ model }) => nameOf(model)),
      });
}
