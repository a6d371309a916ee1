import type { KeyTokens, Stores, Vault } from "../../domain/ports.ts";
import type { Oauth } from "../../domain/oauth.ts";
import type { Providers } from "../../domain/providers.ts";
import type { CatalogueReader } from "../catalogue.ts";
import type { UpstreamHeaders } from "../upstream-headers.ts";
import type { AdminDeps } from "./access.ts";
import { createCredentialAdmin } from "./credentials.ts";
import { createKeyAdmin } from "./keys.ts";
import { createModelAdmin } from "./models.ts";
import { createRecordAdmin } from "./records.ts";
import { createReplayAdmin } from "./replay.ts";
import { createServerAuthorization, type Probe } from "./server-authorization.ts";
import { createServerAdmin } from "./servers.ts";
import { createTenantAdmin } from "./tenants.ts";

/** Everything the admin API can do. */
export const createAdminUseCases = (
  deps: Stores &
    AdminDeps & {
      tokens: KeyTokens;
      vault: Vault;
      providers: Providers;
      catalogue: CatalogueReader;
      allowPrivateUpstreams: boolean;
      oauth: Oauth;
      upstream: UpstreamHeaders;
      probe: Probe;
      nonce: () => string;
      sha256Hex: (text: string) => Promise<string>;
    },
) => ({
  tenants: createTenantAdmin(deps),
  keys: createKeyAdmin(deps),
  credentials: createCredentialAdmin(deps),
  models: createModelAdmin(deps),
  servers: createServerAdmin(deps),
  authorizations: createServerAuthorization(deps),
  records: createRecordAdmin(deps),
  replay: createReplayAdmin(deps),
});

export type AdminUseCases = ReturnType<typeof createAdminUseCases>;
