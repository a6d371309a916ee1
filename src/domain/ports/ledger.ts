/** Ports of the ledger: admission and settlement, repetitions of a call, what was used. */
import type { Correction, Opening, Outcome, Receipt, Settlement } from "../audit/record.ts";
import type { AdminEvent } from "../admin-event.ts";
import type { Hold, LimitState } from "../limits/holds.ts";
import type { Answer, Reason } from "../refusals.ts";
import type { Decision } from "../choice/decision.ts";
import type { ThinnedMinute } from "../audit/thinning.ts";

/** What a call would hold, and the decision that says why. */
export interface Claim {
  decision: Decision;
  holds: Hold[];
  reservedTokens: number;
  /** micro-USD charged if the call is never heard of again; null: unknown price */
  reservedMicroUsd: number | null;
}

export interface Reservation extends Claim {
  opening: Opening;
  /**
   * Claimed in place of the first where a limit has too little left for that: the same limits in the same
   * order, of none more, and fewer tokens. Absent: there is nothing smaller.
   */
  smaller?: Claim;
  tenantVersion: number;
  now: number;
  leaseUntil: number;
  /** the session's new expiry, when there is a session */
  sessionExpiresAt: number | null;
  /** circuits that were open for their time, and that this call would try */
  probes: CircuitProbe[];
  /** by which the call is known again (`sampling/once.ts`), and until when it holds that; null: it isn't */
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
   * `blocked`: scopes of `probes` that somebody else tries, or that are open again;
   * `claimed`: present where it was the smaller claim
   */
  | {
      state: "admitted";
      limits: LimitState[];
      blocked: string[];
      receipt: Receipt;
      claimed?: "smaller";
    }
  | { state: "refused"; hold: Hold; retryAfterMs: number | null; limits: LimitState[] }
  /** key, session or tenant are no longer what the choice assumed */
  | { state: "stale" }
  /** another request holds the key; nothing was written */
  | { state: "repeated"; first: FirstCall };

/** The request that holds a key. */
export interface FirstCall {
  requestId: string;
  contentSha256: string;
}

export interface Ledger {
  /** One batch: one transaction, one round trip. Writes the record whether admitted or refused. */
  admit(reservation: Reservation): Answer<Admission>;
  /** Counts once: true the first time, false when the record was settled or swept before. */
  settle(settlement: Settlement): Answer<boolean>;
  /**
   * In place of what the sweep wrote of a call whose process lived: outcome, charge, usage, also of a sealed
   * record, which is sealed again. The event says in `before` what stood there. What an operator has corrected
   * stays. An open call it ends as `settle` does. True if it ended one.
   */
  settleSwept(settlement: Settlement, event: AdminEvent): Answer<boolean>;
  /** Which of these calls nobody who knows has ended: they run, or the sweep took them for lost. */
  findOpen(calls: readonly { tenantId: string; id: string }[]): Answer<string[]>;
  /** The record of a call that was refused before admission. */
  refuse(
    opening: Opening,
    reason: Reason,
    detail: string | null,
    decision: Decision | null,
  ): Answer<null>;
  /** Expired leases become `unknown`, charged as reserved. Returns how many. */
  sweep(now: number): Answer<number>;
  /**
   * Only of a call that `isCorrectable`; budgets and usage follow, and the event says in `before` what stood there.
   * True if there was one.
   */
  correct(
    its: { tenantId: string; id: string; correction: Correction },
    event: AdminEvent,
  ): Answer<boolean>;
  /** Counters that no window can need any more. */
  prune(now: number): Answer<number>;
}

/** Refusals that have no record of their own: `domain/audit/thinning.ts`. */
export interface ThinningStore {
  /** Minutes that are over, oldest first, some at a time. */
  ended(now: number): Answer<ThinnedMinute[]>;
  /** Their one record stands. */
  recorded(minute: ThinnedMinute): Answer<null>;
}

/** How the call that holds a key stands. */
export interface FirstCallState extends FirstCall {
  outcome: Outcome;
  leaseUntil: number | null;
  /** sealed, whole; null: not yet, or never */
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
  find(call: IdempotentCall, now: number): Answer<FirstCallState | null>;
  /** Counts a result that was given again. */
  countReplay(call: IdempotentCall): Answer<null>;
  /** Whether a request holds any key that begins so. */
  isTaken(call: Omit<IdempotentCall, "key"> & { keys: string }, now: number): Answer<boolean>;
  /** How a server took the answer of a call: its HTTP status; 0: it could not be reached. */
  deliver(call: { tenantId: string; requestId: string }, status: number): Answer<null>;
  prune(now: number): Answer<number>;
}

export type UsageBucket = "hour" | "day";
export type UsageBy = "model" | "key" | "server";

export interface UsageAsked {
  /** ms since the epoch */
  from: number;
  to: number;
  bucket: UsageBucket;
  by: UsageBy;
}

/** What was used in one bucket by one of whatever is compared. */
export interface UsageRow {
  /** ms since the epoch, the bucket's beginning in UTC */
  at: number;
  /** model, key id or server id; empty: none */
  group: string;
  requests: number;
  succeeded: number;
  failed: number;
  refused: number;
  cancelled: number;
  unknown: number;
  inputTokens: number;
  outputTokens: number;
  costMicroUsd: number;
}

export interface UsageStore {
  /** Whole hours from `from` (ms, inclusive) to `to` (exclusive), oldest first, at most `limit` rows. */
  read(tenantId: string, asked: UsageAsked & { limit: number }): Answer<UsageRow[]>;
}
