/** The product on one screen: each step takes a call in one state and returns it in the next. */
import type { LimitState } from "../../domain/limits/limit-checks.ts";
import type { Timings } from "../../domain/audit/spans.ts";
import type { Refusal } from "../../domain/refusals.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { SamplingCall } from "../../domain/sampling/call.ts";
import { withCurrentCaller, type DecideOnce } from "./decide.ts";
import type { CallSlots } from "./call-slots.ts";
import type { UnreadRequest } from "./request/sampling-request.ts";
import type {
  Admitted,
  Attempted,
  Call,
  Chosen,
  Decided,
  EndedCall,
  Held,
  Joined,
  Received,
  Refused,
  Settled,
  Undecided,
} from "./states/states.ts";

export interface Sampled {
  requestId: string;
  limits: LimitState[];
  /** the call by the policy and the limits; null: not known yet */
  planned: SamplingCall | null;
  timing: Timings;
  /** the rest of the call, to be run once, or the refusal */
  outcome: Result<(signal: AbortSignal) => Promise<EndedCall>, Refusal>;
}

type Step<From, To> = (call: From, signal: AbortSignal) => Promise<To>;
type Finish = Step<Admitted, Settled | Held>;

export interface Steps {
  receive: (unread: UnreadRequest) => Promise<Received>;
  choose: (call: Received) => Promise<Chosen | Refused | Undecided>;
  admit: (call: Chosen) => Promise<Decided | Undecided>;
  attempt: Step<Admitted, Attempted>;
  settle: (call: Attempted) => Promise<Settled | Held>;
  settleThrown: (call: Admitted | Attempted) => Promise<Settled>;
  join: Step<Joined, Settled | Held | Received>;
  awaitApproval: (
    call: Held,
    how: { signal: AbortSignal; finish: Finish },
  ) => Promise<Admitted | Joined | Refused>;
}

export interface Around {
  waitForRoom: (decide: DecideOnce) => (call: Received) => Promise<Decided>;
  callSlots: CallSlots;
  /** Keeps the work running after the caller disconnects. */
  background: (work: Promise<unknown>) => void;
}

export function createSample(steps: Steps, { waitForRoom, callSlots, background }: Around) {
  const { receive, choose, admit, attempt, settle, settleThrown, join, awaitApproval } = steps;

  const decide = waitForRoom(
    withCurrentCaller(async (call) => {
      const chosen = await choose(call);
      return chosen.state === "chosen" ? admit(chosen) : chosen;
    }),
  );

  const attemptAndSettle: Finish = async (admitted, signal) => {
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
  const finish: Finish = (admitted, signal) => {
    const work = attemptAndSettle(admitted, signal);
    background(work);
    return work;
  };

  const next = (call: Exclude<Call, EndedCall>, signal: AbortSignal): Promise<Call> => {
    switch (call.state) {
      case "received":
        return decide(call);
      case "admitted":
        return finish(call, signal);
      case "held":
        return awaitApproval(call, { signal, finish });
      case "joined":
        return join(call, signal);
    }
  };

  const begin = callSlots.begins(decide);
  const run = callSlots.ends(async (decided: Exclude<Decided, Refused>, signal) => {
    let call: Call = decided;
    // A joined call whose key was released is decided again.
    while (call.state !== "settled" && call.state !== "refused") call = await next(call, signal);
    return call;
  });

  return async (unread: UnreadRequest): Promise<Sampled> => {
    const decided = await begin(await receive(unread));
    if (decided.state === "refused") return { ...decided, planned: null };
    const { requestId, limits, request } = decided;
    const timing = { auth: request.authMs };
    return {
      requestId,
      limits,
      planned: decided.state === "admitted" ? decided.plan.call : null,
      timing,
      outcome: ok((signal) => run(decided, signal)),
    };
  };
}

export type Sample = ReturnType<typeof createSample>;
