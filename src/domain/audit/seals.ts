/**
 * Finished records are sealed per tenant into a chain. A record's canonical bytes are its leaf, and the leaves
 * of one seal make a Merkle tree (RFC 9162, section 2.1.1). A seal's statement names the tree's root and the
 * hash of the statement before it, and is signed. Hashes are SHA-256 in lower-case hex.
 */
import type { SamplingRecord, UnreadableRecord } from "./record.ts";
import type { AdminEvent } from "../admin-event.ts";
import { canonicalJson } from "../canonical.ts";
import type { Evidence } from "./evidence.ts";
import type { Refusal } from "../refusals.ts";
import type { Result } from "../result.ts";
import type { DeletionNotice, EmptiedPlace } from "./deletion-notices.ts";
import type { Checked } from "./seal-check.ts";

export type { Checked };

type Stored<T> = Promise<Result<T, Refusal>>;

/** Records of one seal at most: an export reads one seal at a time. */
export const mostSealed = 256;
/** What the first seal of a tenant names as its predecessor. */
export const noPrevious = "0".repeat(64);

/** What is signed. */
export interface Statement {
  version: 1;
  tenantId: string;
  /** 1, 2, 3… of each tenant */
  number: number;
  /** hash of the canonical statement before this one; `noPrevious` for the first */
  previous: string;
  /** the leaf of `checked`, which names the root of the tree over the records' leaves */
  root: string;
  /** how many records; 0: the seal was made for what is missing */
  count: number;
  /** ms, the earliest and the latest `createdAt` of the records; without records, `sealedAt` */
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
  /** what was found while the seal was made; null: the database's copy is no JSON */
  checked: Checked | null;
}

export interface SealWithLeaves extends StoredSeal {
  /** packed; a record that has been deleted leaves its leaf behind */
  leaves: string;
  /** which of its records were deleted since, and why; null: none was */
  deletions: DeletionNotice[] | null;
}

/** A seal without its leaves and records: enough to plan an export. */
export type SealSpan = Pick<Seal, "number" | "count">;

/** Where a record stands in its tenant's chain. */
export interface Place {
  /** number of the record's seal */
  seal: number;
  /** from 0 */
  position: number;
}

export interface AuditKey {
  id: string;
  /** raw Ed25519, base64url */
  publicKey: string;
}

/** A key with the code by which MASTER_KEY vouches for it. */
export interface StoredAuditKey extends AuditKey {
  code: string;
}

/** The newest seal of a chain, as a witness remembers it. */
export interface ChainHead {
  /** the tenant's id */
  tenant: string;
  number: number;
  /** hash of the newest seal's statement */
  hash: string;
}

/** A signature is for one kind of text, so none can be passed off as another. */
export type SignedAs = "seal" | "header" | "section" | "footer" | "heads" | "deletion";

export const signedText = (kind: SignedAs, value: object): string =>
  `sampling-router/${kind}/v1\n${canonicalJson(value)}`;

/** The statement of a seal, without what came with it. */
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

/** The sealed part of a record: everything that never changes once the record has ended. */
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

// -- Ports ------------------------------------------------------------------------------------------

/** A Merkle tree that gets its leaves one by one. */
export interface Tree {
  add(leaf: string): Promise<void>;
  /** hex; without leaves, the hash of nothing */
  root(): Promise<string>;
}

export interface Hashing {
  of(text: string): Promise<string>;
  /** the leaf of a record's canonical text */
  leafOf(text: string): Promise<string>;
  tree(): Tree;
  rootOf(leaves: readonly string[]): Promise<string>;
  /** Many leaves as one text. */
  pack(leaves: readonly string[]): string;
  /** null: the text is not packed leaves */
  unpack(packed: string): string[] | null;
}

export interface Signer {
  /** the key that it signs with */
  key: AuditKey;
  /** that key, and the key of the previous MASTER_KEY while one is set */
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
  /** the place where it was sealed before; null: it was not */
  former: Place | null;
}

