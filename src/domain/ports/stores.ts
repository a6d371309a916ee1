/** The ports that the pipeline needs; `compose/composition.ts` hands in what implements them. */
import type { OauthEntryStore } from "./oauth-entries.ts";
import type { StoredKey } from "../tenancy/access.ts";
import type { ConsoleSessionStore } from "./console-sessions.ts";
import type { RequestFilter, SamplingRecord } from "../audit/record.ts";
import type { Page, PageRequest } from "./pages.ts";
import type { CancellationStore } from "./cancellations.ts";
import type { SignInStore } from "./sign-ins.ts";
import type { UserStore } from "./users.ts";
import type { LatencyStore } from "./latencies.ts";
import type { NameStore } from "./names.ts";
import type { RequestFeedStore } from "./request-feed.ts";
import type { PlacementStore } from "./placements.ts";
import type { AdminEvent } from "../admin-event.ts";
import type { SinkStore } from "./audit-sink.ts";
import type { AlertStore } from "./alerts.ts";
import type { ApprovalStore } from "./approvals.ts";
import type { WebhookStore } from "./webhooks.ts";
import type { Calendar } from "../calendar.ts";
import type { Ceiling } from "../limits/ceilings.ts";
import type { Circuit } from "../choice/circuits.ts";
import type { CatalogueStore } from "./catalogues.ts";
import type { Health } from "../choice/health.ts";
import type { IdempotencyStore, Ledger, LimitStore, ThinningStore, UsageStore } from "./ledger.ts";
import type { CredentialSummary, DeclaredModel, Listing, ModelOverride } from "../models/model.ts";
import type { Policy } from "../choice/policy.ts";
import type { AsyncResult } from "../refusals.ts";
import type { Result } from "../result.ts";
import type { SealedFor, SealingStore, SealedRowStore } from "../tenancy/sealing.ts";
import type { SealStore } from "../audit/seals.ts";
import type { SealedServer } from "../servers/server.ts";
import type { AuthorizationStore, ServerStore, TokenStores } from "./server-stores.ts";
import type { Residency } from "../tenancy/residency.ts";
import type { Bridge, Session } from "../tenancy/session.ts";
import type { DeliveryStore, OutboxStore } from "./outbox.ts";
import type { ResealedTenants } from "./resealed-tenants.ts";
import type { RoomStore } from "./room.ts";

export interface Tenant {
  id: string;
  slug: string;
  name: string;
  policy: Policy;
  ceiling: Ceiling;
  /** rises with every change on which a choice depends, of the tenant or of anything that it owns */
  version: number;
  createdAt: number;
  /** where the data was asked to live; null: nobody asked */
  residency: Residency | null;
}

export interface Credential extends CredentialSummary {
  tenantId: string;
  name: string;
  baseUrl: string | null;
  models: DeclaredModel[] | null;
  createdAt: number;
  updatedAt: number;
}

/** A credential with its sealed key. */
export interface SealedCredential extends Credential {
  sealed: string;
  /** ms since the epoch, before which its provider's list isn't read again; absent: it never was */
  listingDueAt?: number;
}

/** Everything that a call needs to know about its caller, read in one round trip. */
export interface Snapshot {
  tenant: Tenant;
  key: StoredKey;
  credentials: SealedCredential[];
  overrides: ModelOverride[];
  /** how fast its credentials' models answered */
  health: Health[];
  /** what failed lately */
  circuits: Circuit[];
  /** `provider/model`: the only one that may be chosen, since a person approved it; absent: no choice is bound */
  pinnedModel?: string;
}

export interface Snapshots {
  /**
   * `session`: null where that key has no session with that id, or the session has expired. With a server's
   * slug, `sessionId` is the id that the server gave, and only the server's sessions are looked at.
   */
  load(
    keyId: string,
    sessionId: string | null,
    now: number,
    serverSlug?: string,
  ): AsyncResult<{
    snapshot: Snapshot | null;
    session: Session | null;
    server: SealedServer | null;
  }>;
}

// -- Stores -----------------------------------------------------------------------------------------

export type { Page, PageRequest };

