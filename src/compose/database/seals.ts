import type { AsyncResult } from "../../domain/refusals.ts";
import { vaultOf } from "../../crypto/vault.ts";
import type { Ids } from "../../domain/tenancy/ids.ts";
import type { Stores, Vault } from "../../domain/ports/stores.ts";
import { createKeyCodes, type KeyCodes } from "../../pipeline/callers/key-codes.ts";
import { createResealJob } from "../../pipeline/scheduled/reseal.ts";
import { createResealTenantsJob } from "../../pipeline/scheduled/reseal-tenants.ts";
import { mapped, ok } from "../../domain/result.ts";
import { homeDatabase } from "../../domain/tenancy/database-names.ts";
import type { Everywhere } from "../everywhere.ts";
import type { NoteRejected } from "../../domain/tenancy/rejected-row.ts";
import { reportingVault } from "../../pipeline/rejected-rows.ts";
import { createSealing } from "../../pipeline/scheduled/sealing.ts";
import { now, randomBytesOf, type Isolate } from "../isolate.ts";

interface DatabaseSeals {
  vault: Vault;
  roundVault: Vault;
  keyCodes: KeyCodes;
  /** the scheduled job */
  reseal: () => AsyncResult<number>;
  /** `home`'s job over all tenants */
  resealTenants: () => AsyncResult<number>;
  /** Also starts re-sealing. */
  isResealed: () => AsyncResult<boolean>;
}

/** Stores are created lazily; warm calls need none. */
export function createDatabaseSeals(
  { config, host, vaultKeys, roundKeys, keyMac, rowMac }: Isolate,
  {
    name,
    stores,
    ids,
    everywhere,
    rejected,
  }: {
    name: string;
    stores: Stores;
    ids: Ids;
    everywhere: Pick<Everywhere, "isResealed">;
    rejected: NoteRejected;
  },
): DatabaseSeals {
  const sealing = createSealing({
    store: () => stores.sealing,
    keyIds: [...vaultKeys.ring.keys()],
    rolloutMs: config.rolloutMs,
    now,
    note: (entry) => host.log({ ...entry, database: name }),
  });
  const vault = reportingVault(vaultOf({ keys: vaultKeys, randomBytesOf }), rejected);
  return {
    vault,
    roundVault: vaultOf({ keys: roundKeys, randomBytesOf }),
    keyCodes: createKeyCodes({ mac: keyMac, rejected }),
    isResealed: () => mapped(sealing.current(), (state) => state.step === "done"),
    async resealTenants() {
      const haveTheirOwn = host.openTenantDatabase !== undefined && config.database.kind === "own";
      if (name !== homeDatabase || !haveTheirOwn || config.previousMasterKey === null) return ok(0);
      return createResealTenantsJob({
        keyId: vaultKeys.current.id,
        tenants: stores.resealedTenants,
        isResealed: everywhere.isResealed,
        ids,
        now,
      })();
    },
    reseal: () =>
      createResealJob({
        sealing,
        store: stores.sealing,
        rows: stores.sealedRows,
        vault,
        macs: { keys: keyMac, "oauth-entries": rowMac, approvals: rowMac },
        ids,
        now,
      })(),
  };
}
