/**
 * Records are leaves of a Merkle tree (RFC 9162, 2.1.1). A seal signs the root and the previous statement's
 * hash (SHA-256, lower-case hex).
 */
import type { SamplingRecord, UnreadableRecord } from "./record.ts";
import type { AdminEvent } from "../admin-event.ts";
import { canonicalJson } from "../canonical.ts";
import type { Evidence } from "./evidence.ts";
import type { AsyncResult } from "../refusals.ts";
import type { DeletionNotice, EmptiedPosition } from "./deletion-notices.ts";
import type { Checked } from "./seal-check.ts";

export type { Checked };

/** An export holds the records of one seal in memory. */
export const maxPerSeal = 256;
export const noPrevious = "0".repeat(64);

export interface Statement {
  version: 1;
  tenantId: string;
  number: number;
  previous: string;
  /** leaf hash of `checked`, which contains the Merkle root of the records */
  root: string;
  /** 0: the seal only reports missing records */
  count: number;
  /** ms, minimum and maximum `createdAt`; `sealedAt` if there are no records */
  firstCreatedAt: number;
  lastCreatedAt: number;
  sealedAt: number;
  keyId: string;
}

export interface Seal extends Statement {
  /** Ed25519, base64url */
  signature: string;
}

export interface StoredSeal extends Seal {
  checked: Checked | null;
}

export interface SealWithLeaves extends StoredSeal {
  /** packed; leaves of deleted records remain */
  leaves: string;
  deletions: DeletionNotice[] | null;
}

export type SealSpan = Pick<Seal, "number" | "count">;

export interface ChainPosition {
  seal: number;
  position: number;
}

export interface AuditKey {
  id: string;
  /** raw Ed25519, base64url */
  publicKey: string;
}

/** `code` authenticates the key under MASTER_KEY. */
export interface StoredAuditKey extends AuditKey {
  code: string;
}

export interface ChainHead {
  tenant: string;
  number: number;
  hash: string;
}

/** Domain separation of signatures. */
export type SignedAs = "seal" | "header" | "section" | "footer" | "heads" | "deletion";

export const signedText = (kind: SignedAs, value: object): string =>
  `sampling-router/${kind}/v1\n${canonicalJson(value)}`;

export const statementOf = (seal: Statement): Statement => ({
  version: seal.version,
  tenantId: seal.tenantId,
  number: seal.number,
  previous: seal.previous,
  root: seal.root,
  count: seal.count,
  firstCreatedAt: seal.firstCreatedAt,
  lastCreatedAt: seal.lastCreatedAt,
  sealedAt: seal.sealedAt,
  keyId: seal.keyId,
});

/** Everything that can't change after the record has ended. */
export const sealedRecord = (record: SamplingRecord) => ({
  version: record.version,
  id: record.id,
  who: record.who,
  createdAt: record.createdAt,
  admittedAt: record.admittedAt,
  asked: record.asked,
  contentSha256: record.contentSha256,
  outcome: record.outcome,
  reason: record.reason,
  reasonDetail: record.reasonDetail,
  decision: record.decision,
  attempts: record.attempts,
  reservedTokens: record.reservedTokens,
  usage: record.usage,
  costMicroUsd: record.costMicroUsd,
  overshoot: record.overshoot,
  model: record.model,
  timing: record.timing,
  totalMs: record.totalMs,
  overheadMs: record.overheadMs,
  settledAt: record.settledAt,
  correction: record.correction,
});
export type SealedRecord = ReturnType<typeof sealedRecord>;

export interface Tree {
  add(leaf: string): Promise<void>;
  root(): Promise<string>;
}

export interface Hashing {
  of(text: string): Promise<string>;
  leafOf(text: string): Promise<string>;
  tree(): Tree;
  rootOf(leaves: readonly string[]): Promise<string>;
  pack(leaves: readonly string[]): string;
  unpack(packed: string): string[] | null;
}

export interface Signer {
  key: AuditKey;
  keys: AuditKey[];
  sign(text: string): Promise<string>;
}

export type VerifySignature = (
  key: AuditKey,
  signed: { text: string; signature: string },
) => Promise<boolean>;

export interface WaitingRecord {
  record: SamplingRecord;
  evidence: Evidence;
  previousPosition: ChainPosition | null;
}

export interface Waiting {
  head: StoredSeal | null;
  records: WaitingRecord[];
  /** the last assigned record number */
  counter: number;
  /** numbers of all unsealed records, including running calls; at most `maxUnsealed` */
  present: number[];
  /** the highest seal number in any record's row */
  highestSealInRows: number;
}

export const maxUnsealed = 10_000;

export interface SealStore {
  /** Acquires the lease of the seal run until `until`; null: taken. */
  claim(now: number, until: number): AsyncResult<{ cursor: string } | null>;
  release(cursor: string): AsyncResult<null>;
  cursor(job: string): AsyncResult<string>;
  keepCursor(job: string, cursor: string): AsyncResult<null>;
  waitingTenants(after: string, limit: number): AsyncResult<string[]>;
  numberedTenants(after: string, limit: number): AsyncResult<string[]>;
  /** The next records to seal, and the data to detect missing ones. */
  waiting(tenantId: string, before: number, limit: number): AsyncResult<Waiting>;
  /** Detaches records from removed seals above `after`, so that they are sealed again. */
  reopen(tenantId: string, after: number, event: AdminEvent): AsyncResult<null>;
  countWaiting(tenantId: string): AsyncResult<{ waiting: number; unreadable: number }>;
  /** All or none: false if the chain or a record changed meanwhile. Logs the event in the same transaction. */
  append(
    seal: SealWithLeaves,
    records: readonly SamplingRecord[],
    beside: {
      key: StoredAuditKey;
      event: AdminEvent | null;
      notices: readonly DeletionNotice[];
    },
  ): AsyncResult<boolean>;
  aged(now: number): AsyncResult<EmptiedPosition[]>;
  oldest(): AsyncResult<EmptiedPosition[]>;
  sealsAt(places: readonly { tenantId: string; seal: number }[]): AsyncResult<Seal[]>;
  /** Deletes the records that are still at these places, and stores the notices. Returns the number deleted. */
  deleteSealed(
    places: readonly EmptiedPosition[],
    notices: readonly DeletionNotice[],
  ): AsyncResult<number>;
  /** Newest first; the cursor is a seal number. */
  list(
    tenantId: string,
    page: { cursor: string | null; limit: number },
  ): AsyncResult<{ data: StoredSeal[]; nextCursor: string | null }>;
  head(tenantId: string): AsyncResult<StoredSeal | null>;
  /** First and last seal number above `after` that may contain records of that time. */
  sealRange(
    tenantId: string,
    range: { after: number; from: number | undefined; to: number | undefined },
  ): AsyncResult<{ first: number; last: number } | null>;
  spans(
    tenantId: string,
    range: { first: number; last: number },
    limit: number,
  ): AsyncResult<SealSpan[]>;
  read(
    tenantId: string,
    range: { first: number; last: number },
  ): AsyncResult<{
    seals: SealWithLeaves[];
    records: (ChainPosition & { record: SamplingRecord })[];
    unreadable: (ChainPosition & UnreadableRecord)[];
  }>;
  heads(after: string, limit: number): AsyncResult<Seal[]>;
  keys(): AsyncResult<StoredAuditKey[]>;
  keepKeys(keys: readonly StoredAuditKey[], now: number): AsyncResult<null>;
  reportKey(event: AdminEvent): AsyncResult<null>;
}
