import type { AdminEvent } from "../admin-event.ts";
import { canonicalJson } from "../canonical.ts";
import type { Outcome, Receipt, Who } from "../audit/record.ts";
import type { Decision } from "../choice/decision.ts";
import type { LimitCheck } from "../limits/limit-checks.ts";
import type { AsyncResult } from "../refusals.ts";
import type {
  ApprovalEdits,
  ApprovalStage,
  HeldCalls,
  HeldContent,
  NewApproval,
} from "../sampling/approval.ts";
import type { Claim } from "./ledger.ts";

/** `started`: resumed after approval. `expired`: not decided or collected in time. `withdrawn`: cancelled by the caller. */
export type ApprovalState = "waiting" | "approved" | "denied" | "expired" | "started" | "withdrawn";

export interface Approval extends Omit<NewApproval, "parts" | "webhook"> {
  tenantId: string;
  requestId: string;
  keyId: string;
  state: ApprovalState;
  createdAt: number;
  decidedAt: number | null;
  decidedBy: string | null;
  /** keyed hash of the approver's issuer and subject; null: unknown */
  decidedBySubject: string | null;
  isOwn: boolean;
  comment: string | null;
  edited: ApprovalEdits | null;
  /** whether the call still has to be resumed or ended */
  isOpen: boolean;
}

/** What a list shows of a call without its content. */
export interface CallFigures {
  /** `provider/model` */
  model: string | null;
  /** the person of the key */
  user: string | null;
  maxMicroUsd: number | null;
}

/** Authenticated content of an approval row. `isOpen` is only bookkeeping. */
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
    row.conditions,
    row.contentHash,
    row.decidedAt,
    row.decidedBy,
    row.decidedBySubject,
    row.isOwn,
    row.comment,
    row.edited,
  ]);

export interface HeldCall {
  /** the newest stage; expired if the router did not write its row */
  approval: Approval;
  stages: Approval[];
  outcome: Outcome;
  decision: Decision;
  createdAt: number;
  admittedAt: number;
  limitChecks: Pick<LimitCheck, "subject" | "resource" | "bucket" | "amount">[];
  reservedTokens: number;
  reservedMicroUsd: number | null;
  serverId: string | null;
}

export interface CallPlace {
  tenantId: string;
  requestId: string;
}

export interface ApprovalDecision extends CallPlace {
  stage: ApprovalStage;
  state: "approved" | "denied";
  contentHash: string;
  by: string;
  bySubject: string | null;
  isOwn: boolean;
  comment: string | null;
  edited: ApprovalEdits | null;
  now: number;
  /** the edited content, sealed in parts; absent: unchanged */
  parts?: string[];
  /** replaces the reservation; absent: unchanged */
  claim?: Claim;
  slots?: LimitCheck[];
}

export type Decided =
  | { state: "done" }
  /** already decided, expired, or other content was shown */
  | { state: "conflict" }
  /** no room in a budget for the edit, or no free concurrency slot */
  | { state: "refused"; check: LimitCheck; used: number };

/** A resumed call gets a lease, and its record names the approver. */
export interface ResumedCall extends CallPlace {
  stage: ApprovalStage;
  now: number;
  leaseUntil: number;
  decision: Decision;
  limitChecks: LimitCheck[];
  tenantVersion: number;
}

export interface ApprovalStore {
  count(who: Pick<Who, "tenantId" | "keyId" | "serverId">): AsyncResult<HeldCalls>;
  find(place: CallPlace): AsyncResult<HeldCall | null>;
  list(
    tenantId: string,
    asked: { cursor: string | null; limit: number; state: ApprovalState | null },
  ): AsyncResult<{ data: (Approval & CallFigures)[]; nextCursor: string | null }>;
  /** Which of these held calls an approver approved. They wait for their callers. */
  approvedOf(tenantId: string, requestIds: readonly string[]): AsyncResult<ReadonlySet<string>>;
  content(place: CallPlace, kind: HeldContent): AsyncResult<string | null>;
  /** Decides if the shown content still waits; also writes the event. */
  decide(decision: ApprovalDecision, event: AdminEvent): AsyncResult<Decided>;
  /** Resumes an approved call. `busy`: no concurrency slot, or the tenant has changed. `gone`: already resumed. */
  resume(
    call: ResumedCall,
  ): AsyncResult<{ state: "resumed"; receipt: Receipt } | { state: "busy" } | { state: "gone" }>;
  /** Holds a completed call for approval of its result. False: the call has ended meanwhile. */
  holdResult(
    place: CallPlace & { keyId: string; now: number },
    approval: NewApproval,
  ): AsyncResult<boolean>;
  /** Cancels a held call or an undecided result. False: too late. */
  withdraw(place: CallPlace, now: number): AsyncResult<boolean>;
  /** Applies timeouts. Returns how many. */
  expire(now: number): AsyncResult<number>;
  /** Calls whose last approval has ended, but that the scheduled job still has to settle. */
  findUnclosed(): AsyncResult<CallPlace[]>;
  close(place: CallPlace): AsyncResult<null>;
}
