import type { RequestFeeds } from "../../domain/ports/request-feed.ts";
import type { Room } from "../../domain/limits/room.ts";
import type { IdentityClient } from "../../domain/ports/sign-ins.ts";
import type { KeyTokens, Stores, Vault } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import type { Oauth } from "../../domain/servers/oauth.ts";
import type { Providers } from "../../domain/sampling/providers.ts";
import type { CatalogueReader } from "../sampling/choice/catalogue.ts";
import type { NoteRejected } from "../../domain/tenancy/rejected-row.ts";
import type { KeyCodes } from "../callers/key-codes.ts";
import type { ProviderKeys } from "../provider-keys.ts";
import type { UserHash } from "../people/users.ts";
import type { SealDeps } from "../scheduled/audit/seal-check.ts";
import type { UpstreamHeaders } from "../servers/upstream-headers.ts";
import type { CatalogueSyncDeps } from "../scheduled/catalogue.ts";
import type { SendMessage } from "../scheduled/webhooks.ts";
import type { AdminDeps } from "./access/access.ts";
import type { ReadContent } from "../approvals/contents.ts";
import type { EditHeldCall } from "../approvals/edit.ts";
import type { SlotsOf } from "../approvals/slots.ts";
import type { EndHeld } from "../approvals/end.ts";
import { createAlertAdmin } from "./tenants/alerts.ts";
import { createApprovalAdmin } from "./approvals.ts";
import { createCatalogueAdmin } from "./models/catalogue.ts";
import { createCeilingAdmin } from "./models/ceilings.ts";
import { createCorrectionAdmin } from "./audit/corrections.ts";
import { createCredentialAdmin } from "./models/credentials.ts";
import { createExportAdmin } from "./audit/export.ts";
import { createGrantAdmin, type Grants } from "./keys/grants.ts";
import { createKeyAdmin } from "./keys/keys.ts";
import { createLimitAdmin } from "./keys/limits.ts";
import { createModelAdmin } from "./models/models.ts";
import { createPolicyTrial } from "./models/policy-trial.ts";
import { createRecordAdmin } from "./audit/records.ts";
import { createReplayAdmin } from "./audit/replay.ts";
import { createSignInAdmin } from "./keys/sign-in.ts";
import { createSignInTrial } from "./keys/sign-in-trial.ts";
import { createServerAuthorization } from "./servers/server-authorization.ts";
import { createServerCheck, type Probe } from "./servers/server-checks.ts";
import { createServerAdmin } from "./servers/servers.ts";
import { createFollowRequests } from "./audit/follow-requests.ts";
import { createSealAdmin } from "./audit/seals.ts";
import { createTenantAdmin } from "./tenants/tenants.ts";
import { createTopUsage } from "./audit/top-usage.ts";
import { createUsageAdmin } from "./audit/usage.ts";
import { createUserAdmin } from "./keys/users.ts";
import { createWebhookAdmin } from "./tenants/webhooks.ts";

export const createAdminUseCases = (
  deps: Stores &
    AdminDeps &
    Omit<SealDeps, keyof Stores> & {
      tokens: KeyTokens;
      vault: Vault;
      keyCodes: KeyCodes;
      rejected: NoteRejected;
      providers: Providers;
      providerKeys: ProviderKeys;
      catalogue: CatalogueReader;
      catalogueSync: CatalogueSyncDeps | null;
      allowPrivateUpstreams: boolean;
      ownOrigins: readonly string[];
      roomNow: (() => AsyncResult<Room>) | null;
      oauth: Oauth;
      identity: IdentityClient;
      upstream: UpstreamHeaders;
      probe: Probe;
      readContent: ReadContent;
      endHeld: EndHeld;
      editHeldCall: EditHeldCall;
      slotsOf: SlotsOf;
      sendWebhooks: () => void;
      sendOnce: SendMessage;
      publicUrl: string | null;
      requestFeeds: RequestFeeds;
      grants: () => Grants | null;
      newWebhookSecret: () => string;
      wait: (ms: number, signal?: AbortSignal) => Promise<void>;
      nonce: () => string;
      sha256Hex: (text: string) => Promise<string>;
      userHash: UserHash;
      isSame: (one: string, other: string) => Promise<boolean>;
    },
) => {
  const records = createRecordAdmin(deps);
  return {
    tenants: createTenantAdmin(deps),
    ceilings: createCeilingAdmin(deps),
    keys: createKeyAdmin(deps),
    credentials: createCredentialAdmin(deps),
    models: createModelAdmin(deps),
    servers: createServerAdmin(deps),
    authorizations: createServerAuthorization(deps),
    checkServer: createServerCheck(deps),
    records,
    correct: createCorrectionAdmin(deps, records.request),
    usage: createUsageAdmin(deps),
    topUsage: createTopUsage(deps),
    users: createUserAdmin(deps),
    limits: createLimitAdmin(deps),
    followRequests: createFollowRequests(deps),
    replay: createReplayAdmin(deps),
    signIn: createSignInAdmin(deps),
    trySignIn: createSignInTrial(deps),
    tryPolicy: createPolicyTrial(deps),
    catalogue: createCatalogueAdmin(deps),
    seals: createSealAdmin(deps),
    exports: createExportAdmin(deps),
    approvals: createApprovalAdmin(deps),
    alerts: createAlertAdmin(deps),
    grants: createGrantAdmin(deps),
    webhooks: createWebhookAdmin(deps),
  };
};

export type AdminUseCases = ReturnType<typeof createAdminUseCases>;
