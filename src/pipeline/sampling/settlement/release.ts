/** Releases an admission whose answer was lost: its caller was informed that nothing was charged. */
import type { Settlement } from "../../../domain/audit/record.ts";
import type { Ledger } from "../../../domain/ports/ledger.ts";
import { uncalled, type EndCall } from "./end-call.ts";
import type { LostAdmission, LostAdmissions } from "../admission/lost-admissions.ts";

/** ms between checks, doubled while the database is unreachable. */
const pauseMs = 1_000;
const longestPauseMs = 15_000;
const maxPerBatch = 500;

const nothing = { auth: 0, choose: 0, approve: 0, admit: 0, provider: 0 };

/** No provider was called and nothing is charged. */
const releaseOf = ({ opening, limitChecks, isKeyed }: LostAdmission, now: number): Settlement => ({
  ...uncalled,
  id: opening.id,
  tenantId: opening.who.tenantId,
  now,
  limitChecks,
  outcome: "failed",
  reason: "unavailable",
  reasonDetail: null,
  result: isKeyed ? "free" : null,
  probed: true,
  timing: nothing,
  totalMs: Math.max(0, now - opening.createdAt),
  overheadMs: Math.max(0, now - opening.createdAt),
});

export function createRelease(deps: {
  ledger: Ledger;
  endCall: EndCall;
  lost: LostAdmissions;
  now: () => number;
  wait: (ms: number) => Promise<void>;
}) {
  const { ledger, endCall, lost, now, wait } = deps;

  const look = async (): Promise<boolean> => {
    const due = lost.due(maxPerBatch);
    if (due.length === 0) return true;
    const open = await ledger.findOpen(
      due.map(({ opening }) => ({ tenantId: opening.who.tenantId, id: opening.id })),
    );
    if (!open.ok) return false;
    const found = new Set(open.value);
    for (const each of due) {
      const { id } = each.opening;
      if (found.has(id)) {
        const ended = await endCall(releaseOf(each, now()));
        if (!ended.ok) return false;
        lost.done(id);
      } else lost.missed(id);
    }
    return true;
  };

  /** One invocation handles all, since an outage loses many admissions. */
  return async (admission: LostAdmission): Promise<void> => {
    lost.add(admission);
    const lease = {};
    let nextMs = pauseMs;
    while (!lost.isEmpty() && lost.isLeasedBy(lease)) {
      await wait(nextMs);
      nextMs = (await look()) ? pauseMs : Math.min(longestPauseMs, 2 * nextMs);
    }
  };
}

export type Release = ReturnType<typeof createRelease>;
