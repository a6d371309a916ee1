import type { OauthEntryStore } from "./oauth-entries.ts";
import type { StoredKey } from "../tenancy/access.ts";
import type { ConsoleSessionStore } from "./console-sessions.ts";
import type { SessionCounts } from "./session-counts.ts";
import type { ListFilter, SamplingRecord } from "../audit/record.ts";
import type { Page, PageRequest } from "./pages.ts";
import type { CancellationStore } from "./cancellations.ts";
import type { QuestionStore } from "./questions.ts";
import type { SignInStore } from "./sign-ins.ts";
import type { UserStore } from "./users.ts";
import type { LatencyStore } from "./latencies.ts";
import type { OverrideStore } from "./overrides.ts";
import type { AllNameStore } from "./names.ts";
import type { RequestFeedStore } from "./request-feed.ts";
import type { PlacementStore } from "./placements.ts";
import type { AdminEvent, EventFilter } from "../admin-event.ts";
import type { SinkStore } from "./audit-sink.ts";
import type { AlertStore } from "./alerts.ts";
import type { ApprovalStore } from "./approvals.ts";
import type { WebhookStore } from "./webhooks.ts";
import type { Calendar } from "../calendar.ts";
import type { Ceiling } from "../limits/ceilings.ts";
import type { Circuit } from "../choice/circuits.ts";
import type { CatalogueStore } from "./catalogues.ts";
import type { Health } from "../choice/health.ts";
import type { TopUsageStore } from "./top-usage.ts";
import type { IdempotencyStore, Ledger, LimitStore, ThinningStore, UsageStore } from "./ledger.ts";
import type {
  CredentialSummary,
  DeclaredModel,
  LastCheck,
  Listing,
  ModelOverride,
} from "../models/model.ts";
import type { Policy } from "../choice/policy.ts";
import type { AsyncResult } from "../refusals.ts";
import type { Result } from "../result.ts";
import type { SealedFor, SealingStore, SealedRowStore } from "../tenancy/sealing.ts";
import type { SealStore } from "../audit/seals.ts";
import type { SealedServer } from "../servers/server.ts";
import type {
  AuthorizationStore,
  RenewedTokens,
  ServerStore,
  TokenStores,
} from "./server-stores.ts";
import type { Residency } from "../tenancy/residency.ts";
import type { BridgeChange, Session } from "../tenancy/session.ts";
import type { DeliveryStore, OutboxStore } from "./outbox.ts";
import type { ResealedTenants } from "./resealed-tenants.ts";
import type { RoomStore } from "./room.ts";

export interface Tenant {
  id: string;
  slug: string;
  name: string;
  policy: Policy;
  ceiling: Ceiling;
  /** increases with every change that affects selection */
  version: number;
  createdAt: number;
  residency: Residency | null;
}

export interface Credential extends CredentialSummary {
  tenantId: string;
  name: string;
  baseUrl: string | null;
  models: DeclaredModel[] | null;
  /** absent or null: none */
  headerNames?: string[] | null;
  createdAt: number;
  updatedAt: number;
}

export interface SealedCredential extends Credential {
  sealed: string;
  /** ms since the epoch, earliest time to reload the provider's list; absent: now */
  listingDueAt?: number;
}

export interface Snapshot {
  tenant: Tenant;
  key: StoredKey;
  credentials: SealedCredential[];
  overrides: ModelOverride[];
  health: Health[];
  circuits: Circuit[];
  pinnedModel?: string;
}

export interface Snapshots {
  /** `session`: null if missing, expired or another key's. With `serverSlug`, `sessionId` is the server's own id. */
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

export type { Page, PageRequest };

export interface TenantChange {
  name?: string;
  policy?: Policy;
  ceiling?: Ceiling;
  /** periods of existing usage; absent: UTC. `resetsCounters`: includes keys and servers */
  calendar?: Calendar;
  resetsCounters?: boolean;
}

export interface TenantStore {
  /** Ids of removed tenants are never reused. */
  create(tenant: Tenant, event: AdminEvent): AsyncResult<null>;
  bySlug(slug: string): AsyncResult<Tenant | null>;
  byId(id: string): AsyncResult<Tenant | null>;
  /** @param ifVersion `precondition_failed` if the version differs; absent: not checked */
  update(
    id: string,
    change: TenantChange,
    event: AdminEvent,
    ifVersion?: number,
  ): AsyncResult<null>;
  /** Deletes the tenant's data, including audit records, but not the event log. */
  remove(id: string, event: AdminEvent): AsyncResult<null>;
}

/** `precondition_failed` if the tenant has another version. Revoked keys are unchanged. */
type KeyChange<Field extends keyof StoredKey, More = unknown> = (
  key: Pick<StoredKey, "tenantId" | "id" | "code" | Field> & More,
  event: AdminEvent,
  ifVersion: number,
) => AsyncResult<null>;

export interface KeyStore {
  create(key: StoredKey, event: AdminEvent): AsyncResult<null>;
  get(tenantId: string, id: string): AsyncResult<StoredKey | null>;
  /** may contain forged rows */
  list(tenantId: string, page: PageRequest): AsyncResult<Page<StoredKey>>;
  replaceSecret: KeyChange<"secretHash" | "givenTo">;
  revoke: KeyChange<"revokedAt">;
  update: KeyChange<"name" | "limits" | "expiresAt", { calendar?: Calendar }>;
}

export type CredentialChange = Partial<
  Pick<
    SealedCredential,
    "name" | "baseUrl" | "place" | "models" | "headerNames" | "status" | "sealed"
  >
>;

type CredentialRead = Pick<Credential, "tenantId" | "id"> & { readAt: number };

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
  /** Keeps a check and the state that follows, unless the credential changed since `readAt`. */
  keepCheck(
    its: CredentialRead,
    kept: { lastCheck: LastCheck; status: Credential["status"]; event: AdminEvent },
  ): AsyncResult<null>;
  /** Leases a due list refresh until `until`, unless the credential changed since `readAt`. */
  claimListing(its: CredentialRead, at: { now: number; until: number }): AsyncResult<boolean>;
  /** Invalidates prepared pools. Does nothing if the credential changed since `readAt`. */
  keepListing(its: CredentialRead, listing: Listing): AsyncResult<null>;
  remove(tenantId: string, id: string, event: AdminEvent): AsyncResult<null>;
}

