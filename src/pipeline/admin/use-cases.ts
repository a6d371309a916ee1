import type { RequestFeeds } from "../../domain/ports/request-feed.ts";
import type { Room } from "../../domain/limits/room.ts";
import type { KeyTokens, Stores, Vault } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import type { Oauth } from "../../domain/servers/oauth.ts";
import type { Providers } from "../../domain/sampling/providers.ts";
import type { CatalogueReader } from "../catalogue.ts";
import type { NoteRejected } from "../../domain/tenancy/rejected-row.ts";
import type { KeyCodes } from "../key-codes.ts";
import type { UserHash } from "../users.ts";
import type { SealDeps } from "../scheduled/seal-check.ts";
import type { UpstreamHeaders } from "../upstream-headers.ts";
import type { CatalogueSyncDeps } from "../scheduled/catalogue.ts";
import type { AdminDeps } from "./access.ts";
import type { ReadContent } from "../approvals/contents.ts";
import type { EditHeld } from "../approvals/edit.ts";
import type { PlacesOf } from "../approvals/places.ts";
import type { EndHeld } from "../approvals/end.ts";
import { createAlertAdmin } from "./alerts.ts";
import { createApprovalAdmin } from "./approvals.ts";
import { createCatalogueAdmin } from "./catalogue.ts";
import { createCeilingAdmin } from "./ceilings.ts";
import { createCorrectionAdmin } from "./corrections.ts";
import { createCredentialAdmin } from "./credentials.ts";
import { createExportAdmin } from "./export.ts";
import { createGrantAdmin, type Grants } from "./grants.ts";
import { createKeyAdmin } from "./keys.ts";
import { createLimitAdmin } from "./limits.ts";
import { createModelAdmin } from "./models.ts";
import { createPolicyTrial } from "./policy-trial.ts";
import { createRecordAdmin } from "./records.ts";
import { createReplayAdmin } from "./replay.ts";
import { createSignInAdmin } from "./sign-in.ts";
import { createServerAuthorization } from "./server-authorization.ts";
import { createServerCheck, type Probe } from "./server-checks.ts";
import { createServerAdmin } from "./servers.ts";
import { createFollowRequests } from "./follow-requests.ts";
import { createSealAdmin } from "./seals.ts";
import { createTenantAdmin } from "./tenants.ts";
import { createUsageAdmin } from "./usage.ts";
import { createUserAdmin } from "./users.ts";
import { createWebhookAdmin } from "./webhooks.ts";

/** Everything the admin API can do. */
export const createAdminUseCases = (
  deps: Stores &
    AdminDeps &
    Omit<SealDeps, keyof Stores> & {
      tokens: KeyTokens;
      vault: Vault;
      keyCodes: KeyCodes;
      rejected: NoteRejected;
      providers: Providers;
      catalogue: CatalogueReader;
      /** null: this deployment syncs no catalogue */
      catalogueSync: CatalogueSyncDeps | null;
      allowPrivateUpstreams: boolean;
      /** where this router itself is reached */
      ownOrigins: readonly string[];
      /** null: this database's size is not bounded */
      roomNow: (() => AsyncResult<Room>) | null;
      oauth: Oauth;
      upstream: UpstreamHeaders;
      probe: Probe;
      readContent: ReadContent;
      endHeld: EndHeld;
      editHeld: EditHeld;
      placesOf: PlacesOf;
      sendWebhooks: () => void;
      requestFeeds: RequestFeeds;
      /** null: OAuth is off */
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
    users: createUserAdmin(deps),
    limits: createLimitAdmin(deps),
    followRequests: createFollowRequests(deps),
    replay: createReplayAdmin(deps),
    signIn: createSignInAdmin(deps),
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
