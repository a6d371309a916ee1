/**
 * Finished records are sealed per tenant into a chain. A record's canonical bytes are its leaf; the
 * leaves of one seal make a Merkle tree (RFC 9162, section 2.1.1); a seal's statement names the tree's
 * root and the hash of the statement before it, and is signed. Hashes are SHA-256 in lower-case hex.
 */
import type { SamplingRecord, UnreadableRecord } from "./audit.ts";
import { canonicalJson } from "./canonical.ts";
import type { Refusal } from "./refusals.ts";
import type { Result } from "./result.ts";

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
  /** of the statement before it, canonical; `noPrevious` for the first */
  previous: string;
  /** of the tree over its records' leaves, in their order */
  root: string;
  /** records, at least one */
  count: number;
  /** ms, the earliest and the latest `createdAt` of its records */
  firstCreatedAt: number;
  lastCreatedAt: number;
  sealedAt: number;
  keyId: string;
}

export interface Seal extends Statement {
  /** Ed25519, base64url */
  signature: string;
}

export interface SealWithLeaves extends Seal {
  /** packed; a record that has been deleted leaves its own behind */
  leaves: string;
}

/** A seal without what it vouches for: enough to plan an export. */
export type SealSpan = Pick<Seal, "number" | "count">;

/** Where a record stands in its tenant's chain. */
export interface Place {
  /** its seal's number */
  seal: number;
  /** from 0 */
  position: number;
}

export interface AuditKey {
  id: string;
  /** raw Ed25519, base64url */
  publicKey: string;
}

/** A signature is for one kind of text: none can be passed off as another. */
export type SignedAs = "seal" | "header" | "section" | "footer";

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

/**
 * What is sealed of a record: everything that never changes once it has ended. Version 2 has the keys of
 * version 1; its `usage` and `attempts` also say classes of tokens and what each attempt used and cost.
 */
export const sealedRecord = (record: SamplingRecord) => ({
  version: record.version,
  id: record.id,
  who: record.who,
  createdAt: record.createdAt,
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

/** A Merkle tree that is given its leaves one by one. */
export interface Tree {
  add(leaf: string): Promise<void>;
  /** hex; of nothing, the hash of nothing */
  root(): Promise<string>;
}

export interface Hashing {
  of(text: string): Promise<string>;
  /** of a record's canonical text */
  leafOf(text: string): Promise<string>;
  tree(): Tree;
  rootOf(leaves: readonly string[]): Promise<string>;
  /** Leaves as one text. */
  pack(leaves: readonly string[]): string;
  /** null: no such text */
  unpack(packed: string): string[] | null;
}

export interface Signer {
  /** the one it signs with */
  key: AuditKey;
  /** that one, and the one of the previous MASTER_KEY while it is set */
  keys: AuditKey[];
  sign(text: string): Promise<string>;
}

export type VerifySignature = (
  key: AuditKey,
  about: { text: string; signature: string },
) => Promise<boolean>;

export interface SealStore {
  /** The turn of one of all that ask, until it is released or `until` has come; null: another's. */
  claim(now: number, until: number): Stored<{ cursor: string } | null>;
  release(cursor: string): Stored<null>;
  /** Ids of tenants that have records to seal, in order. */
  waitingTenants(after: string, limit: number): Stored<string[]>;
  /** The newest seal, and the tenant's oldest finished records that have none and can be read. */
  waiting(
    tenantId: string,
    before: number,
    limit: number,
  ): Stored<{ head: Seal | null; records: SamplingRecord[] }>;
  /** How many finished records have no seal yet, those aside that can't be read. */
  countWaiting(tenantId: string): Stored<{ waiting: number; unreadable: number }>;
  /**
   * Seals the records in their order, or nothing: false when the chain has grown meanwhile, or one of
   * them is no longer as it was read.
   */
  append(seal: SealWithLeaves, records: readonly SamplingRecord[], key: AuditKey): Stored<boolean>;
  /** Newest first; the cursor is a seal's number. */
  list(
    tenantId: string,
    page: { cursor: string | null; limit: number },
  ): Stored<{ data: Seal[]; nextCursor: string | null }>;
  head(tenantId: string): Stored<Seal | null>;
  /** Numbers of the first and the last seal above `after` that may hold records of that time. */
  reach(
    tenantId: string,
    about: { after: number; from: number | undefined; to: number | undefined },
  ): Stored<{ first: number; last: number } | null>;
  /** Oldest first. */
  spans(
    tenantId: string,
    range: { first: number; last: number },
    limit: number,
  ): Stored<SealSpan[]>;
  /** Seals with all that is left of their records, in the chain's order. */
  read(
    tenantId: string,
    range: { first: number; last: number },
  ): Stored<{
    seals: SealWithLeaves[];
    records: (Place & { record: SamplingRecord })[];
    /** what is left of them that can't be read */
    unreadable: (Place & UnreadableRecord)[];
  }>;
  keys(): Stored<AuditKey[]>;
  keepKeys(keys: readonly AuditKey[], now: number): Stored<null>;
}
