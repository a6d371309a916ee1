/** Sealing as the product does it, for tests of what is sealed. */
import { hashing } from "../../../src/crypto/chain.ts";
import { createSigner, idOfPublicKey, verifySignature } from "../../../src/crypto/signatures.ts";
import type { Mac } from "../../../src/domain/tenancy/mac.ts";
import type { Stores } from "../../../src/domain/ports/stores.ts";
import { maxPerSeal, type Signer } from "../../../src/domain/audit/seals.ts";
import { createRetentionJob } from "../../../src/pipeline/scheduled/audit/deletions.ts";
import { sealOnce, type SealDeps } from "../../../src/pipeline/scheduled/audit/seal.ts";
import { id, start } from "./fixtures.ts";
import { mac, macOf, value } from "./open.ts";

const signer = createSigner({ master: new Uint8Array(32).fill(7), previous: null });
const keyMac = macOf(7, "audit-keys");

/** What sealing needs beside a store. */
export const sealingParts = async (
  its: { signer?: Signer; mac?: Mac; keyMac?: Mac } = {},
): Promise<Omit<SealDeps, "seals">> => ({
  hashing,
  signer: its.signer ?? (await signer),
  verify: verifySignature,
  mac: its.mac ?? mac,
  rolloutMs: 15 * 60_000,
  keyMac: its.keyMac ?? (await keyMac),
  idOfPublicKey,
  ids: { next: id },
  now: () => start,
  log: () => {},
});

export const sealingOn = async (stores: Stores): Promise<SealDeps> => ({
  ...(await sealingParts()),
  seals: stores.seals,
});

/** One run of retention: aged contents, and aged sealed records with their notices. Gives how many were deleted. */
export const retain = async (stores: Stores, now: number) =>
  createRetentionJob({
    ...(await sealingOn(stores)),
    requests: stores.requests,
    now: () => now,
  })();

/** Seals everything of a tenant that has ended. */
export async function sealAll(stores: Stores, tenantId: string): Promise<void> {
  const deps = await sealingOn(stores);
  let sealed = maxPerSeal;
  while (sealed === maxPerSeal)
    sealed = value(await sealOnce(deps, tenantId, Number.MAX_SAFE_INTEGER));
}
