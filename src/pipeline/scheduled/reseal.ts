/** After MASTER_KEY has changed: seals every credential with the new key, while the previous one opens. */
import type { Answer, CredentialStore, Vault } from "../../domain/ports.ts";
import { ok } from "../../domain/result.ts";

const batchSize = 50;

/** Returns how many were sealed anew; one that no key opens stays as it is. */
export async function reseal(deps: { credentials: CredentialStore; vault: Vault }): Answer<number> {
  const { credentials, vault } = deps;
  const found = await credentials.sealedWithout(vault.sealPrefix, batchSize);
  if (!found.ok) return found;
  let changed = 0;
  for (const { tenantId, provider, id, sealed } of found.value) {
    const context = { purpose: "credential", tenantId, provider, id } as const;
    const opened = await vault.open(sealed, context);
    if (!opened.ok) continue;
    const written = await credentials.reseal(
      tenantId,
      id,
      sealed,
      await vault.seal(opened.value, context),
    );
    if (!written.ok) return written;
    changed += 1;
  }
  return ok(changed);
}
