/** What becomes of a call before a provider is called: choose, then admit. Every refusal has its record. */
import { detailOf, type Opening } from "../../domain/audit/record.ts";
import { fullOfHeld, type ApprovalNeed } from "../../domain/sampling/approval.ts";
import type { ReplayKey } from "../../domain/sampling/replay-key.ts";
import type { ApprovalStore } from "../../domain/ports/approvals.ts";
import type { FirstCall, IdempotentCall, Ledger } from "../../domain/ports/ledger.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { refusalOfNames } from "../../domain/choice/call-names.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import { defaultDeadlineMs } from "../../domain/choice/policy.ts";
import { reservationOf, type Admit } from "./admission/admit.ts";
import { refused, takenOf, type Decided, type Tried } from "./decided.ts";
import { ladderOf } from "./admission/ladder.ts";
import { waitWithin, type LimitWaits, type Try } from "./admission/limit-waits.ts";
import type { SamplingRequest } from "./request/sampling-request.ts";
import type { Caller } from "../callers/authenticate.ts";
import type { Chooser, Planned } from "./choice/choose.ts";
import { approvalFor, type Hold as HoldCall } from "../approvals/hold-request.ts";
import { joinHeld, joinsIn } from "../approvals/join-held.ts";
import type { Idempotency } from "./request/idempotency.ts";
import { idempotentCallOf, returningCallOf } from "./request/idempotent-call.ts";
import { limitRefusal } from "./admission/limit-refusal.ts";
import type { AskingServer } from "../callers/scopes.ts";
import type { StartedCall } from "./request/started-call.ts";
import type { Release } from "./settlement/release.ts";