export interface TenantChange {
  name?: string;
  policy?: Policy;
  ceiling?: Ceiling;
  /** in which limits begin with what was used; absent: UTC's. `countsAnew`: those of keys and servers too */
  calendar?: Calendar;
  countsAnew?: boolean;
}

export interface TenantStore {
  /** An id is used once, ever: a tenant that was removed is not made again. */
  create(tenant: Tenant, event: AdminEvent): AsyncResult<null>;
  bySlug(slug: string): AsyncResult<Tenant | null>;
  byId(id: string): AsyncResult<Tenant | null>;
  /** @param ifVersion the only version of the tenant that may be changed; else `precondition_failed`. Absent: whatever it has */
  update(
    id: string,
    change: TenantChange,
    event: AdminEvent,
    ifVersion?: number,
  ): AsyncResult<null>;
  /** Removes the tenant and everything that it owns, audit records included. The event log stays. */
  remove(id: string, event: AdminEvent): AsyncResult<null>;
}

/**
 * `code` is over the whole row with its new values, as the row was read: `precondition_failed` where the tenant has
 * another version by now. A revoked key is left as it is.
 */
type KeyChange<Field extends keyof StoredKey, More = unknown> = (
  key: Pick<StoredKey, "tenantId" | "id" | "code" | Field> & More,
  event: AdminEvent,
  ifVersion: number,
) => AsyncResult<null>;

export interface KeyStore {
  create(key: StoredKey, event: AdminEvent): AsyncResult<null>;
  get(tenantId: string, id: string): AsyncResult<StoredKey | null>;
  /** of all rows, also those that the router did not write */
  list(tenantId: string, page: PageRequest): AsyncResult<Page<StoredKey>>;
  replaceSecret: KeyChange<"secretHash" | "givenTo">;
  revoke: KeyChange<"revokedAt">;
  update: KeyChange<"name" | "limits" | "expiresAt", { calendar?: Calendar }>;
}

export type CredentialChange = Partial<
  Pick<SealedCredential, "name" | "baseUrl" | "models" | "status" | "sealed">
>;

interface CredentialRead extends Pick<Credential, "tenantId" | "id"> {
  readAt: number;
}

export interface CredentialStore {
  create(credential: SealedCredential, event: AdminEvent): AsyncResult<null>;
  get(tenantId: string, id: string): AsyncResult<SealedCredential | null>;
  list(tenantId: string, page: PageRequest): AsyncResult<Page<Credential>>;
  update(
    tenantId: string,
    id: string,
    change: CredentialChange,
    now: number,
    event: AdminEvent,
    ifVersion?: number,
  ): AsyncResult<null>;
  /** Makes a failing credential active, at the event's time. Does nothing where `updatedAt` is not `readAt`. */
  reactivate(its: CredentialRead, event: AdminEvent): AsyncResult<null>;
  /** True for one of all callers if the provider's list is due and `updatedAt` is `readAt`; due again at `until`. */
  claimListing(its: CredentialRead, at: { now: number; until: number }): AsyncResult<boolean>;
  /** Makes every prepared choice stale. Does nothing where `updatedAt` is not `readAt`. */
  keepListing(its: CredentialRead, listing: Listing): AsyncResult<null>;
  remove(tenantId: string, id: string, event: AdminEvent): AsyncResult<null>;
}

export interface OverrideStore {
  put(tenantId: string, override: ModelOverride, now: number, event: AdminEvent): AsyncResult<null>;
  list(tenantId: string): AsyncResult<ModelOverride[]>;
  remove(tenantId: string, provider: string, id: string, event: AdminEvent): AsyncResult<null>;
}

