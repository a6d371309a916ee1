/**
 * Providers' keys that were opened. Each lives as long as the remembered snapshot that holds its seal, and no longer:
 * a credential that is rotated, or sealed anew, comes with another snapshot. So as many keys are held as snapshots.
 */
import { ok, type Result } from "../domain/result.ts";
import type { SealedCredential, Vault } from "../domain/ports/stores.ts";
import { providerKeyOf } from "../domain/tenancy/sealing.ts";

export type OpenKey = (
  credential: SealedCredential,
  vault: Pick<Vault, "open" | "sealPrefix">,
) => ReturnType<Vault["open"]>;

export function createOpenedKeys(): OpenKey {
  const opened = new WeakMap<SealedCredential, string>();
  return async (credential, vault): Promise<Result<string, "unopenable">> => {
    const known = opened.get(credential);
    if (known !== undefined) return ok(known);
    const { sealed } = credential;
    const key = await vault.open(sealed, providerKeyOf(credential));
    // Whether an older seal counts is asked each time: the work that replaces those seals has an end.
    if (key.ok && sealed.startsWith(vault.sealPrefix)) opened.set(credential, key.value);
    return key;
  };
}
