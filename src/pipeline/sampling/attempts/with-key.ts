/** Calls a provider with a credential's key, and once more if its token was rejected. */
import type { ProviderFault } from "../../../domain/attempts.ts";
import type { SealedCredential } from "../../../domain/ports/stores.ts";
import type { Result } from "../../../domain/result.ts";
import type { ProviderAnswer, ProviderCredential } from "../../../domain/sampling/providers.ts";
import type { ProviderKeys } from "../../provider-keys.ts";

type Called = Promise<Result<ProviderAnswer, ProviderFault>>;

export async function withKey(
  providerKeys: ProviderKeys,
  credential: SealedCredential,
  { call, isGivenOut }: { call: (key: ProviderCredential) => Called; isGivenOut: () => boolean },
): Called {
  const opened = await providerKeys.open(credential);
  if (!opened.ok) return opened;
  const first = await call(opened.value);
  // A token may be revoked, or end during the call.
  if (first.ok || first.error.kind !== "auth" || isGivenOut()) return first;
  if (!(await providerKeys.rejected(credential))) return first;
  const again = await providerKeys.open(credential);
  return again.ok ? call(again.value) : first;
}
