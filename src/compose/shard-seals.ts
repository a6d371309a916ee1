/**
 * What seals and vouches for the rows of one shard: the isolate's keys, and what the shard's database says of
 * them.
 */
import type { AsyncResult } from "../domain/refusals.ts";
import { vaultOf } from "../crypto/vault.ts";
import type { Ids } from "../domain/tenancy/ids.ts";
import type { Stores, Vault } from "../domain/ports/stores.ts";
import { createKeyCodes, type KeyCodes } from "../pipeline/key-codes.ts";
import { createResealJob } from "../pipeline/scheduled/reseal.ts";
import { createSealing } from "../pipeline/sealing.ts";
import { now, randomBytesOf, type Isolate } from "./isolate.ts";

interface ShardSeals {
  vault: Vault;
  roundVault: Vault;
  keyCodes: KeyCodes;
  /** the scheduled job */
  reseal: () => AsyncResult<number>;
}

/** Makes no store before it needs one, which a warm call never does. */
export function createShardSeals(
  { config, host, vaultKeys, roundKeys, keyMac, sealingMac, sealingMemory }: Isolate,
  { name, stores, ids }: { name: string; stores: Stores; ids: Ids },
): ShardSeals {
  const sealing = createSealing({
    store: () => stores.sealing,
    mac: sealingMac,
    keyIds: [...vaultKeys.ring.keys()],
    memory: sealingMemory(name),
    rolloutMs: config.rolloutMs,
    now,
    note: (entry) => host.log({ ...entry, shard: name }),
  });
  const vault = vaultOf({ keys: vaultKeys, randomBytesOf, versions: sealing });
  return {
    vault,
    roundVault: vaultOf({ keys: roundKeys, randomBytesOf, versions: sealing }),
    keyCodes: createKeyCodes({ mac: keyMac, sealing }),
    reseal: () =>
      createResealJob({
        sealing,
        store: stores.sealing,
        rows: stores.sealedRows,
        vault,
        mac: keyMac,
        ids,
        now,
      })(),
  };
}
