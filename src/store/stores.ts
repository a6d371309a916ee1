import { lazily } from "../domain/lazily.ts";
import type { Mac } from "../domain/tenancy/mac.ts";
import type { NoteRejected } from "../domain/tenancy/rejected-row.ts";
import type { Stores } from "../domain/ports/stores.ts";
import { defaultSessionLimits, type SessionLimits } from "../domain/tenancy/session-limits.ts";
import { createAlertStore } from "./alerts.ts";
import { createApprovalStore } from "./approvals.ts";
import { createSinkStore } from "./audit-sink.ts";
import { createAuthorizationStore } from "./authorizations.ts";
import { createCancellationStore } from "./cancellations.ts";
import { createCatalogueStore } from "./catalogues.ts";
import { createConsoleSessionStore } from "./console-sessions.ts";
import { createCredentialStore } from "./credentials.ts";
import type { Database } from "./db.ts";
import { createEventStore } from "./events.ts";
import { createHealthStore } from "./health.ts";
import { createIdempotencyStore } from "./idempotency.ts";
import { createKeyStore } from "./keys.ts";
import { createLedger } from "./ledger.ts";
import { createLatencyStore } from "./latencies.ts";
import { createNameStore } from "./names.ts";
import { createLimitStore } from "./limit-sums.ts";
import { createOverrideStore } from "./overrides.ts";
import { createDeliveryStore } from "./deliveries.ts";
import { createOauthEntryStore } from "./oauth-entries.ts";
import { createOutboxStore } from "./outbox.ts";
import { createPlacementStore } from "./placements.ts";
import { createRequestFeedStore } from "./request-feed.ts";
import { createRequestStore } from "./requests.ts";
import { createResealedTenants } from "./resealed-tenants.ts";
import { createRoomStore } from "./room.ts";
import { createSealedRowStore } from "./sealed-rows.ts";
import { createSealingStore } from "./sealing.ts";
import { createSealStore } from "./seals.ts";
import { createServerStore } from "./servers.ts";
import { createTokenStore, createUserTokenStore } from "./server-tokens.ts";
import { createSessionStore } from "./sessions.ts";
import { createSnapshots } from "./snapshots.ts";
import { createSignInStore } from "./sign-ins.ts";
import { createTenantStore } from "./tenants.ts";
import { createThinningStore } from "./thinning.ts";
import { createNoteUnreadable, type UnreadableDeps } from "./unreadable.ts";
import { createUsageStore } from "./usage.ts";
import { createUserStore } from "./users.ts";
import { createWebhookStore } from "./webhooks.ts";

/**
 * Every store over one database, each made when it is first used. `unreadable` absent: unreadable
 * records are not reported.
 */
export function createStores(
  db: Database,
  deps: {
    nonce: () => string;
    mac: Mac;
    /** codes of the authorization server's entries, and of approvals */
    rowMac: Mac;
    /** absent: rejected rows are not reported */
    rejected?: NoteRejected;
    sessionLimits?: SessionLimits;
    unreadable?: UnreadableDeps;
  },
): Stores {
  const { rejected = async () => {} } = deps;
  const note = createNoteUnreadable(db, deps.unreadable);
  return lazily<Stores>({
    snapshots: () => createSnapshots(db),
    ledger: () => createLedger(db, deps),
    thinning: () => createThinningStore(db),
    tenants: () => createTenantStore(db),
    placements: () => createPlacementStore(db),
    outbox: () => createOutboxStore(db),
    deliveries: () => createDeliveryStore(db),
    keys: () => createKeyStore(db),
    credentials: () => createCredentialStore(db),
    overrides: () => createOverrideStore(db),
    servers: () => createServerStore(db),
    serverTokens: () => createTokenStore(db, { ...deps, of: null }),
    userTokens: () => createUserTokenStore(db, deps),
    authorizations: () => createAuthorizationStore(db),
    sessions: () => createSessionStore(db, deps.sessionLimits ?? defaultSessionLimits),
    signIns: () => createSignInStore(db),
    oauthEntries: () =>
      createOauthEntryStore(db, {
        nonce: deps.nonce,
        mac: deps.rowMac,
        rejected,
      }),
    consoleSessions: () => createConsoleSessionStore(db),
    cancellations: () => createCancellationStore(db),
    health: () => createHealthStore(db),
    catalogues: () => createCatalogueStore(db),
    requests: () => createRequestStore({ db, note }),
    requestFeed: () => createRequestFeedStore(db),
    idempotency: () => createIdempotencyStore(db),
    approvals: () => createApprovalStore(db, { ...deps, rejected }),
    alerts: () => createAlertStore(db),
    sinks: () => createSinkStore(db),
    webhooks: () => createWebhookStore(db),
    usage: () => createUsageStore(db, note),
    latencies: () => createLatencyStore(db),
    names: () => createNameStore(db),
    users: () => createUserStore(db),
    limits: () => createLimitStore(db),
    events: () => createEventStore(db),
    sealing: () => createSealingStore(db),
    sealedRows: () => createSealedRowStore(db),
    room: () => createRoomStore(db),
    resealedTenants: () => createResealedTenants(db),
    seals: () => createSealStore(db, note),
  });
}
