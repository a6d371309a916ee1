/** The product on one screen: each step takes a call in one state and returns it in the next. */
import type { LimitState } from "../../domain/limits/limit-checks.ts";
import type { Timings } from "../../domain/audit/spans.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { AwaitApproval } from "../approvals/await-approval.ts";
import { withCurrentCaller, type WaitForRoom } from "./decide.ts";
import type { InTurn } from "./in-turn.ts";
import type { UnreadRequest } from "./request/sampling-request.ts";
import type { Admit } from "./states/admitted.ts";
import type { Attempt } from "./states/attempted.ts";
import type { Choose } from "./states/chosen.ts";
import type { Join } from "./states/joined.ts";
import type { Receive } from "./states/received.ts";
import type { Settle, SettleThrown } from "./states/settled.ts";
import type {
  Admitted,
  Attempted,
  Call,
  Decided,
  EndedCall,
  Held,
  Settled,
} from "./states/states.ts";

export interface Sampled {
  requestId: string;
  limits: LimitState[];
  /** ms of each step so far */
  timing: Timings;
  /** the rest of the call, to be run once; or why there is none */
  outcome: Result<(signal: AbortSignal) => Promise<EndedCall>, Refusal>;
}

export interface Steps {
  receive: Receive;
  choose: Choose;
  admit: Admit;
  attempt: Attempt;
  settle: Settle;
  settleThrown: SettleThrown;
  join: Join;
  awaitApproval: AwaitApproval;
}

export function createSample(
  { receive, choose, admit, attempt, settle, settleThrown, join, awaitApproval }: Steps,
  around: {
    waitForRoom: WaitForRoom;
    inTurn: InTurn;
    /** Work that outlives the caller. */
    background: (work: Promise<unknown>) => void;
  },
) {
  const { waitForRoom, inTurn, background } = around;

  const decide = waitForRoom(
    withCurrentCaller(async (call) => {
      const chosen = await choose(call);
      return chosen.state === "chosen" ? admit(chosen) : chosen;
    }),
  );

  const finish = async (admitted: Admitted, signal: AbortSignal): Promise<Settled | Held> => {
    let call: Admitted | Attempted = admitted;
    try {
      call = await attempt(admitted, signal);
      return await settle(call);
    } catch (thrown) {
      await settleThrown(call);
      // The surface reports the bug.
      throw thrown;
    }
  };
  const finishInBackground: typeof finish = (admitted, signal) => {
    const work = finish(admitted, signal);
    background(work);
    return work;
  };

  const next = (call: Exclude<Call, EndedCall>, signal: AbortSignal): Promise<Call> => {
    switch (call.state) {
      case "received":
        return decide(call);
      case "admitted":
        return finishInBackground(call, signal);
      case "held":
        return awaitApproval(call, { signal, finish: finishInBackground });
      case "joined":
        return join(call, signal);
    }
  };

  const begin = inTurn.begins(decide);
  const run = inTurn.ends(async (decided: Exclude<Decided, EndedCall>, signal) => {
    let call: Call = decided;
    while (call.state !== "settled" && call.state !== "refused") call = await next(call, signal);
    return call;
  });

  return async (unread: UnreadRequest): Promise<Sampled> => {
    const decided = await begin(await receive(unread));
    if (decided.state === "refused") return decided;
    const { requestId, limits, request } = decided;
    const timing = { auth: request.authMs };
    return { requestId, limits, timing, outcome: ok((signal) => run(decided, signal)) };
  };
}

export type Sample = ReturnType<typeof createSample>;
