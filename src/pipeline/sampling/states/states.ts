/** The states of a sampling call. A step takes a call in one state and returns it in another; nothing is changed in place. */
import type { Opening, Receipt } from "../../../domain/audit/record.ts";
import type { ProviderMessage } from "../../../domain/audit/capture.ts";
import type { Timings } from "../../../domain/audit/spans.ts";
import type { LimitState } from "../../../domain/limits/limit-checks.ts";
import type { Refusal } from "../../../domain/refusals.ts";
import type { Result } from "../../../domain/result.ts";
import type { ApprovalNeed } from "../../../domain/sampling/approval.ts";
import type { SamplingAnswer, SamplingCall } from "../../../domain/sampling/call.ts";
import type { CallSlot } from "../../../domain/sampling/call-slot.ts";
import type { ReplayKey } from "../../../domain/sampling/replay-key.ts";
import type { Caller } from "../../callers/authenticate.ts";
import type { AskingServer } from "../../callers/scopes.ts";
import type { Reserved } from "../admission/admit.ts";
import type { Try } from "../admission/limit-waits.ts";
import type { AttemptsMade } from "../attempts/attempt.ts";
import type { Planned } from "../choice/choose.ts";
import type { AnsweredBy } from "../request/idempotency.ts";
import type { Observation } from "../request/observe.ts";
import type { SamplingRequest } from "../request/sampling-request.ts";
import type { Summary } from "../settlement/summary.ts";

export interface Arrived {
  request: SamplingRequest;
  opening: Opening;
  observed: Observation;
  slot: CallSlot;
  /** the key under which repetitions find the call; null: it can't be repeated */
  replayKey: ReplayKey | null;
}

export interface Decoded extends Arrived {
  asked: SamplingCall;
}

export interface Received extends Arrived, Try {
  state: "received";
  caller: Caller;
}

export interface Chosen extends Decoded, Try {
  state: "chosen";
  caller: Caller;
  /** the registered server that asks, as its entry is now; null: the caller asks for itself */
  server: AskingServer | null;
  plan: Planned;
  reserved: Reserved;
  /** ms since the epoch, from which limits count the call */
  now: number;
  chosenAt: number;
  chooseMs: number;
  approval: ApprovalNeed | null;
}

/** A call that the ledger has admitted. It is settled, whatever happens. */
export interface Running extends Decoded {
  requestId: string;
  limits: LimitState[];
  caller: Caller;
  plan: Planned;
  reserved: Reserved;
  receipt: Receipt;
  /** scopes of circuits that another call tries */
  blocked: readonly string[];
  approval: ApprovalNeed | null;
  chooseMs: number;
  approveMs: number;
  admitMs: number;
}

/** A call whose result is found under a key. */
interface Keyed extends Decoded {
  requestId: string;
  limits: LimitState[];
  replayKey: ReplayKey;
  /** `returning`: a server that was asked to come back, under another id; `repetition`: the same request again */
  role: "owner" | "returning" | "repetition";
}

export interface Held extends Keyed {
  state: "held";
}

export interface Joined extends Keyed {
  state: "joined";
}

export interface Admitted extends Running {
  state: "admitted";
}

export interface Attempted extends Running, AttemptsMade {
  state: "attempted";
  messages: ProviderMessage[];
}

export interface Finished {
  answer: SamplingAnswer;
  call: SamplingCall;
  decision: Summary;
}

/** How a call ended, for its caller. */
export interface EndedCall {
  answeredBy: AnsweredBy;
  timing: Timings;
  outcome: Result<Finished, Refusal>;
}

export interface Settled extends EndedCall {
  state: "settled";
}

export interface Refused extends EndedCall {
  state: "refused";
  requestId: string;
  limits: LimitState[];
  answeredBy: "this-call";
  outcome: { ok: false; error: Refusal };
}

/** What admission comes to. A surface can send its headers. */
export type Decided = Admitted | Held | Joined | Refused;

/** No decision yet: the caller may be out of date, or running calls may leave room. */
export type Undecided =
  | (Decoded & { state: "unchosen"; refusal: Refusal })
  /** the tenant, key or session has changed since the caller was read */
  | { state: "stale" }
  /** only what running calls have reserved is in the way */
  | { state: "waits" };

export type Call = Received | Decided | Settled;
