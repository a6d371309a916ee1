/** Resumes an approved call: chooses again among the approved model only, with the approver's edits. */
import type { ApprovalStore, HeldCall } from "../../domain/ports/approvals.ts";
import { leaseMsFor } from "../../domain/leases.ts";
import { isAllowed } from "../../domain/models/allowed.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { err, ok } from "../../domain/result.ts";
import type { Approval } from "../../domain/ports/approvals.ts";
import type { ApprovalVerdict } from "../../domain/sampling/approval.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import { reservationOf } from "../sampling/admission/admit.ts";
import type { Chooser } from "../sampling/choice/choose.ts";
import type { Admitted, Held } from "../sampling/states/states.ts";
import type { ReadContent } from "./contents.ts";
import { approvalFor, pinnedTo } from "./hold-request.ts";

export const verdictOf = (approval: Approval): ApprovalVerdict | null => {
  const { stage, state, decidedBy, decidedBySubject, decidedAt, comment, contentHash, edited } =
    approval;
  const { isOwn } = approval;
  if (decidedBy === null || decidedAt === null || state === "withdrawn") return null;
  return {
    stage,
    verdict: state === "denied" || state === "expired" ? state : "approved",
    by: decidedBy,
    ...(decidedBySubject !== null && { subject: decidedBySubject }),
    ...(isOwn && { isOwn }),
    at: decidedAt,
    ...(comment !== null && { comment }),
    contentHash,
    ...(edited !== null && { edited }),
  };
};

export type Taken = { state: "taken"; admitted: Admitted } | { state: "busy" } | { state: "gone" };

export type Begin = (call: Held, held: HeldCall) => AsyncResult<Taken>;

const withVerdicts = ({ decision, stages }: HeldCall) => ({
  ...decision,
  approvals: stages.flatMap((stage) => verdictOf(stage) ?? []),
});

export function createBegin(deps: {
  approvals: ApprovalStore;
  chooser: Pick<Chooser, "plan">;
  read: ReadContent;
  now: () => number;
  elapsed: () => number;
}): Begin {
  const { approvals, chooser, read, now, elapsed } = deps;
  return async (call, held) => {
    const { request, observed, opening } = call;
    const { tenantId, requestId, edited: edits } = held.approval;
    const place = { tenantId, requestId };
    const edited =
      edits?.content === undefined ? ok(null) : await read<SamplingCall>(place, "edited");
    if (!edited.ok) return edited;
    const again = await request.reauthenticate();
    if (!again.ok) return again;
    const caller = again.value;
    const server = request.server === null ? null : { ...request.server, ...caller.server };
    const choosingAt = elapsed();
    const { provider, model } = held.decision;
    const approved = `${provider}/${model}`;
    if (!isAllowed({ provider, id: model }, caller.snapshot.tenant.policy))
      return err({ reason: "forbidden", action: `the approved model ${approved} by now` });
    const planned = chooser.plan(
      edited.value ?? call.asked,
      pinnedTo(caller.snapshot, approved),
      request.declaredBy(caller),
      server,
    );
    if (!planned.ok) return planned;
    const admittingAt = elapsed();
    const at = now();
    const wanted = { plan: planned.value, caller, server, request };
    const reserved = reservationOf({ ...wanted, names: call.asked, now: at });
    const resumed = await approvals.resume({
      ...place,
      stage: "request",
      now: at,
      leaseUntil: at + leaseMsFor(reserved.deadlineMs),
      decision: withVerdicts(held),
      limitChecks: reserved.limitChecks.filter(({ resource }) => resource === "concurrent"),
      tenantVersion: caller.snapshot.tenant.version,
    });
    if (!resumed.ok) return resumed;
    if (resumed.value.state !== "resumed") return ok({ state: resumed.value.state });
    observed.chose(planned.value.decision);
    return ok({
      state: "taken",
      admitted: {
        ...call,
        state: "admitted",
        ...wanted,
        reserved,
        opening: { ...opening, id: requestId, createdAt: held.createdAt },
        receipt: resumed.value.receipt,
        // Circuits that another call may be probing.
        blocked: reserved.probes.map(({ scope }) => scope),
        chooseMs: admittingAt - choosingAt,
        approveMs: Math.max(0, at - held.createdAt),
        admitMs: elapsed() - admittingAt,
        approval: approvalFor({ ...wanted, reserved }),
      },
    });
  };
}
