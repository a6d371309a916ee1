/**
 * The product on one screen: choose → admit → attempt → settle. `start` ends with the admission,
 * so that a surface can send its headers; `finish` is the provider's part, and always settles.
 */
import type { Opening } from "../domain/audit.ts";
import type { Ids } from "../domain/ids.ts";
import { isMoney, nameOfLimit, type Hold, type LimitState } from "../domain/limits.ts";
import { defaultDeadlineMs } from "../domain/policy.ts";
import type { FirstCall, IdempotentCall, Ledger } from "../domain/ledger.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { SamplingCall } from "../domain/sampling.ts";
import { reservationOf, type createAdmit } from "./admit.ts";
import { detailOf, openingOf, type Arrival } from "./arrival.ts";
import type { Caller } from "./authenticate.ts";
import type { Chooser } from "./choose.ts";
import type { Finish, Finished, Summary } from "./finish.ts";
import type { Idempotency } from "./idempotency.ts";

export interface Started {
  requestId: string;
  limits: LimitState[];
  outcome: Result<(signal: AbortSignal) => Promise<Result<Finished, Refusal>>, Refusal>;
}

const refusalOf = (hold: Hold, retryAfterMs: number | null): Refusal => ({
  reason: isMoney(hold.resource) ? "budget_exceeded" : "rate_limited",
  limit: nameOfLimit(hold),
  retryAfterMs,
});

const idempotentCallOf = ({ caller, server, idempotencyKey }: Arrival): IdempotentCall | null =>
  idempotencyKey === null
    ? null
    : {
        tenantId: caller.snapshot.tenant.id,
        keyId: caller.snapshot.key.id,
        serverId: server?.id ?? null,
        key: idempotencyKey,
      };

export function createSample(deps: {
  chooser: Chooser;
  admit: ReturnType<typeof createAdmit>;
  finish: Finish;
  idempotency: Idempotency<Summary>;
  ledger: Ledger;
  ids: Ids;
  now: () => number;
  /** Work that outlives the caller. */
  background: (work: Promise<unknown>) => void;
}) {
  const { chooser, admit, finish, idempotency, ledger, ids, now, background } = deps;

  /** A refusal before admission has its record too; if that can't be written, nothing is answered. */
  const refuse = async (opening: Opening, refusal: Refusal): Promise<Started> => {
    const recorded = await ledger.refuse(opening, refusal.reason, detailOf(refusal), null);
    return {
      requestId: opening.id,
      limits: [],
      outcome: err(recorded.ok ? refusal : recorded.error),
    };
  };

  /** The same call came before: it is answered with that one's result, once there is one. */
  const repeat = async (
    arrival: Arrival,
    about: { call: SamplingCall; caller: Caller; opening: Opening },
    first: FirstCall,
  ): Promise<Started> => {
    const its = idempotentCallOf(arrival);
    if (its === null || first.contentSha256 !== arrival.contentSha256)
      return refuse(about.opening, { reason: "idempotency_conflict" });
    const deadlineMs = about.caller.snapshot.tenant.policy.deadlineMs ?? defaultDeadlineMs;
    return {
      requestId: first.requestId,
      limits: [],
      outcome: ok(async (signal) => {
        const joined = await idempotency.join(its, { deadlineMs, signal });
        if (joined.state === "done")
          return joined.recorded.ok
            ? ok({ ...joined.recorded.value, call: about.call })
            : joined.recorded;
        // The first one cost nothing and set the key free.
        const { outcome } = await start(arrival);
        return outcome.ok ? outcome.value(signal) : outcome;
      }),
    };
  };

  const start = async (arrival: Arrival): Promise<Started> => {
    const opening = openingOf(arrival, ids.next("request"));
    if (!arrival.call.ok) return refuse(opening, arrival.call.error);
    const call = arrival.call.value;
    const { server, idempotencyKey } = arrival;
    let caller = arrival.caller;
    for (let fresh = !caller.warm; ; fresh = true) {
      const choosingAt = now();
      const plan = chooser.plan(call, caller.snapshot, arrival.declaredBy(caller));
      const admittingAt = now();
      if (plan.ok) {
        const reserved = reservationOf({ plan: plan.value, caller, server, now: admittingAt });
        const admission = await admit({
          plan: plan.value,
          reserved,
          caller,
          opening,
          idempotencyKey,
          now: admittingAt,
        });
        const about = (limits: LimitState[], outcome: Started["outcome"]): Started => ({
          requestId: opening.id,
          limits,
          outcome,
        });
        if (!admission.ok) return about([], err(admission.error));
        const { value } = admission;
        if (value.state === "refused")
          return about(value.limits, err(refusalOf(value.hold, value.retryAfterMs)));
        if (value.state === "repeated")
          return repeat(arrival, { call, caller, opening }, value.first);
        if (value.state === "admitted") {
          const chooseMs = admittingAt - choosingAt;
          const admitMs = now() - admittingAt;
          const admitted = {
            caller,
            plan: plan.value,
            reserved,
            opening,
            arrival,
            chooseMs,
            admitMs,
          };
          return about(
            value.limits,
            ok((signal) => {
              const work = finish(admitted, signal);
              background(work);
              return work;
            }),
          );
        }
        // Stale twice: somebody changes the tenant faster than it can be read.
        if (fresh) return about([], err({ reason: "unavailable", retryAfterMs: 1_000 }));
      } else if (fresh) {
        // A call that was answered is answered again, whatever could be chosen by now.
        const its = idempotentCallOf(arrival);
        const first = its === null ? ok(null) : await idempotency.find(its);
        if (!first.ok) return { requestId: opening.id, limits: [], outcome: first };
        return first.value === null
          ? refuse(opening, plan.error)
          : repeat(arrival, { call, caller, opening }, first.value);
      }
      const again = await arrival.again();
      if (!again.ok) return { requestId: opening.id, limits: [], outcome: again };
      caller = again.value;
    }
  };
  return start;
}

export type Sample = ReturnType<typeof createSample>;