export interface Waiting {
  /** the newest seal */
  head: StoredSeal | null;
  /** oldest first; these records have ended, have no seal, and can be read */
  records: WaitingRecord[];
  /** the last number that was given out; 0: none was */
  counter: number;
  /** numbers of all records without a seal, also of running calls; at most `mostPresent` */
  present: number[];
  /** the highest seal number in any record's row; 0: there is none */
  lastPlace: number;
}

/** Numbers that are read at once. */
export const mostPresent = 10_000;

export interface SealStore {
  /** Gives the turn to one of all callers, until it is released or `until` has come; null: somebody else has it. */
  claim(now: number, until: number): Stored<{ cursor: string } | null>;
  release(cursor: string): Stored<null>;
  /** How far the named job has come. */
  cursor(job: string): Stored<string>;
  keepCursor(job: string, cursor: string): Stored<null>;
  /** Ids of tenants with records to seal, in order. */
  waitingTenants(after: string, limit: number): Stored<string[]>;
  /** Ids of tenants whose records have numbers, in order. */
  numberedTenants(after: string, limit: number): Stored<string[]>;
  /** The records to be sealed next, and everything that says whether a record is missing. */
  waiting(tenantId: string, before: number, limit: number): Stored<Waiting>;
  /** Takes records out of seals above `after` that no longer exist, so that they are sealed again. */
  reopen(tenantId: string, after: number, event: AdminEvent): Stored<null>;
  /** How many finished records have no seal yet. Those that can't be read are counted apart. */
  countWaiting(tenantId: string): Stored<{ waiting: number; unreadable: number }>;
  /**
   * Seals the records in their order, or nothing: false where the chain has grown meanwhile, or a record is no
   * longer as it was read. The event, if any, is logged in the same transaction.
   */
  append(
    seal: SealWithLeaves,
    records: readonly SamplingRecord[],
    beside: {
      key: StoredAuditKey;
      event: AdminEvent | null;
      /** for the places that the records had before */
      notices: readonly DeletionNotice[];
    },
  ): Stored<boolean>;
  /** Some sealed records that retention may delete. */
  aged(now: number): Stored<EmptiedPlace[]>;
  /** Some of the oldest sealed records. */
  oldest(): Stored<EmptiedPlace[]>;
  /** The seals at these places, those that exist. */
  sealsAt(places: readonly { tenantId: string; seal: number }[]): Stored<Seal[]>;
  /** Deletes records where they still are at these places, together with the notices. Returns how many. */
  deleteSealed(places: readonly EmptiedPlace[], notices: readonly DeletionNotice[]): Stored<number>;
  /** Newest first; the cursor is a seal's number. */
  list(
    tenantId: string,
    page: { cursor: string | null; limit: number },
  ): Stored<{ data: StoredSeal[]; nextCursor: string | null }>;
  head(tenantId: string): Stored<StoredSeal | null>;
  /** Numbers of the first and the last seal above `after` that may hold records of that time. */
  sealRange(
    tenantId: string,
    range: { after: number; from: number | undefined; to: number | undefined },
  ): Stored<{ first: number; last: number } | null>;
  /** Oldest first. */
  spans(
    tenantId: string,
    range: { first: number; last: number },
    limit: number,
  ): Stored<SealSpan[]>;
  /** Seals with all their records that still exist, in the chain's order. */
  read(
    tenantId: string,
    range: { first: number; last: number },
  ): Stored<{
    seals: SealWithLeaves[];
    records: (Place & { record: SamplingRecord })[];
    /** records of these seals that can't be read */
    unreadable: (Place & UnreadableRecord)[];
  }>;
  /** Heads of chains, by tenant. */
  heads(after: string, limit: number): Stored<Seal[]>;
  keys(): Stored<StoredAuditKey[]>;
  /** Keeps the keys. A new code replaces the code of a key that is there already. */
  keepKeys(keys: readonly StoredAuditKey[], now: number): Stored<null>;
  /** Logs, once, a key that nobody vouches for. */
  reportKey(event: AdminEvent): Stored<null>;
}
