import { lazily } from "../domain/lazily.ts";
import type { Mac } from "../domain/tenancy/mac.ts";
import type { NoteRejected } from "../domain/tenancy/rejected-row.ts";
import type { Stores } from "../domain/ports/stores.ts";
import { defaultSessionLimits, type SessionLimits } from "../domain/tenancy/session-limits.ts";
import { createAlertStore } from "./notifications/alerts.ts";
import { createApprovalStore } from "./approvals/approvals.ts";
import { createSinkStore } from "./notifications/audit-sink.ts";
import { createAuthorizationStore } from "./people/authorizations.ts";
import { createCancellationStore } from "./sessions/cancellations.ts";
import { createQuestionStore } from "./sessions/questions.ts";
import { createCatalogueStore } from "./tenants/catalogues.ts";
import { createConsoleSessionStore } from "./people/console-sessions.ts";
import { createCredentialStore } from "./tenants/credentials.ts";
import type { Database } from "./db.ts";
import { createEventStore } from "./events.ts";
import { createHealthStore } from "./tenants/health.ts";
import { createIdempotencyStore } from "./ledger/admission/idempotency.ts";
import { createKeyStore } from "./tenants/keys.ts";
import { createLedger } from "./ledger/ledger.ts";
import { createLatencyStore } from "./records/latencies.ts";
import { createNameStore } from "./directory/names.ts";
import { createLimitStore } from "./budgets/limit-sums.ts";
import { createOverrideStore } from "./tenants/overrides.ts";
import { createDeliveryStore } from "./directory/deliveries.ts";
import { createOauthEntryStore } from "./people/oauth-entries.ts";
import { createOutboxStore } from "./directory/outbox.ts";
import { createPlacementStore } from "./directory/placements.ts";
import { createRequestFeedStore } from "./records/request-feed.ts";
import { createRequestStore } from "./records/requests.ts";
import { createResealedTenants } from "./directory/resealed-tenants.ts";
import { createRoomStore } from "./directory/room.ts";
import { createSealedRowStore } from "./seals/sealed-rows.ts";
import { createSealingStore } from "./seals/sealing.ts";
import { createSealStore } from "./seals/seals.ts";
import { createServerStore } from "./tenants/servers.ts";
import {
  createCredentialTokens,
  createTokenStore,
  createUserTokenStore,
} from "./tenants/server-tokens.ts";
import { createSessionStore } from "./sessions/sessions.ts";
import { createSnapshots } from "./tenants/snapshots.ts";
import { createSignInStore } from "./people/sign-ins.ts";
import { createTenantStore } from "./tenants/tenants.ts";
import { createThinningStore } from "./records/thinning.ts";
import { createNoteUnreadable, type UnreadableDeps } from "./records/unreadable.ts";
import { createTopUsageStore } from "./usage/top-usage.ts";
import { createUsageStore } from "./records/usage.ts";
import { createUserStore } from "./people/users.ts";
import { createWebhookStore } from "./notifications/webhooks.ts";

/** Without `unreadable`, unreadable records are not reported. */
export function createStores(
  db: Database,
  deps: {
    nonce: () => string;
    mac: Mac;
    rowMac: Mac;
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
    credentialTokens: () => createCredentialTokens(db, deps),
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
    questions: () => createQuestionStore(db),
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
    topUsage: () => createTopUsageStore(db),
    limits: () => createLimitStore(db),
    events: () => createEventStore(db),
    sealing: () => createSealingStore(db),
    sealedRows: () => createSealedRowStore(db),
    room: () => createRoomStore(db),
    resealedTenants: () => createResealedTenants(db),
    seals: () => createSealStore(db, note),
  });
}
