import { usd } from "../format.ts";
import { tenantNow } from "../parts/stopped.tsx";

/** The policy may have changed since, and the rule also counts the attempts of failover. */
function costText(cost: number | null = 0): string {
  const limit = tenantNow.value?.policy.approval?.when?.costUsdAbove ?? Infinity;
  if (cost === null) return "no known price";
  if (cost > limit) return `${usd(cost)}, above ${usd(limit)}`;
  return limit === Infinity
    ? "above the rule’s limit"
    : `${usd(cost)} for an attempt, above ${usd(limit)} with failover`;
}

const texts: Readonly<Record<string, string>> = {
  models: "model matches",
  servers: "server matches",
  tools: "tool matches",
  modalities: "modality matches",
};

/** @param cost the highest, in USD */
export const conditionsText = (conditions: readonly string[], cost?: number | null): string =>
  conditions
    .map((each) => (each === "costUsdAbove" ? costText(cost) : (texts[each] ?? each)))
    .join(", ") || "the rule covers every call";
