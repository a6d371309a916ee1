/** Charges the price of the place that answered. The highest of all places was reserved. */
import type { ProviderFault } from "../../../domain/attempts.ts";
import { factorOfAnswer } from "../../../domain/models/cloud-models.ts";
import type { Model } from "../../../domain/models/model.ts";
import type { SealedCredential } from "../../../domain/ports/stores.ts";
import { ok, type Result } from "../../../domain/result.ts";
import type { ProviderAnswer } from "../../../domain/sampling/providers.ts";

export function atPlace(
  called: Result<ProviderAnswer, ProviderFault>,
  {
    model,
    credential,
    credentials,
  }: { model: Model; credential: SealedCredential; credentials: readonly SealedCredential[] },
): Result<ProviderAnswer, ProviderFault> {
  if (!called.ok) return called;
  const factor = factorOfAnswer(model, credential, credentials);
  if (factor === 1) return called;
  const { usage } = called.value;
  const surcharge = { ...usage.surcharge, factor: (usage.surcharge?.factor ?? 1) * factor };
  return ok({ ...called.value, usage: { ...usage, surcharge } });
}