export interface SessionStore {
  /** Counts as an `initialize` of the session's key. `rate_limited` where the key has begun or holds too many. */
  begin(session: Session): AsyncResult<null>;
  /**
   * Counts an `initialize` before a server is asked. Where it is `ok`, `create` follows if the session is to be
   * kept.
   */
  admit(key: { tenantId: string; keyId: string }, now: number): AsyncResult<null>;
  /** `rate_limited` where the session's key holds too many. */
  create(session: Session): AsyncResult<null>;
  get(tenantId: string, id: string): AsyncResult<Session | null>;
  list(tenantId: string, page: PageRequest): AsyncResult<Page<Session>>;
  touch(tenantId: string, id: string, now: number, expiresAt: number): AsyncResult<null>;
  /** Notes who holds the server's GET stream, and until when. */
  holdStream(
    tenantId: string,
    id: string,
    held: { clientStreamUntil: number } | { routerStreamUntil: number },
  ): AsyncResult<null>;
  /** The newest live session that the router keeps with a legacy server under that key. */
  bridged(
    where: { tenantId: string; keyId: string; serverId: string; bridgeKey: string },
    now: number,
  ): AsyncResult<Session | null>;
  setBridge(tenantId: string, id: string, bridge: Bridge): AsyncResult<null>;
  /** True if there was such a session. The event is written only when an administrator ends it. */
  end(tenantId: string, id: string, event: AdminEvent | null): AsyncResult<boolean>;
  prune(now: number): AsyncResult<number>;
}

export interface HealthStore {
  list(tenantId: string): AsyncResult<Health[]>;
  circuits(tenantId: string): AsyncResult<Circuit[]>;
  prune(now: number): AsyncResult<number>;
}

export interface RequestStore {
  get(
    tenantId: string,
    id: string,
  ): AsyncResult<(SamplingRecord & { content: string | null }) | null>;
  list(
    tenantId: string,
    filter: RequestFilter,
    page: PageRequest,
  ): AsyncResult<Page<SamplingRecord>>;
  /** Deletes contents older than their tenant's `contentRetentionDays`. Returns how many were deleted. */
  pruneContents(now: number): AsyncResult<number>;
}

export interface EventStore {
  append(event: AdminEvent): AsyncResult<null>;
  /** Appends the event unless its action and target have one since then (ms). @returns whether it did */
  appendOnce(event: AdminEvent, since: number): AsyncResult<boolean>;
  list(tenantId: string | null, page: PageRequest): AsyncResult<Page<AdminEvent>>;
}

export interface Stores extends TokenStores {
  snapshots: Snapshots;
  ledger: Ledger;
  thinning: ThinningStore;
  tenants: TenantStore;
  placements: PlacementStore;
  outbox: OutboxStore;
  deliveries: DeliveryStore;
  keys: KeyStore;
  credentials: CredentialStore;
  overrides: OverrideStore;
  servers: ServerStore;
  authorizations: AuthorizationStore;
  sessions: SessionStore;
  oauthEntries: OauthEntryStore;
  consoleSessions: ConsoleSessionStore;
  signIns: SignInStore;
  cancellations: CancellationStore;
  health: HealthStore;
  catalogues: CatalogueStore;
  requests: RequestStore;
  requestFeed: RequestFeedStore;
  idempotency: IdempotencyStore;
  approvals: ApprovalStore;
  alerts: AlertStore;
  sinks: SinkStore;
  webhooks: WebhookStore;
  usage: UsageStore;
  latencies: LatencyStore;
  names: NameStore;
  users: UserStore;
  limits: LimitStore;
  events: EventStore;
  seals: SealStore;
  sealing: SealingStore;
  sealedRows: SealedRowStore;
  room: RoomStore;
  resealedTenants: ResealedTenants;
}

export interface Vault {
  seal(plain: string, context: SealedFor): Promise<string>;
  /** `error`: no key at hand opens the seal, or the seal is for another destination. */
  open(sealed: string, context: SealedFor): Promise<Result<string, "unopenable">>;
  /** The beginning of every seal that the current key makes now. */
  readonly sealPrefix: string;
}

export interface KeyTokens {
  /** A new token for a key id, and the hash to be stored. The caller sees the token once. */
  mint(keyId: string): Promise<{ token: string; secretHash: string }>;
  /** The key id in a token; null: the token is none of ours. */
  keyIdOf(token: string): string | null;
  /** Whether this deployment made the token, as far as the token itself shows. It may be of no database any more. */
  isMarked(token: string): Promise<boolean>;
  matches(token: string, secretHash: string): Promise<boolean>;
}
