/**
 * The product on one screen: choose → admit → attempt → settle. `start` ends with the admission,
 * so that a surface can send its headers; `finish` is the provider's part, and always settles.
 */
import { detailOf, type Opening } from "../domain/audit/record.ts";
import type { Ids } from "../domain/tenancy/ids.ts";
import { isMoney, nameOfLimit, type Hold, type LimitState } from "../domain/limits/holds.ts";
import { keyOf } from "../domain/sampling/replay-key.ts";
import type { Admission, FirstCall, IdempotentCall, Ledger } from "../domain/ports/ledger.ts";
import type { Refusal } from "../domain/refusals.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { SamplingCall } from "../domain/sampling/call.ts";
import type { Timings } from "../domain/audit/spans.ts";
import type { CallTurn } from "../domain/sampling/call-turn.ts";
import {
  reservationOf,
  smallerOf,
  type Claimed,
  type createAdmit,
  type Reserved,
} from "./admit.ts";
import { openingOf, type Arrival } from "./arrival.ts";
import type { Chooser, Planned } from "./choose.ts";
import type { Finish, Finished, Summary } from "./finish.ts";
import type { AnsweredBy, Idempotency } from "./idempotency.ts";
import type { Observation, Observe } from "./observe.ts";
import type { Release } from "./release.ts";
import type { Door } from "./turns.ts";

export interface Started {
  requestId: string;
  limits: LimitState[];
  /** ms of each step so far */
  timing: () => Timings;
  /** who did the work, once it is over */
  answeredBy: () => AnsweredBy;
  outcome: Result<(signal: AbortSignal) => Promise<Result<Finished, Refusal>>, Refusal>;
}

type Begun = Omit<Started, "timing" | "answeredBy">;

/** One request, on its way. */
interface Underway {
  turn: CallTurn;
  arrival: Arrival;
  opening: Opening;
  observed: Observation;
  answeredBy: AnsweredBy;
}

function refusalOf(
  hold: Hold,
  { retryAfterMs, limits }: { retryAfterMs: number | null; limits: readonly LimitState[] },
): Refusal {
  const limit = nameOfLimit(hold);
  if (!isMoney(hold.resource)) return { reason: "rate_limited", limit, retryAfterMs };
  const remaining = limits.find(({ name }) => name === limit)?.remaining ?? 0;
  return {
    reason: "budget_exceeded",
    limit,
    retryAfterMs,
    limitUsd: hold.limit / 1e6,
    usedUsd: (hold.limit - remaining) / 1e6,
    neededUsd: hold.amount / 1e6,
  };
}

const idempotentCallOf = (arrival: Arrival): IdempotentCall | null => {
  const { caller, server, replayKey, contentSha256 } = arrival;
  return replayKey === null
    ? null
    : {
        tenantId: caller.snapshot.tenant.id,
        keyId: caller.snapshot.key.id,
        serverId: server?.id ?? null,
        key: keyOf(replayKey, contentSha256),
      };
};

/** What the admission says that it was. */
const claimedOf = (
  first: { plan: Planned; reserved: Reserved },
  { claimed }: Admission & { state: "admitted" },
  smaller: Claimed | null,
): { plan: Planned; reserved: Reserved } =>
  smaller === null || claimed === undefined
    ? first
    : {
        // Not spread: the decision is made when it is read.
        plan: Object.assign(smaller.plan, { call: first.plan.call }),
        reserved: smaller.reserved,
      };

/** Nobody was called. */
const untouched = { attempts: [], answered: null, usage: null, chargedMicroUsd: 0, timing: {} };
const refusedWith = (refusal: Refusal) => ({ ...untouched, outcome: "refused", refusal }) as const;

