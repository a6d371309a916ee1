/** A process with its master keys, as far as seals and codes go: for tests over a real database. */
import { createMac } from "../../../src/crypto/mac.ts";
import { createVaultKeys, vaultOf } from "../../../src/crypto/vault.ts";
import { createIds } from "../../../src/domain/tenancy/ids.ts";
import type { Stores } from "../../../src/domain/ports/stores.ts";
import { createKeyCodes } from "../../../src/pipeline/callers/key-codes.ts";
import { createResealJob } from "../../../src/pipeline/scheduled/reseal.ts";
import { createSealing } from "../../../src/pipeline/scheduled/sealing.ts";
import { value } from "./open.ts";

export const rolloutMs = 600_000;
export const randomBytesOf = (count: number): Uint8Array<ArrayBuffer> =>
  crypto.getRandomValues(new Uint8Array(count));
const masterOf = (fill: number): Uint8Array<ArrayBuffer> => new Uint8Array(32).fill(fill);

/** `clock` is read whenever the time is. */
export async function processOn(
  stores: Stores,
  about: { master: number; previous?: number; clock: { now: number } },
) {
  const { clock } = about;
  const masters = {
    master: masterOf(about.master),
    previous: about.previous === undefined ? null : masterOf(about.previous),
  };
  const keys = await createVaultKeys(masters);
  const mac = await createMac({ ...masters, purpose: "api-key" });
  const rowMac = await createMac({ ...masters, purpose: "row" });
  const notes: Record<string, unknown>[] = [];
  const sealing = createSealing({
    store: () => stores.sealing,
    keyIds: [...keys.ring.keys()],
    rolloutMs,
    now: () => clock.now,
    note: (entry) => void notes.push(entry),
  });
  const vault = vaultOf({ keys, randomBytesOf });
  const run = createResealJob({
    sealing,
    store: stores.sealing,
    rows: stores.sealedRows,
    vault,
    macs: { keys: mac, "oauth-entries": rowMac, approvals: rowMac },
    ids: createIds({ now: () => clock.now, randomBytesOf }),
    now: () => clock.now,
  });
  return {
    rowMac,
    sealing,
    vault,
    notes,
    keyCodes: createKeyCodes({ mac, rejected: async () => {} }),
    run,
    /** Runs until there is nothing left to do; how many runs that took. */
    async runAll(): Promise<number> {
      for (let runs = 1; runs <= 50; runs += 1) {
        value(await run());
        if (value(await sealing.current()).step === "done") return runs;
      }
      throw new Error("It never ends.");
    },
  };
}
