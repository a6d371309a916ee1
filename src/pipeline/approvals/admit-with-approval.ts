/** Admits a chosen call, unless it has to wait for approval or belongs to a call that already waits. */
import type { ApprovalStore } from "../../domain/ports/approvals.ts";
import type { IdempotentCall } from "../../domain/ports/ledger.ts";
import { fullOfHeld, type ApprovalNeed } from "../../domain/sampling/approval.ts";
import type { ReplayKey } from "../../domain/sampling/replay-key.ts";
import type { Idempotency } from "../sampling/request/idempotency.ts";
import { idempotentCallOf, returningCallOf } from "../sampling/request/idempotent-call.ts";
import type { Admit, Claim } from "../sampling/states/admitted.ts";
import type { Repeat } from "../sampling/states/joined.ts";
import { refused, type Refuse } from "../sampling/states/refused.ts";
import type { Chosen, Decided, Undecided } from "../sampling/states/states.ts";
import { approvalFor, type Hold } from "./hold-request.ts";
import { joinHeld, joinsIn } from "./join-held.ts";

export function createAdmitWithApproval(deps: {
  admit: Admit;
  claim: Claim;
  hold: Hold;
  repeat: Repeat;
  refuse: Refuse;
  idempotency: Pick<Idempotency<unknown>, "addKey" | "find" | "moveKey">;
  /** how many calls of a tenant wait for approval */
  approvals: Pick<ApprovalStore, "count">;
  /** sends webhooks about held calls, soon */
  sendWebhooks: () => void;
  sha256Hex: (text: string) => Promise<string>;
}): Admit {
  const { admit, claim, hold, repeat, refuse, idempotency, approvals, sendWebhooks } = deps;

  /** Holds the call on the chosen model alone, and without a concurrency slot. */
  const holdUnder = async (
    key: IdempotentCall,
    call: Chosen,
    need: ApprovalNeed,
  ): Promise<Decided | Undecided> => {
    const { request, opening, caller, server, asked, plan, now } = call;
    const declared = request.declaredBy(caller);
    const { decision } = plan;
    const held = await hold({
      opening,
      asked,
      decision,
      caller,
      server,
      declared,
      need,
      now,
    });
    if (!held.ok) return { ...call, state: "unchosen", refusal: held.error };
    const { approval } = held.value;
    const claimed = await claim(call, { ...held.value, lesser: [] });
    if (claimed.state !== "granted") return claimed;
    call.observed.chose(held.value.plan.decision);
    if (approval.webhook !== undefined) sendWebhooks();
    const { limits } = claimed.granted;
    return { ...call, state: "held", requestId: opening.id, limits, key, role: "owner" };
  };

  /** Holds the call, unless the same call came before or too many calls wait. */
  const holdOrJoin = async (call: Chosen, need: ApprovalNeed): Promise<Decided | Undecided> => {
    const key = idempotentCallOf(call);
    if (key === null) return refuse(call, { reason: "internal" });
    const known = await idempotency.find(key);
    if (!known.ok) return refused(call, known.error);
    if (known.value !== null) return repeat(call, known.value);
    const held = await approvals.count(call.opening.who);
    if (!held.ok) return refused(call, held.error);
    const full = fullOfHeld(held.value);
    return full === null
      ? holdUnder(key, call, need)
      : refuse(call, { reason: "rate_limited", limit: `${full}.held`, retryAfterMs: 60_000 });
  };

  /**
   * A server that was told to come again joins its call: by the key that it was given as often as it likes, by asking the
   * same again once for each time that it was told. null: it was told nothing.
   */
  const rejoin = async (call: Chosen, need: ApprovalNeed | null): Promise<Decided | null> => {
    const { request } = call;
    if (need === null && joinsIn(request) === null) return null;
    const returning = returningCallOf(call);
    const own = idempotentCallOf(call);
    if (returning === null || own === null) return null;
    const joined = await joinHeld(idempotency, { request, own, returning });
    if (!joined.ok) return refused(call, joined.error);
    return joined.value === null ? null : repeat(call, joined.value, "returning");
  };

  /** Without a key of its own, a caller that has to wait comes back with the request's id. */
  const replayKeyFor = async ({ request, opening }: Chosen): Promise<ReplayKey> =>
    request.replayKey ?? { kind: "client", key: await deps.sha256Hex(opening.id) };

  return async (call) => {
    const need = approvalFor({ ...call, tool: call.request.tool });
    const rejoined = await rejoin(call, need);
    if (rejoined !== null) return rejoined;
    if (need === null) return admit(call);
    const awaiting = { ...call, approval: need, replayKey: await replayKeyFor(call) };
    return need.stages.includes("request") ? holdOrJoin(awaiting, need) : admit(awaiting);
  };
}
