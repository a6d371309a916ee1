/** Tied to the snapshot that holds the seal: a rotated or resealed credential has another snapshot. */
import { ok, type Result } from "../domain/result.ts";
import type { SealedCredential, Vault } from "../domain/ports/stores.ts";
import { providerKeyOf } from "../domain/tenancy/sealing.ts";

export type OpenKey = (
  credential: SealedCredential,
  vault: Pick<Vault, "open">,
) => ReturnType<Vault["open"]>;

export function createOpenedKeys(): OpenKey {
  const opened = new WeakMap<SealedCredential, string>();
  return async (credential, vault): Promise<Result<string, "unopenable">> => {
    const known = opened.get(credential);
    if (known !== undefined) return ok(known);
    const key = await vault.open(credential.sealed, providerKeyOf(credential));
    if (key.ok) opened.set(credential, key.value);
    return key;
  };
}
