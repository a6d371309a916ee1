import type { Settlement } from "./record.ts";
import { asReadable } from "../magnitudes.ts";
import { nameOf } from "../models/model.ts";

export interface UsageEntry {
  /** null: the model of the request itself */
  model: string | null;
  requests: number;
  inputTokens: number;
  outputTokens: number;
  costMicroUsd: number;
}

/** One entry per model, and one for the rest; they add up to the record. */
export function usageEntriesOf({
  attempts,
  usage,
  costMicroUsd,
}: Pick<Settlement, "attempts" | "usage" | "costMicroUsd">): UsageEntry[] {
  const rest: UsageEntry = {
    model: null,
    requests: 1,
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    costMicroUsd: costMicroUsd ?? 0,
  };
  const byModel = new Map<string, UsageEntry>();
  for (const attempt of attempts) {
    const model = nameOf({ provider: attempt.provider, id: attempt.model });
    const spent = {
      inputTokens: attempt.usage?.inputTokens ?? 0,
      outputTokens: attempt.usage?.outputTokens ?? 0,
      // A total with an unknown price is unknown, so its parts are not booked either.
      costMicroUsd: costMicroUsd === null ? 0 : (attempt.costMicroUsd ?? 0),
    };
    if (spent.inputTokens + spent.outputTokens + spent.costMicroUsd === 0) continue;
    const entry = byModel.get(model) ?? {
      model,
      requests: 0,
      inputTokens: 0,
      outputTokens: 0,
      costMicroUsd: 0,
    };
    byModel.set(model, entry);
    for (const figure of ["inputTokens", "outputTokens", "costMicroUsd"] as const) {
      entry[figure] += spent[figure];
      rest[figure] -= spent[figure];
    }
  }
  return [rest, ...byModel.values()].map((entry) => ({
    ...entry,
    inputTokens: asReadable(entry.inputTokens) ?? 0,
    outputTokens: asReadable(entry.outputTokens) ?? 0,
    costMicroUsd: asReadable(entry.costMicroUsd) ?? 0,
  }));
}
