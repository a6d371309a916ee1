/**
 * Gives back an admission whose answer never came, and which may have happened all the same. The caller was
 * told that nothing is called and nothing charged. So what the admission holds is given back as soon as the
 * database can be reached, also where the sweep was there first.
 */
import type { Settlement } from "../../../domain/audit/record.ts";
import type { Ledger } from "../../../domain/ports/ledger.ts";
import type { EndCall } from "./end-call.ts";
import type { LostAdmission, LostAdmissions } from "../admission/lost-admissions.ts";
import { uncalled } from "./settlement-parts.ts";

/** ms between two looks. While the database is away, each pause is twice the one before. */
const pauseMs = 1_000;
const longestPauseMs = 15_000;
/** Ids in one look. */
const mostAtOnce = 500;

const nothing = { auth: 0, choose: 0, approve: 0, admit: 0, provider: 0 };

/** The end of such a call: no provider was called, and nothing is charged. */
const releaseOf = ({ opening, holds, isKeyed }: LostAdmission, now: number): Settlement => ({
  ...uncalled,
  id: opening.id,
  tenantId: opening.who.tenantId,
  now,
  holds,
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

  /** False: the database is away. */
  const look = async (): Promise<boolean> => {
    const due = lost.due(mostAtOnce);
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

  /**
   * One invocation at a time looks after all lost admissions of the isolate. An outage loses every admission
   * that was asked for, and most of them never reached the database.
   */
  return async (admission: LostAdmission): Promise<void> => {
    lost.add(admission);
    const turn = {};
    let nextMs = pauseMs;
    while (!lost.isEmpty() && lost.isTurnOf(turn)) {
      await wait(nextMs);
      nextMs = (await look()) ? pauseMs : Math.min(longestPauseMs, 2 * nextMs);
    }
  };
}

export type Release = ReturnType<typeof createRelease>;
