import type { Correction, Opening, Outcome, Receipt, Settlement } from "../audit/record.ts";
import type { AdminEvent } from "../admin-event.ts";
import type { LimitCheck, LimitState } from "../limits/limit-checks.ts";
import type { SummedLimit } from "../limits/current-usage.ts";
import type { AsyncResult, Reason } from "../refusals.ts";
import type { Decision } from "../choice/decision.ts";
import type { NewApproval } from "../sampling/approval.ts";
import type { ThinnedMinute } from "../audit/thinning.ts";

export interface Claim {
  decision: Decision;
  limitChecks: LimitCheck[];
  reservedTokens: number;
  /** micro-USD, charged if the call's end is lost; null: unknown price */
  reservedMicroUsd: number | null;
}

/** A fallback claim: the same limits in the same order, with no larger amounts. */
export interface FallbackClaim extends Claim {
  /** A shorter answer. Comes last, and only for limits exhausted by use, not by reservations or a sliding window. */
  shortens?: true;
}

export const maxClaims = 5;

export interface Reservation extends Claim {
  opening: Opening;
  fallbacks: readonly FallbackClaim[];
  /** Do not record a refusal that is only caused by running calls. */
  mayWait?: true;
  tenantVersion: number;
  now: number;
  leaseUntil: number | null;
  approval?: NewApproval;
  sessionExpiresAt: number | null;
  probes: CircuitProbe[];
  idempotency: { key: string; expiresAt: number } | null;
}

export interface CircuitProbe {
  scope: string;
  updatedAt: number;
}

export type Admission =
  /** `blocked`: `probes` that are taken or reopened; `rung`: index of the admitted claim */
  | {
      state: "admitted";
      limits: LimitState[];
      blocked: string[];
      receipt: Receipt;
      rung: number;
    }
  | { state: "waits" }
  /** `check`: the limit that refuses the smallest claim; `used`: including reservations */
  | {
      state: "refused";
      check: LimitCheck;
      used: number;
      retryAfterMs: number | null;
      limits: LimitState[];
    }
  /** key, session or tenant changed since selection */
  | { state: "stale" }
  /** another request holds the replay key; nothing was written */
  | { state: "repeated"; first: FirstCall };

export interface FirstCall {
  requestId: string;
  contentSha256: string;
}

export interface Ledger {
  /** One transaction in one round trip. Records admitted and refused calls. */
  admit(reservation: Reservation): AsyncResult<Admission>;
  /** Settles a call once; false if it was already settled or swept. */
  settle(settlement: Settlement): AsyncResult<boolean>;
  /**
   * For a call whose process survived the sweep. Unseals the record but keeps a correction; the event has the
   * previous values.
   */
  settleSwept(settlement: Settlement, event: AdminEvent): AsyncResult<boolean>;
  findOpen(calls: readonly { tenantId: string; id: string }[]): AsyncResult<string[]>;
  /** Per tenant, a text that changes when one of its calls ends. */
  runningOf(tenantIds: readonly string[], now: number): AsyncResult<Map<string, string>>;
  refuse(
    opening: Opening,
    reason: Reason,
    detail: string | null,
    decision: Decision | null,
  ): AsyncResult<null>;
  renew(tenantId: string, ids: readonly string[], leaseUntil: number): AsyncResult<null>;
  /** Marks calls with expired leases as `unknown`, charged as reserved. Returns how many. */
  sweep(now: number): AsyncResult<number>;
  /** Corrects an `isCorrectable` call, its budgets and usage. The event has the previous values in `before`. */
  correct(
    corrected: { tenantId: string; id: string; correction: Correction },
    event: AdminEvent,
  ): AsyncResult<boolean>;
  prune(now: number): AsyncResult<number>;
}

/** Refusals without their own record; see `domain/audit/thinning.ts`. */
export interface ThinningStore {
  /** Past minutes, oldest first, in batches. */
  ended(now: number): AsyncResult<ThinnedMinute[]>;
  recorded(minute: ThinnedMinute): AsyncResult<null>;
}

export interface FirstCallState extends FirstCall {
  outcome: Outcome;
  leaseUntil: number | null;
  result: string | null;
}

export interface IdempotentCall {
  tenantId: string;
  keyId: string;
  serverId: string | null;
  key: string;
}

export interface IdempotencyStore {
  find(call: IdempotentCall, now: number): AsyncResult<FirstCallState | null>;
  countReplay(call: IdempotentCall): AsyncResult<null>;
  /** Adds a second key to a call, replacing its previous call. */
  addKey(call: IdempotentCall, key: string): AsyncResult<null>;
  /** Moves a call to another key. null: the first key is free or was moved. */
  moveKey(call: IdempotentCall, key: string, now: number): AsyncResult<FirstCall | null>;
  isPrefixTaken(
    call: Omit<IdempotentCall, "key"> & { keyPrefix: string },
    now: number,
  ): AsyncResult<boolean>;
  /** Records a server's HTTP status for a delivered answer; 0: unreachable. */
  recordDelivery(call: { tenantId: string; requestId: string }, status: number): AsyncResult<null>;
  prune(now: number): AsyncResult<number>;
}

export interface LimitStore {
  /** In the order of the checks, from one point in time. Ignores amounts. */
  sum(
    tenantId: string,
    limitChecks: readonly LimitCheck[],
    now: number,
  ): AsyncResult<SummedLimit[]>;
  /** Sorted subjects of groups, runs, tags and users with usage. @param after exclusive */
  nodes(tenantId: string, about: { after?: string; limit: number }): AsyncResult<string[]>;
}

export type UsageBucket = "hour" | "day" | "month";
/** `endpoint` is counted by a scheduled job. */
export type UsageBy = "model" | "key" | "user" | "server" | "endpoint" | "all";
export type UsageOfAllBy = "tenant" | "model";

export interface UsageQuery<By = UsageBy> {
  from: number;
  to: number;
  bucket: UsageBucket;
  by: By;
}

export interface UsageFigures {
  succeeded: number;
  failed: number;
  refused: number;
  cancelled: number;
  unknown: number;
  inputTokens: number;
  outputTokens: number;
  costMicroUsd: number;
}

export interface UsageRow extends UsageFigures {
  /** ms since the epoch, start of the bucket in UTC */
  at: number;
  group: string;
  requests: number;
}

/** `all`: one bucket. */
export type UsageOfTenant = Omit<UsageQuery, "bucket"> & { bucket: UsageBucket | "all" };

export type UsageRowKey = Pick<UsageRow, "at" | "group">;

export interface UsageStore {
  /** Whole hours in [`from`, `to`), ms, by time and group. @param asked `after`: the previous page's last row */
  read(
    tenantId: string,
    asked: UsageOfTenant & { limit: number; after?: UsageRowKey | null },
  ): AsyncResult<UsageRow[]>;
  readAll(asked: UsageQuery<UsageOfAllBy> & { limit: number }): AsyncResult<UsageRow[]>;
}
