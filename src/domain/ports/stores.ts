/** What the pipeline needs from the rooms below it; `compose/invocation.ts` hands it in. */
import type { RequestFilter } from "../audit/record.ts";
import type { ApiKey, StoredKey } from "../tenancy/access.ts";
import type { SamplingRecord } from "../audit/record.ts";
import type { AdminEvent } from "../admin-event.ts";
import type { Ceiling } from "../limits/ceilings.ts";
import type { Circuit } from "../choice/circuits.ts";
import type { CatalogueStore } from "./catalogues.ts";
import type { Health } from "../choice/health.ts";
import type { IdempotencyStore, Ledger, ThinningStore, UsageStore } from "./ledger.ts";
import type { CredentialSummary, DeclaredModel, ModelOverride } from "../models/model.ts";
import type { Policy } from "../choice/policy.ts";
import type { Answer } from "../refusals.ts";
import type { Result } from "../result.ts";
import type { SealedFor, SealingStore, SealedRowStore } from "../tenancy/sealing.ts";
import type { SealStore } from "../audit/seals.ts";
import type { SealedServer } from "../servers/server.ts";
import type { AuthorizationStore, ServerStore, TokenStore } from "./server-stores.ts";
import type { Bridge, Session } from "../tenancy/session.ts";

export type { Answer };

export interface Tenant {
  id: string;
  slug: string;
  name: string;
  policy: Policy;
  /** null: the tenant is from before there were ceilings */
  ceiling: Ceiling | null;
  /** rises with every change of the tenant or anything it owns that a choice depends on */
  version: number;
  createdAt: number;
}

export interface Credential extends CredentialSummary {
  tenantId: string;
  name: string;
  baseUrl: string | null;
  models: DeclaredModel[] | null;
  createdAt: number;
  updatedAt: number;
}

/** A credential with its key as the vault sealed it. */
export interface SealedCredential extends Credential {
  sealed: string;
}

// -- Authentication ---------------------------------------------------------------------------------

/** All that a call needs to know about its caller, read in one round trip. */
export interface Snapshot {
  tenant: Tenant;
  key: StoredKey;
  credentials: SealedCredential[];
  overrides: ModelOverride[];
  /** how fast its credentials' models answered */
  health: Health[];
  /** what failed lately */
  circuits: Circuit[];
}

export interface Snapshots {
  /**
   * `session` is null when there is none of that id for that key, or it has expired. With a server's
   * slug, `sessionId` is the id that this server gave, and only its sessions are looked at.
   */
  load(
    keyId: string,
    sessionId: string | null,
    now: number,
    serverSlug?: string,
  ): Answer<{ snapshot: Snapshot | null; session: Session | null; server: SealedServer | null }>;
}

// -- Stores -----------------------------------------------------------------------------------------

export interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

export interface PageRequest {
  cursor: string | null;
  limit: number;
}

export interface TenantChange {
  name?: string;
  policy?: Policy;
  ceiling?: Ceiling;
}

export interface TenantStore {
  /** Once for an id, for good: a tenant that was removed is not made again. */
  create(tenant: Tenant, event: AdminEvent): Answer<null>;
  bySlug(slug: string): Answer<Tenant | null>;
  byId(id: string): Answer<Tenant | null>;
  list(page: PageRequest): Answer<Page<Tenant>>;
  update(id: string, change: TenantChange, event: AdminEvent): Answer<null>;
  /** With everything the tenant owns, audit records included; the event log stays. */
  remove(id: string, event: AdminEvent): Answer<null>;
}

/** Which row, and the code of what it then says. */
type KeyPlace = "tenantId" | "id" | "code";

export interface KeyStore {
  create(key: StoredKey, event: AdminEvent): Answer<null>;
  get(tenantId: string, id: string): Answer<StoredKey | null>;
  list(tenantId: string, page: PageRequest): Answer<Page<ApiKey>>;
  /** Nothing of a key that is revoked meanwhile. */
  replaceSecret(key: Pick<StoredKey, KeyPlace | "secretHash">, event: AdminEvent): Answer<null>;
  revoke(key: Pick<StoredKey, KeyPlace | "revokedAt">, event: AdminEvent): Answer<null>;
}

export interface CredentialChange {
  name?: string;
  baseUrl?: string | null;
  models?: DeclaredModel[] | null;
  status?: "active" | "failing";
  sealed?: string;
}

export interface CredentialStore {
  create(credential: SealedCredential, event: AdminEvent): Answer<null>;
  get(tenantId: string, id: string): Answer<SealedCredential | null>;
  list(tenantId: string, page: PageRequest): Answer<Page<Credential>>;
  update(
    tenantId: string,
    id: string,
    change: CredentialChange,
    now: number,
    event: AdminEvent,
  ): Answer<null>;
  remove(tenantId: string, id: string, event: AdminEvent): Answer<null>;
}

export interface OverrideStore {
  put(tenantId: string, override: ModelOverride, now: number, event: AdminEvent): Answer<null>;
  list(tenantId: string): Answer<ModelOverride[]>;
  remove(tenantId: string, provider: string, id: string, event: AdminEvent): Answer<null>;
}

