import type { ApprovalStore } from "../../domain/ports/approvals.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { EndHeld } from "../approvals/end.ts";

export const createApprovalJob =
  (deps: { approvals: ApprovalStore; endHeld: EndHeld; now: () => number }) =>
  async (): AsyncResult<number> => {
    const expired = await deps.approvals.expire(deps.now());
    if (!expired.ok) return expired;
    const unclosed = await deps.approvals.findUnclosed();
    if (!unclosed.ok) return unclosed;
    for (const place of unclosed.value) {
      const ended = await deps.endHeld(place);
      if (!ended.ok) return ended;
    }
    return ok(expired.value + unclosed.value.length);
  };
