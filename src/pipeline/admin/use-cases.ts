import type { KeyTokens, Stores, Vault } from "../../domain/ports.ts";
import type { Providers } from "../../domain/providers.ts";
import type { CatalogueReader } from "../catalogue.ts";
import type { AdminDeps } from "./access.ts";
import { createCredentialAdmin } from "./credentials.ts";
import { createKeyAdmin } from "./keys.ts";
import { createModelAdmin } from "./models.ts";
import { createRecordAdmin } from "./records.ts";
import { createReplayAdmin } from "./replay.ts";
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
    },
) => ({
  tenants: createTenantAdmin(deps),
  keys: createKeyAdmin(deps),
  credentials: createCredentialAdmin(deps),
  models: createModelAdmin(deps),
  servers: createServerAdmin(deps),
  records: createRecordAdmin(deps),
  replay: createReplayAdmin(deps),
});

export type AdminUseCases = ReturnType<typeof createAdminUseCases>;
