/** Idempotent: the id follows from key and minute, and the count is deleted afterwards. */
import type { AsyncResult } from "../../domain/refusals.ts";
import type { Ledger, ThinningStore } from "../../domain/ports/ledger.ts";
import { ok } from "../../domain/result.ts";
import type { Hashing } from "../../domain/audit/seals.ts";
import { thinnedDetail, thinnedName, thinnedOpening } from "../../domain/audit/thinning.ts";

export const createThinningJob =
  (deps: {
    thinning: ThinningStore;
    ledger: Pick<Ledger, "refuse">;
    hashing: Pick<Hashing, "of">;
    now: () => number;
  }) =>
  async (): AsyncResult<number> => {
    const ended = await deps.thinning.ended(deps.now());
    if (!ended.ok) return ended;
    for (const minute of ended.value) {
      const opening = thinnedOpening(minute, await deps.hashing.of(thinnedName(minute)));
      const written = await deps.ledger.refuse(
        opening,
        "rate_limited",
        thinnedDetail(minute),
        null,
      );
      if (!written.ok) return written;
      const recorded = await deps.thinning.recorded(minute);
      if (!recorded.ok) return recorded;
    }
    return ok(ended.value.length);
  };