export interface SessionStore {
  begin(session: Session): AsyncResult<null>;
  /** Counts an `initialize` before the server is called; `create` follows if the session is kept. */
  admit(key: { tenantId: string; keyId: string }, now: number): AsyncResult<null>;
  create(session: Session): AsyncResult<null>;
  get(tenantId: string, id: string): AsyncResult<Session | null>;
  list(tenantId: string, page: PageRequest): AsyncResult<Page<Session>>;
  touch(tenantId: string, id: string, now: number, expiresAt: number): AsyncResult<null>;
  /** Records the holder of the server's GET stream. */
  holdStream(
    tenantId: string,
    id: string,
    held: { clientStreamUntil: number } | { routerStreamUntil: number },
  ): AsyncResult<null>;
  /** The newest live session that the router itself holds with a legacy server. */
  bridged(
    where: { tenantId: string; keyId: string; serverId: string; bridgeKey: string },
    now: number,
  ): AsyncResult<Session | null>;
  /** Replaces or merges the given members, so that concurrent changes are kept. */
  amendBridge(tenantId: string, id: string, change: BridgeChange): AsyncResult<null>;
  /** Counts the session's call against the limits of parked calls, which all processes share. */
  park(
    session: Pick<Session, "tenantId" | "keyId" | "id">,
    about: { until: number; now: number },
  ): AsyncResult<null>;
  /** Renews the leases of sessions that still exist. */
  stayParked(tenantId: string, ids: readonly string[], until: number): AsyncResult<null>;
  /** The event is only written for an administrator. Returns whether a session existed. */
  end(tenantId: string, id: string, event: AdminEvent | null): AsyncResult<boolean>;
  prune(now: number): AsyncResult<number>;
}

export interface HealthStore {
  list(tenantId: string): AsyncResult<Health[]>;
  circuits(tenantId: string): AsyncResult<Circuit[]>;
  prune(now: number): AsyncResult<number>;
}

export interface RequestStore extends SessionCounts {
  get(
    tenantId: string,
    id: string,
  ): AsyncResult<(SamplingRecord & { content: string | null }) | null>;
  list(tenantId: string, filter: ListFilter, page: PageRequest): AsyncResult<Page<SamplingRecord>>;
  /** Applies `contentRetentionDays`. Returns how many. */
  pruneContents(now: number): AsyncResult<number>;
}

export type EventRequest = PageRequest & { filter?: EventFilter };

export interface EventStore {
  append(event: AdminEvent): AsyncResult<null>;
  /** Skips an event whose action and target already have one since `since` (ms). @returns whether it was appended */
  appendOnce(event: AdminEvent, since: number): AsyncResult<boolean>;
  /** A filtered page has fewer events than asked for where it ends at the bound of its search. */
  list(tenantId: string | null, page: EventRequest): AsyncResult<Page<AdminEvent>>;
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
  credentialTokens: RenewedTokens;
  authorizations: AuthorizationStore;
  sessions: SessionStore;
  oauthEntries: OauthEntryStore;
  consoleSessions: ConsoleSessionStore;
  signIns: SignInStore;
  cancellations: CancellationStore;
  questions: QuestionStore;
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
  names: AllNameStore;
  users: UserStore;
  topUsage: TopUsageStore;
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
  /** `error`: no matching key, or sealed for another destination. */
  open(sealed: string, context: SealedFor): Promise<Result<string, "unopenable">>;
  readonly sealPrefix: string;
}

export interface KeyTokens {
  /** The token is shown once; the hash is stored. */
  mint(keyId: string): Promise<{ token: string; secretHash: string }>;
  keyIdOf(token: string): string | null;
  /** Whether this deployment issued the token, according to the token alone. */
  isMarked(token: string): Promise<boolean>;
  matches(token: string, secretHash: string): Promise<boolean>;
}
