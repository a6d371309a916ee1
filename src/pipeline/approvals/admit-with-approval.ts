import type { ApprovalStore } from "../../domain/ports/approvals.ts";
import { ok } from "../../domain/result.ts";
import { fullOfHeld, type ApprovalNeed } from "../../domain/sampling/approval.ts";
import type { ReplayKey } from "../../domain/sampling/replay-key.ts";
import type { Idempotency } from "../sampling/request/idempotency.ts";
import type { Claim } from "../sampling/states/admitted.ts";
import type { Repeat, RepeatKnown } from "../sampling/states/joined.ts";
import { refused, type Refuse } from "../sampling/states/refused.ts";
import type { Chosen, Decided, Undecided } from "../sampling/states/states.ts";
import { approvalFor, type Hold } from "./hold-request.ts";
import { joinHeld, joinsIn } from "./join-held.ts";

type AdmitChosen = (call: Chosen) => Promise<Decided | Undecided>;

export function createAdmitWithApproval(deps: {
  admit: AdmitChosen;
  claim: Claim;
  hold: Hold;
  repeat: Repeat;
  repeatKnown: RepeatKnown;
  refuse: Refuse;
  idempotency: Pick<Idempotency<unknown>, "addKey" | "find" | "moveKey">;
  approvals: Pick<ApprovalStore, "count">;
  sendWebhooks: () => void;
  sha256Hex: (text: string) => Promise<string>;
}): AdmitChosen {
  const { admit, claim, hold, repeat, repeatKnown, refuse, idempotency, approvals } = deps;

  const holdFor = async (
    call: Chosen & { replayKey: ReplayKey },
    need: ApprovalNeed,
  ): Promise<Decided | Undecided> => {
    const known = await repeatKnown(call);
    if (known !== null) return known;
    const waiting = await approvals.count(call.opening.who);
    if (!waiting.ok) return refused(call, waiting.error);
    const full = fullOfHeld(waiting.value);
    if (full !== null)
      return refuse(call, { reason: "rate_limited", limit: `${full}.held`, retryAfterMs: 60_000 });
    const held = await hold(call, need);
    if (!held.ok) return { ...call, state: "unchosen", refusal: held.error };
    const claimed = await claim(call, { ...held.value, fallbacks: [] });
    if (claimed.state !== "granted") return claimed;
    const { plan, approval } = held.value;
    call.observed.chose(plan.decision);
    if (approval.webhook !== undefined) deps.sendWebhooks();
    const { limits } = claimed.granted;
    return { ...call, state: "held", requestId: call.opening.id, limits, role: "owner" };
  };

  /** Without a key of its own, a caller that has to wait comes back with the request's id. */
  const replayKeyFor = async ({ request, opening }: Chosen): Promise<ReplayKey> =>
    request.replayKey ?? { kind: "client", key: await deps.sha256Hex(opening.id) };

  return async (call) => {
    const need = approvalFor(call);
    const joined =
      need === null && joinsIn(call) === null ? ok(null) : await joinHeld(idempotency, call);
    if (!joined.ok) return refused(call, joined.error);
    if (joined.value !== null) return repeat(call, { ...joined.value, role: "returning" });
    if (need === null) return admit(call);
    const keyed = { ...call, approval: need, replayKey: await replayKeyFor(call) };
    return need.stages.includes("request") ? holdFor(keyed, need) : admit(keyed);
  };
}
