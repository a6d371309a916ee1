import type { SamplingRecord } from "../../domain/audit/record.ts";
import { thinnedIn } from "../../domain/audit/thinning.ts";

const usdOf = (microUsd: number | null): number | null =>
  microUsd === null ? null : microUsd / 1e6;

/** Adds USD to the sealed micro-USD, and the count of a summary record. */
export const shownRecord = <Shown extends SamplingRecord>(found: Shown) => ({
  ...found,
  costUsd: usdOf(found.costMicroUsd),
  omitted: thinnedIn(found),
  correction: found.correction && {
    ...found.correction,
    costUsd: usdOf(found.correction.costMicroUsd),
  },
});
