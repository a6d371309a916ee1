/** Ports of the ledger: admission and settlement, repetitions of a call, what was used. */
import type { Correction, Opening, Outcome, Receipt, Settlement } from "../audit/record.ts";
import type { AdminEvent } from "../admin-event.ts";
import type { Hold, LimitState } from "../limits/holds.ts";
import type { SummedLimit } from "../limits/standings.ts";
import type { AsyncResult, Reason } from "../refusals.ts";
import type { Decision } from "../choice/decision.ts";
import type { NewApproval } from "../sampling/approval.ts";
import type { ThinnedMinute } from "../audit/thinning.ts";

/** What a call would hold, and the decision that explains it. */
export interface Claim {
  decision: Decision;
  holds: Hold[];
  reservedTokens: number;
  /** micro-USD that is charged if the call's end is never written; null: unknown price */
  reservedMicroUsd: number | null;
}

/** A claim to take in place of a larger one. It has the same limits in the same order, and no larger amounts. */
export interface LesserClaim extends Claim {
  /**
   * The answer may be shorter than was asked. So the claim is taken only where calls have used too much of a limit, and
   * not where running calls have reserved it, or where a minute has to pass.
   */
  shortens?: true;
}

/** Claims of one admission at most, the first one included. */
export const mostClaims = 5;

export interface Reservation extends Claim {
  opening: Opening;
  /** The first of these that fits is taken, where a limit has too little left for the first claim of all. */
  lesser: readonly LesserClaim[];
  /** Nothing is written where only what running calls have reserved is in the way. Absent: the call is refused. */
  mayWait?: true;
  tenantVersion: number;
  now: number;
  /** null: the call waits for a person, and has no lease */
  leaseUntil: number | null;
  /** with a call that waits for a person; absent: the call runs at once */
  approval?: NewApproval;
  /** the session's new expiry, if the call has a session */
  sessionExpiresAt: number | null;
  /** circuits that were open for their time, and that this call would try */
  probes: CircuitProbe[];
  /** the replay key (`sampling/once.ts`), and until when the call holds it; null: the call has none */
  idempotency: { key: string; expiresAt: number } | null;
}

/** A circuit as the choice saw it. */
export interface CircuitProbe {
  scope: string;
  /** ms since the epoch, of its last change */
  updatedAt: number;
}

export type Admission =
  /**
   * `blocked`: scopes of `probes` that another call tries, or that are open again; `rung`: which claim was admitted, 0
   * is the first
   */
  | {
      state: "admitted";
      limits: LimitState[];
      blocked: string[];
      receipt: Receipt;
      rung: number;
    }
  /** Only what running calls have reserved is in the way. */
  | { state: "waits" }
  /** `hold` has no room for the least claim; `used`: what is used or reserved of its limit */
  | {
      state: "refused";
      hold: Hold;
      used: number;
      retryAfterMs: number | null;
      limits: LimitState[];
    }
  /** the key, session or tenant is no longer as the choice assumed */
  | { state: "stale" }
  /** another request holds the replay key; nothing was written */
  | { state: "repeated"; first: FirstCall };

/** The request that holds a replay key. */
export interface FirstCall {
  requestId: string;
  contentSha256: string;
}

export interface Ledger {
  /** One batch: one transaction, one round trip. Writes the record, whether the call is admitted or refused. */
  admit(reservation: Reservation): AsyncResult<Admission>;
  /** Ends a call and counts it once: true the first time, false where the record was settled or swept before. */
  settle(settlement: Settlement): AsyncResult<boolean>;
  /**
   * Replaces what the sweep wrote of a call whose process lived: outcome, charge, usage. A sealed record is
   * sealed again. The event says in `before` what stood there. What an operator has corrected stays. An open
   * call is ended as `settle` ends it. True if a call was ended.
   */
  settleSwept(settlement: Settlement, event: AdminEvent): AsyncResult<boolean>;
  /** The calls among these that have no certain end: they run, or the sweep took them for lost. */
  findOpen(calls: readonly { tenantId: string; id: string }[]): AsyncResult<string[]>;
  /** Of tenants with running calls, a text that changes whenever one of the calls ends. */
  runningOf(tenantIds: readonly string[], now: number): AsyncResult<Map<string, string>>;
  /** The record of a call that was refused before admission. */
  refuse(
    opening: Opening,
    reason: Reason,
    detail: string | null,
    decision: Decision | null,
  ): AsyncResult<null>;
  /** Calls whose lease has expired become `unknown`, charged as reserved. Returns how many. */
  sweep(now: number): AsyncResult<number>;
  /**
   * Corrects a call that `isCorrectable`. Budgets and usage follow, and the event says in `before` what stood
   * there. True if there was such a call.
   */
  correct(
    corrected: { tenantId: string; id: string; correction: Correction },
    event: AdminEvent,
  ): AsyncResult<boolean>;
  /** Deletes counters that no window needs any more. */
  prune(now: number): AsyncResult<number>;
}