export function createSample(deps: {
  chooser: Chooser;
  admit: ReturnType<typeof createAdmit>;
  finish: Finish;
  idempotency: Idempotency<Summary>;
  observe: Observe;
  /** admissions take turns, by tenant */
  door: Pick<Door, "enter">;
  /** Not waited for, not even by a host that ends. */
  release: (lost: Parameters<Release>[0]) => void;
  ledger: Ledger;
  ids: Ids;
  now: () => number;
  /** ms, for durations */
  elapsed: () => number;
  /** Work that outlives the caller. */
  background: (work: Promise<unknown>) => void;
}) {
  const {
    chooser,
    admit,
    finish,
    idempotency,
    observe,
    door,
    release,
    ledger,
    ids,
    now,
    elapsed,
    background,
  } = deps;

  /** A refusal before admission has its record too; if that can't be written, nothing is answered. */
  const refuse = async (opening: Opening, refusal: Refusal): Promise<Begun> => {
    const recorded = await ledger.refuse(opening, refusal.reason, detailOf(refusal), null);
    return {
      requestId: opening.id,
      limits: [],
      outcome: err(recorded.ok ? refusal : recorded.error),
    };
  };

  /** The same call came before: it is answered with that one's result, once there is one. */
  const repeat = async (
    underway: Underway,
    call: SamplingCall,
    first: FirstCall,
  ): Promise<Begun> => {
    const { arrival, opening, observed } = underway;
    const its = idempotentCallOf(arrival);
    if (its === null || first.contentSha256 !== arrival.contentSha256)
      return refuse(opening, { reason: "idempotency_conflict" });
    return {
      requestId: first.requestId,
      limits: [],
      outcome: ok(async (signal) => {
        const joined = await underway.turn.outside(() => idempotency.join(its, signal));
        if (joined.state === "free") {
          // The first one set the key free.
          const { outcome } = await decide(underway);
          if (outcome.ok) return outcome.value(signal);
          observed.ends(refusedWith(outcome.error));
          return outcome;
        }
        const { recorded } = joined;
        underway.answeredBy = joined.answeredBy;
        const refusal = recorded.ok ? null : recorded.error;
        observed.ends({ ...untouched, outcome: "repeated", refusal });
        return recorded.ok ? ok({ ...recorded.value, call }) : recorded;
      }),
    };
  };

  /** In turn, and only so long: nobody holds a turn while a provider is called. */
  const begin = async (asked: Omit<Underway, "turn">): Promise<Begun> => {
    const { id, who } = asked.opening;
    const { turn: given } = asked.arrival;
    const entered = given === null ? await door.enter(who.tenantId) : ok(given);
    if (!entered.ok) return { requestId: id, limits: [], outcome: entered };
    const turn = entered.value;
    const underway = Object.assign(asked, { turn });
    const begun = await decide(underway);
    const { outcome } = begun;
    if (!outcome.ok) {
      turn.end();
      return begun;
    }
    const run = outcome.value;
    return { ...begun, outcome: ok((signal) => run(signal).finally(turn.end)) };
  };

  const decide = async (underway: Underway): Promise<Begun> => {
    const { arrival, opening, observed } = underway;
    if (!arrival.call.ok) return refuse(opening, arrival.call.error);
    const call = arrival.call.value;
    let caller = arrival.caller;
    for (let fresh = !caller.warm; ; fresh = true) {
      // As it is by now: a kill switch is one only if it works at once.
      const server = arrival.server === null ? null : { ...arrival.server, ...caller.server };
      const choosingAt = elapsed();
      const plan = chooser.plan(call, caller.snapshot, arrival.declaredBy(caller), server);
      const admittingAt = elapsed();
      if (plan.ok) {
        observed.chose(plan.value.decision);
        const at = now();
        const wanted = { plan: plan.value, caller, server, now: at };
        const reserved = reservationOf(wanted);
        const smaller = smallerOf(wanted, reserved);
        const admission = await admit({
          plan: plan.value,
          reserved,
          smaller,
          caller,
          opening,
          replayKey: arrival.replayKey,
          now: at,
        });
        const about = (limits: LimitState[], outcome: Started["outcome"]): Begun => ({
          requestId: opening.id,
          limits,
          outcome,
        });
        if (!admission.ok) {
          release({ opening, holds: reserved.holds, isKeyed: arrival.replayKey !== null });
          return about([], err(admission.error));
        }
        const { value } = admission;
        if (value.state === "refused")
          return about(value.limits, err(refusalOf(value.hold, value)));
        if (value.state === "repeated") return repeat(underway, call, value.first);
        if (value.state === "admitted") {
          const chooseMs = admittingAt - choosingAt;
          const admitMs = elapsed() - admittingAt;
          const { blocked, receipt } = value;
          const times = { chooseMs, admitMs };
          const claimed = claimedOf({ plan: plan.value, reserved }, value, smaller);
          observed.chose(claimed.plan.decision);
          const admitted = { ...underway, caller, ...claimed, blocked, receipt, ...times };
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
          : repeat(underway, call, first.value);
      }
      const again = await arrival.again();
      if (!again.ok) return { requestId: opening.id, limits: [], outcome: again };
      caller = again.value;
    }
  };

  return async (arrival: Arrival): Promise<Started> => {
    const opening = openingOf(arrival, ids.next("request"));
    const observed = observe({ opening, authMs: arrival.authMs }, arrival.propagated);
    const underway = { arrival, opening, observed, answeredBy: "this-call" as AnsweredBy };
    const begun = await begin(underway);
    if (!begun.outcome.ok) observed.ends(refusedWith(begun.outcome.error));
    return { ...begun, timing: observed.timing, answeredBy: () => underway.answeredBy };
  };
}

export type Sample = ReturnType<typeof createSample>;
