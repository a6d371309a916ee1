import { createBoundedMap } from "../../../domain/bounded-map.ts";
import { nameOf, type CredentialSummary, type Model } from "../../../domain/models/model.ts";
import type { ReasoningRefusals } from "../../../domain/sampling/providers.ts";

/** A forgotten entry costs one more rejected attempt. */
export function createReasoningRefusals(capacity: number): ReasoningRefusals {
  const refused = createBoundedMap<string, true>(capacity);
  let version = 0;
  const keyOf = (credentialId: string, model: Pick<Model, "provider" | "id">): string =>
    `${credentialId} ${nameOf(model)}`;
  return {
    has: (credentialId, model) => refused.get(keyOf(credentialId, model)) === true,
    add(credentialId, model) {
      refused.set(keyOf(credentialId, model), true);
      version += 1;
    },
    version: () => version,
  };
}

/** Such a model always reasons, so it gets room for that. */
export function withoutRefused(
  models: readonly Model[],
  credentials: readonly CredentialSummary[],
  refusals: ReasoningRefusals,
): readonly Model[] {
  if (refusals.version() === 0) return models;
  const refuses = (model: Model): boolean =>
    credentials.some(({ id, provider }) => provider === model.provider && refusals.has(id, model));
  return models.map((model) => {
    if (model.reasoningControl === undefined || !refuses(model)) return model;
    const { reasoningControl: _, ...uncontrolled } = model;
    return uncontrolled;
  });
}