/** Refusals without a record of their own: `domain/audit/thinning.ts`. */
export interface ThinningStore {
  /** Minutes that are over, oldest first, some at a time. */
  ended(now: number): AsyncResult<ThinnedMinute[]>;
  /** Notes that the minute's one record is written. */
  recorded(minute: ThinnedMinute): AsyncResult<null>;
}

/** The call that holds a replay key, and its state. */
export interface FirstCallState extends FirstCall {
  outcome: Outcome;
  leaseUntil: number | null;
  /** the sealed result, whole; null: not yet, or never */
  result: string | null;
}

export interface IdempotentCall {
  tenantId: string;
  keyId: string;
  serverId: string | null;
  key: string;
}

export interface IdempotencyStore {
  /** null: no request holds the key. */
  find(call: IdempotentCall, now: number): AsyncResult<FirstCallState | null>;
  /** Counts that a result was given again. */
  countReplay(call: IdempotentCall): AsyncResult<null>;
  /** Has a call known by a second key too, in place of whichever call that key named before. */
  addKey(call: IdempotentCall, key: string): AsyncResult<null>;
  /** Has a call known by another key from now on. null: no call holds the first key, or somebody else moved it. */
  moveKey(call: IdempotentCall, key: string, now: number): AsyncResult<FirstCall | null>;
  /** Whether a request holds any key with that beginning. */
  isTaken(call: Omit<IdempotentCall, "key"> & { keys: string }, now: number): AsyncResult<boolean>;
  /** Notes the HTTP status with which a server took the answer of a call; 0: it could not be reached. */
  deliver(call: { tenantId: string; requestId: string }, status: number): AsyncResult<null>;
  prune(now: number): AsyncResult<number>;
}

/** What is used of limits, for people who look. */
export interface LimitStore {
  /** One sum for each of the holds, in their order, all of one moment. Amounts of the holds do not matter. */
  sum(tenantId: string, holds: readonly Hold[], now: number): AsyncResult<SummedLimit[]>;
  /**
   * Subjects of groups, runs, tags and people of which something is counted, in their order.
   * @param after a subject; absent: from the first one
   */
  nodes(tenantId: string, about: { after?: string; limit: number }): AsyncResult<string[]>;
}

export type UsageBucket = "hour" | "day";
/** `all`: not grouped. */
export type UsageBy = "model" | "key" | "user" | "server" | "all";
/** What the operator may group the usage of all tenants by. */
export type UsageOfAllBy = "tenant" | "model";

export interface UsageAsked<By = UsageBy> {
  /** ms since the epoch */
  from: number;
  to: number;
  bucket: UsageBucket;
  by: By;
}

/** Requests by their outcome, and what they used. */
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

/** What was used in one bucket by one model, key or server. */
export interface UsageRow extends UsageFigures {
  /** ms since the epoch, the bucket's beginning in UTC */
  at: number;
  /** model, or the id of a key, a server or a tenant; empty: the request had none */
  group: string;
  requests: number;
}

/** `all`: the whole range is one bucket. */
export type UsageOfTenant = Omit<UsageAsked, "bucket"> & { bucket: UsageBucket | "all" };

/** Where a row stands among the others. */
export type UsagePlace = Pick<UsageRow, "at" | "group">;

export interface UsageStore {
  /**
   * Whole hours from `from` (ms, inclusive) to `to` (exclusive), oldest first, then by group, at most `limit` rows.
   * @param asked `after`: the last row of the page before; absent or null: there was none
   */
  read(
    tenantId: string,
    asked: UsageOfTenant & { limit: number; after?: UsagePlace | null },
  ): AsyncResult<UsageRow[]>;
  /** The same over all tenants of the database, for the operator alone. */
  readAll(asked: UsageAsked<UsageOfAllBy> & { limit: number }): AsyncResult<UsageRow[]>;
}