export function createDecide(deps: {
  chooser: Pick<Chooser, "plan">;
  admit: Admit;
  idempotency: Pick<Idempotency<unknown>, "addKey" | "find" | "moveKey">;
  limitWaits: Pick<LimitWaits, "through">;
  /** Not waited for, not even by a host that ends. */
  release: (lost: Parameters<Release>[0]) => void;
  ledger: Pick<Ledger, "refuse">;
  hold: HoldCall;
  /** how many calls of a tenant wait for a person */
  approvals: Pick<ApprovalStore, "count">;
  /** sends what is to be told of held calls, soon */
  sendWebhooks: () => void;
  sha256Hex: (text: string) => Promise<string>;
  now: () => number;
  /** ms, for durations */
  elapsed: () => number;
}) {
  const { chooser, admit, idempotency, limitWaits, release, ledger, now, elapsed } = deps;
  /** An admission without an answer may have happened. A full database has answered. */
  const letGo = (error: Refusal, lost: Parameters<Release>[0]): void => {
    if (error.reason !== "unavailable" || error.cause === undefined) release(lost);
  };
  const { hold, approvals, sendWebhooks, sha256Hex } = deps;

  /** A refusal before admission has its record too; if that can't be written, nothing is answered. */
  const refuse = async (opening: Opening, refusal: Refusal): Promise<Decided> => {
    const recorded = await ledger.refuse(opening, refusal.reason, detailOf(refusal), null);
    return refused(opening, recorded.ok ? refusal : recorded.error);
  };

  const repeat = async (
    { request, opening }: Pick<StartedCall, "request" | "opening">,
    call: SamplingCall,
    { requestId, contentSha256 }: FirstCall,
  ): Promise<Decided> => {
    const first = idempotentCallOf(request);
    return first === null || contentSha256 !== request.content.sha256
      ? refuse(opening, { reason: "idempotency_conflict" })
      : { state: "repeated", requestId, limits: [], first, call };
  };

  /** Admits a call that waits for a person: on the chosen model alone, and without a place to run in. */
  const holdWith = async (
    { request, opening, observed }: StartedCall,
    wanted: {
      plan: Planned;
      caller: Caller;
      server: AskingServer | null;
      now: number;
      asked: SamplingCall;
      need: ApprovalNeed;
      replayKey: ReplayKey;
      first: IdempotentCall;
    },
  ): Promise<Tried> => {
    const { caller, asked, replayKey } = wanted;
    const declared = request.declaredBy(caller);
    const held = await hold({ ...wanted, opening, decision: wanted.plan.decision, declared });
    if (!held.ok) return { state: "nothing_to_choose", refusal: held.error };
    const { plan, reserved, approval } = held.value;
    const { now: at } = wanted;
    const admission = await admit({
      plan,
      reserved,
      lesser: [],
      ifReserved: "refused",
      caller,
      opening,
      replayKey,
      approval,
      now: at,
    });
    if (!admission.ok) {
      letGo(admission.error, { opening, holds: reserved.holds, isKeyed: true });
      return refused(opening, admission.error);
    }
    const { value } = admission;
    if (value.state === "stale" || value.state === "waits") return value;
    if (value.state === "refused")
      return refused(opening, limitRefusal(value.hold, value), value.limits);
    if (value.state === "repeated") return repeat({ request, opening }, asked, value.first);
    observed.chose(plan.decision);
    if (approval.webhook !== undefined) sendWebhooks();
    const { limits } = value;
    return {
      state: "held",
      requestId: opening.id,
      limits,
      first: wanted.first,
      call: asked,
      replayKey,
      idempotencyKey: request.replayKey === null ? opening.id : null,
    };
  };

  /** Without a key of its own, a caller that has to wait comes back with the request's id. */
  const replayKeyFor = async (
    { replayKey }: SamplingRequest,
    { id }: Opening,
  ): Promise<ReplayKey> => replayKey ?? { kind: "client", key: await sha256Hex(id) };

  /**
   * A server that was told to come again joins its call: by the key that it was given as often as it likes, by asking the
   * same again once for each time that it was told, since it may as well ask the same twice. From then on the call is known
   * by the new request's own key. null: it was told nothing.
   */
  const rejoin = async (
    started: StartedCall,
    call: SamplingCall,
    need: ApprovalNeed | null,
  ): Promise<Tried | null> => {
    const { request, opening } = started;
    if (need === null && joinsIn(request) === null) return null;
    const returning = returningCallOf(request);
    const own = idempotentCallOf(request);
    if (returning === null || own === null) return null;
    const joined = await joinHeld(idempotency, { request, own, returning });
    if (!joined.ok) return refused(opening, joined.error);
    if (joined.value === null) return null;
    const repeated = await repeat(started, call, joined.value);
    return repeated.state === "repeated" ? { ...repeated, returns: true } : repeated;
  };

  /** A call that has to wait for a person: joined where the same call came before, refused where too many wait. */
  const holdOrJoin = async (
    started: StartedCall,
    wanted: Omit<Parameters<typeof holdWith>[1], "replayKey" | "first">,
  ): Promise<Tried> => {
    const { request, opening } = started;
    const key = await replayKeyFor(request, opening);
    const first = idempotentCallOf(request, key);
    if (first === null) return refuse(opening, { reason: "internal" });
    const known = await idempotency.find(first);
    if (!known.ok) return refused(opening, known.error);
    if (known.value !== null) return repeat(started, wanted.asked, known.value);
    const held = await approvals.count(opening.who);
    if (!held.ok) return refused(opening, held.error);
    const full = fullOfHeld(held.value);
    return full === null
      ? holdWith(started, { ...wanted, replayKey: key, first })
      : refuse(opening, { reason: "rate_limited", limit: `${full}.held`, retryAfterMs: 60_000 });
  };

  /** Chooses and admits, with what is known of the caller. */
  const tryWith = async (
    started: StartedCall,
    call: SamplingCall,
    { caller, ifReserved, waitedMs }: Try & { caller: Caller },
  ): Promise<Tried> => {
    const { request, opening, observed } = started;
    // The server's entry as it is by now: a kill switch is one only if it works at once.
    const server = request.server === null ? null : { ...request.server, ...caller.server };
    const choosingAt = elapsed();
    const unnamed = refusalOfNames(call, caller.snapshot.tenant.policy);
    if (unnamed !== null) return { state: "nothing_to_choose", refusal: unnamed };
    const chosen = chooser.plan(call, caller.snapshot, request.declaredBy(caller), server);
    const admittingAt = elapsed();
    if (!chosen.ok) return { state: "nothing_to_choose", refusal: chosen.error };
    const plan = chosen.value;
    observed.chose(plan.decision);
    const wanted = { plan, caller, server, names: call, now: now(), waitedMs };
    const reserved = reservationOf(wanted);
    const need = approvalFor({ ...wanted, reserved, tool: request.tool });
    const rejoined = await rejoin(started, call, need);
    if (rejoined !== null) return rejoined;
    if (need?.stages.includes("request") === true)
      return holdOrJoin(started, { ...wanted, asked: call, need });
    const lesser = ladderOf(wanted, reserved);
    const replayKey = need === null ? request.replayKey : await replayKeyFor(request, opening);
    const admission = await admit({
      ...wanted,
      reserved,
      lesser,
      ifReserved,
      opening,
      replayKey,
      approval: null,
    });
    if (!admission.ok) {
      letGo(admission.error, { opening, holds: reserved.holds, isKeyed: replayKey !== null });
      return refused(opening, admission.error);
    }
    const { value } = admission;
    if (value.state === "stale" || value.state === "waits") return value;
    if (value.state === "refused")
      return refused(opening, limitRefusal(value.hold, value), value.limits);
    if (value.state === "repeated") return repeat(started, call, value.first);
    const claimed = takenOf({ plan, reserved }, lesser[value.rung - 1]);
    observed.chose(claimed.plan.decision);
    const { blocked, receipt, limits } = value;
    const more = {
      request: { ...request, replayKey },
      approval: need,
      chooseMs: admittingAt - choosingAt,
      approveMs: 0,
      admitMs: waitedMs + elapsed() - admittingAt,
    };
    return {
      state: "admitted",
      requestId: opening.id,
      limits,
      admitted: { ...started, caller, ...claimed, blocked, receipt, ...more },
    };
  };

  /** Nothing can be chosen. But a call that was answered is answered again, whatever could be chosen by now. */
  const refuseOrRepeat = async (
    started: StartedCall,
    call: SamplingCall,
    refusal: Refusal,
  ): Promise<Decided> => {
    const repeated = idempotentCallOf(started.request);
    if (repeated === null) return refuse(started.opening, refusal);
    const first = await idempotency.find(repeated);
    if (!first.ok) return refused(started.opening, first.error);
    return first.value === null
      ? refuse(started.opening, refusal)
      : repeat(started, call, first.value);
  };

  const decideOnce = async (
    started: StartedCall,
    call: SamplingCall,
    how: Try,
  ): Promise<Decided | "waits"> => {
    const { request, opening } = started;
    let tried = await tryWith(started, call, { ...how, caller: request.caller });
    if (request.caller.warm && (tried.state === "nothing_to_choose" || tried.state === "stale")) {
      const again = await request.again();
      if (!again.ok) return refused(opening, again.error);
      tried = await tryWith(started, call, { ...how, caller: again.value });
    }
    if (tried.state === "waits") return "waits";
    if (tried.state === "nothing_to_choose") return refuseOrRepeat(started, call, tried.refusal);
    // The caller was stale twice: somebody changes the tenant faster than the tenant can be read.
    if (tried.state === "stale")
      return refused(opening, { reason: "unavailable", retryAfterMs: 1_000 });
    return tried;
  };

  return async (started: StartedCall): Promise<Decided> => {
    const { request, opening, turn } = started;
    if (!request.call.ok) return refuse(opening, request.call.error);
    const call = request.call.value;
    const { policy } = request.caller.snapshot.tenant;
    const { tenantId } = opening.who;
    const longestMs = waitWithin(policy.deadlineMs ?? defaultDeadlineMs);
    return limitWaits.through({ tenantId, longestMs, outside: turn.outside }, (how) =>
      decideOnce(started, call, how),
    );
  };
}

export type Decide = ReturnType<typeof createDecide>;
