/** The port of calls that wait for a person. */
import type { AdminEvent } from "../admin-event.ts";
import { canonicalJson } from "../canonical.ts";
import type { Outcome, Receipt, Who } from "../audit/record.ts";
import type { Decision } from "../choice/decision.ts";
import type { Hold } from "../limits/holds.ts";
import type { AsyncResult } from "../refusals.ts";
import type {
  ApprovalEdits,
  ApprovalStage,
  HeldCalls,
  HeldContent,
  NewApproval,
} from "../sampling/approval.ts";
import type { Claim } from "./ledger.ts";

/**
 * `begun`: the approved call was taken up. `expired`: nobody decided in time, or nobody came for what was
 * approved. `withdrawn`: its caller cancelled it.
 */
export type ApprovalState = "waiting" | "approved" | "denied" | "expired" | "begun" | "withdrawn";

export interface Approval extends Omit<NewApproval, "parts" | "webhook"> {
  tenantId: string;
  requestId: string;
  keyId: string;
  state: ApprovalState;
  createdAt: number;
  decidedAt: number | null;
  /** the operator, the id of a key, `timeout`, or `caller` who withdrew the call; null: nobody decided */
  decidedBy: string | null;
  /** the tenant's keyed hash of the person's issuer and subject; null: no person is known */
  decidedBySubject: string | null;
  /** whether the person who decided is the one whose call it is */
  isOwn: boolean;
  /** what the approver said */
  comment: string | null;
  edited: ApprovalEdits | null;
  /** whether the call has still to be begun or ended */
  isOpen: boolean;
}

/**
 * What the code of an approval's row covers: the decision, and the call that it decides on. `isOpen` only says whether a
 * job has work left.
 */
export const codedApproval = (row: Omit<Approval, "isOpen">): string =>
  canonicalJson([
    "approvals",
    row.tenantId,
    row.requestId,
    row.stage,
    row.keyId,
    row.state,
    row.createdAt,
    row.deadline,
    row.onTimeout,
    row.why,
    row.shown,
    row.decidedAt,
    row.decidedBy,
    row.decidedBySubject,
    row.isOwn,
    row.comment,
    row.edited,
  ]);

/** A held call, with what its record says. */
export interface HeldCall {
  /** the newest stage. Expired if the call waits and the router did not write the newest row: nobody decided */
  approval: Approval;
  /** every stage so far that the router wrote, in order */
  stages: Approval[];
  outcome: Outcome;
  decision: Decision;
  createdAt: number;
  /** in whose day, week and month the call counts, also what an edit reserves */
  admittedAt: number;
  /** what the call holds of money and tokens */
  holds: Pick<Hold, "subject" | "resource" | "bucket" | "amount">[];
  reservedTokens: number;
  reservedMicroUsd: number | null;
  serverId: string | null;
}

export interface CallPlace {
  tenantId: string;
  requestId: string;
}

/** A person's decision, of what that person was shown. */
export interface ApprovalDecision extends CallPlace {
  stage: ApprovalStage;
  state: "approved" | "denied";
  shown: string;
  by: string;
  /** the tenant's keyed hash of the person's issuer and subject; null: no person is known */
  bySubject: string | null;
  /** whether that person is the one whose call it is */
  isOwn: boolean;
  comment: string | null;
  edited: ApprovalEdits | null;
  now: number;
  /** what the edit makes of the call's content, sealed, in parts; absent: the content stays */
  parts?: string[];
  /** what an edit reserves in place of what the call holds; absent: it holds the same */
  claim?: Claim;
  /** limits of concurrency, under each of which the approved call takes a place; absent: it takes none yet */
  places?: Hold[];
}

export type Decided =
  | { state: "done" }
  /** somebody else decided, the time is over, or something else was shown */
  | { state: "conflict" }
  /** a budget has no room for what the edit needs, or a limit of concurrency has no place */
  | { state: "refused"; hold: Hold; used: number };

/** A held call goes on: it has a lease from now on, and its record says who approved it. */
export interface Lifted extends CallPlace {
  stage: ApprovalStage;
  now: number;
  leaseUntil: number;
  decision: Decision;
  /** limits of concurrency: the call keeps the places that it took when it was approved, or takes them now */
  holds: Hold[];
}

export interface ApprovalStore {
  /** How many calls of each wait. */
  count(who: Pick<Who, "tenantId" | "keyId" | "serverId">): AsyncResult<HeldCalls>;
  /** null: no such call was ever held. */
  find(place: CallPlace): AsyncResult<HeldCall | null>;
  /** Newest first. */
  list(
    tenantId: string,
    asked: { cursor: string | null; limit: number; state: ApprovalState | null },
  ): AsyncResult<{ data: Approval[]; nextCursor: string | null }>;
  /** Sealed text by its kind; null: none. */
  content(place: CallPlace, kind: HeldContent): AsyncResult<string | null>;
  /** Decides, if the call still waits with what was shown. The event is written with it. */
  decide(decision: ApprovalDecision, event: AdminEvent): AsyncResult<Decided>;
  /** Takes up an approved call. `busy`: a limit of concurrency has no place. `gone`: somebody else took it up. */
  lift(
    lifted: Lifted,
  ): AsyncResult<{ state: "lifted"; receipt: Receipt } | { state: "busy" } | { state: "gone" }>;
  /** Has a call that ran wait for the approval of its result. False: the call has ended meanwhile. */
  holdResult(
    place: CallPlace & { keyId: string; now: number },
    approval: NewApproval,
  ): AsyncResult<boolean>;
  /** Its caller cancels a held call that nobody has begun, and a result that nobody has decided on. False: too late. */
  withdraw(place: CallPlace, now: number): AsyncResult<boolean>;
  /** Decides what nobody decided in time. Returns how many. */
  expire(now: number): AsyncResult<number>;
  /** Calls that were denied, or withdrawn, or for which nobody came, and that are still to be ended. */
  undone(now: number): AsyncResult<CallPlace[]>;
  /** Notes that the call has been ended. */
  close(place: CallPlace): AsyncResult<null>;
}
