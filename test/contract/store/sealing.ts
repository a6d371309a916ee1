/** Sealing as the product does it, for tests of what is sealed. */
import { hashing } from "../../../src/crypto/chain.ts";
import { createSigner } from "../../../src/crypto/signatures.ts";
import type { Stores } from "../../../src/domain/ports.ts";
import { mostSealed } from "../../../src/domain/seals.ts";
import { sealOnce, type SealDeps } from "../../../src/pipeline/scheduled/seal.ts";
import { start } from "./fixtures.ts";
import { value } from "./open.ts";

const signer = createSigner({ master: new Uint8Array(32).fill(7), previous: null });

export const sealingOn = async (stores: Stores): Promise<SealDeps> => ({
  seals: stores.seals,
  hashing,
  signer: await signer,
  now: () => start,
});

/** Seals everything of a tenant that has ended. */
export async function sealAll(stores: Stores, tenantId: string): Promise<void> {
  const deps = await sealingOn(stores);
  let sealed = mostSealed;
  while (sealed === mostSealed)
    sealed = value(await sealOnce(deps, tenantId, Number.MAX_SAFE_INTEGER));
}
