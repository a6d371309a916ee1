import { usd } from "../format.ts";
import { tenantNow } from "../parts/stopped.tsx";

/** The policy may have changed since, and the rule also counts the attempts of failover. */
function costText(cost: number | null = 0): string {
  const limit = tenantNow.value?.policy.approval?.when?.costUsdAbove ?? Infinity;
  if (cost === null) return "no known price";
  if (limit === Infinity) return "may cost more than the rule allows";
  return cost > limit
    ? `may cost ${usd(cost)}, more than ${usd(limit)}`
    : `may cost more than ${usd(limit)} with failover (${usd(cost)} an attempt)`;
}

/** `modalities` → `modality matches` */
const matchText = (names: string): string =>
  `${names.replace(/ies$/, "y").replace(/s$/, "")} matches`;

/** @param cost the highest, in USD */
export const conditionsText = (conditions: readonly string[], cost?: number | null): string =>
  conditions
    .map((each) => (each === "costUsdAbove" ? costText(cost) : matchText(each)))
    .join(", ") || "the rule covers every call";