export interface SessionStore {
  /** Counts as an `initialize` of its key; `rate_limited` where that key has begun or holds too many. */
  begin(session: Session): Answer<null>;
  /** Counts an `initialize` before a server is asked. Where this is `ok`, `create` follows, if anything is to be kept. */
  admit(key: { tenantId: string; keyId: string }, now: number): Answer<null>;
  /** `rate_limited` where its key holds too many. */
  create(session: Session): Answer<null>;
  get(tenantId: string, id: string): Answer<Session | null>;
  list(tenantId: string, page: PageRequest): Answer<Page<Session>>;
  touch(tenantId: string, id: string, now: number, expiresAt: number): Answer<null>;
  /** Who holds the server's GET stream, and until when. */
  holdStream(
    tenantId: string,
    id: string,
    held: { clientStreamUntil: number } | { routerStreamUntil: number },
  ): Answer<null>;
  /** The newest live one that the router keeps with a legacy server under that key. */
  bridged(
    about: { tenantId: string; keyId: string; serverId: string; bridgeKey: string },
    now: number,
  ): Answer<Session | null>;
  setBridge(tenantId: string, id: string, bridge: Bridge): Answer<null>;
  /** True if there was one. Writes the event only when an administrator ends it. */
  end(tenantId: string, id: string, event: AdminEvent | null): Answer<boolean>;
  prune(now: number): Answer<number>;
}

/** A call as its notification names it. */
export interface CancelledCall {
  tenantId: string;
  sessionId: string;
  /** the JSON-RPC id, as JSON */
  messageId: string;
}

export interface CancellationStore {
  record(call: CancelledCall, now: number): Answer<null>;
  /** Whether it was recorded at `since` or later. */
  isRecorded(call: CancelledCall, since: number): Answer<boolean>;
  prune(now: number): Answer<number>;
}

export interface HealthStore {
  list(tenantId: string): Answer<Health[]>;
  circuits(tenantId: string): Answer<Circuit[]>;
  prune(now: number): Answer<number>;
}

export interface RequestStore {
  get(tenantId: string, id: string): Answer<(SamplingRecord & { content: string | null }) | null>;
  list(tenantId: string, filter: RequestFilter, page: PageRequest): Answer<Page<SamplingRecord>>;
  /**
   * Contents older than their tenant's `contentRetentionDays`, then sealed records older than its
   * `retentionDays`; what is not sealed yet stays. Returns how many went.
   */
  prune(now: number): Answer<number>;
}

export interface EventStore {
  list(tenantId: string | null, page: PageRequest): Answer<Page<AdminEvent>>;
}

/** Which tenant on which shard a slug is for. Kept in the home shard, once there are others. */
export interface Placement {
  slug: string;
  tenantId: string;
  shard: string;
}

/**
 * A placement is written before its tenant and removed after it, so one without a tenant is what a
 * crash left, and binds nobody: see `pipeline/admin/placing.ts`.
 */
export interface PlacementStore {
  /** The placement that stands, which may be an earlier one; null: a tenant that has none has the slug. */
  claim(placement: Placement): Answer<Placement | null>;
  /** Puts another in the place of one, if it still stands. The one that stands then. */
  replace(from: Placement, to: Placement): Answer<Placement | null>;
  bySlug(slug: string): Answer<Placement | null>;
  release(placement: Placement): Answer<null>;
  /** How many tenants each shard has, by name; those that have none are left out. */
  counts(): Answer<Record<string, number>>;
}

export interface Stores {
  snapshots: Snapshots;
  ledger: Ledger;
  thinning: ThinningStore;
  tenants: TenantStore;
  placements: PlacementStore;
  keys: KeyStore;
  credentials: CredentialStore;
  overrides: OverrideStore;
  servers: ServerStore;
  serverTokens: TokenStore;
  authorizations: AuthorizationStore;
  sessions: SessionStore;
  cancellations: CancellationStore;
  health: HealthStore;
  catalogues: CatalogueStore;
  requests: RequestStore;
  idempotency: IdempotencyStore;
  usage: UsageStore;
  events: EventStore;
  seals: SealStore;
  sealing: SealingStore;
  sealedRows: SealedRowStore;
}

// -- Crypto -----------------------------------------------------------------------------------------

export type { SealedFor };

/** Which versions of seals count at the moment. */
export interface SealVersions {
  /** of a new seal; 1 as long as processes that know no other may run beside this one */
  written(): Promise<1 | 2>;
  /** Whether a seal of version 1, which names no destination, still counts. */
  acceptsFirst(purpose: SealedFor["purpose"]): Promise<boolean>;
  /** A seal of that version was opened. */
  opened(version: 1 | 2): void;
}

export interface Vault {
  seal(plain: string, context: SealedFor): Promise<string>;
  /** `error` when no key at hand opens it, or it was sealed for something else. */
  open(sealed: string, context: SealedFor): Promise<Result<string, "unopenable">>;
  /** How every seal begins that the current key makes now. */
  readonly sealPrefix: string;
}

export interface KeyTokens {
  /** A new token for a key id: what the caller sees once, and what is stored. */
  mint(keyId: string): Promise<{ token: string; secretHash: string }>;
  /** The key id in a token; null if it is not one of ours. */
  keyIdOf(token: string): string | null;
  matches(token: string, secretHash: string): Promise<boolean>;
}
