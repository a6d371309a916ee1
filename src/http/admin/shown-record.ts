/** A record as the API shows it. */
import type { SamplingRecord } from "../../domain/audit/record.ts";
import { thinnedIn } from "../../domain/audit/thinning.ts";

const usdOf = (microUsd: number | null): number | null =>
  microUsd === null ? null : microUsd / 1e6;

/**
 * With money in USD beside the micro-USD that the seal covers, and with what a record of many refusals stands for.
 */
export const shownRecord = <Shown extends SamplingRecord>(found: Shown) => ({
  ...found,
  costUsd: usdOf(found.costMicroUsd),
  thinned: thinnedIn(found),
  correction: found.correction && {
    ...found.correction,
    costUsd: usdOf(found.correction.costMicroUsd),
  },
});
