import type { KeyTokens, Stores, Vault } from "../../domain/ports.ts";
import type { Hashing, Signer } from "../../domain/seals.ts";
import type { Providers } from "../../domain/providers.ts";
import type { CatalogueReader } from "../catalogue.ts";
import type { AdminDeps } from "./access.ts";
import { createCredentialAdmin } from "./credentials.ts";
import { createExportAdmin } from "./export.ts";
import { createKeyAdmin } from "./keys.ts";
import { createModelAdmin } from "./models.ts";
import { createRecordAdmin } from "./records.ts";
import { createReplayAdmin } from "./replay.ts";
import { createSealAdmin } from "./seals.ts";
import { createTenantAdmin } from "./tenants.ts";

/** Everything the admin API can do. */
export const createAdminUseCases = (
  deps: Stores &
    AdminDeps & {
      tokens: KeyTokens;
      vault: Vault;
      hashing: Hashing;
      signer: Signer;
      providers: Providers;
      catalogue: CatalogueReader;
      allowPrivateUpstreams: boolean;
    },
) => ({
  tenants: createTenantAdmin(deps),
  keys: createKeyAdmin(deps),
  credentials: createCredentialAdmin(deps),
  models: createModelAdmin(deps),
  records: createRecordAdmin(deps),
  replay: createReplayAdmin(deps),
  seals: createSealAdmin(deps),
  exports: createExportAdmin(deps),
});

export type AdminUseCases = ReturnType<typeof createAdminUseCases>;
