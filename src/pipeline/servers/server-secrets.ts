import type { ServerStore } from "../../domain/ports/server-stores.ts";
import type { Vault } from "../../domain/ports/stores.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { ok } from "../../domain/result.ts";
import type { OauthRegistration } from "../../domain/servers/oauth.ts";
import { secretsOf, type SealedServer, type ServerSecrets } from "../../domain/servers/server.ts";

export interface ServerSecretsBox {
  open(server: SealedServer): Promise<ServerSecrets | null>;
  /** A concurrent change of the entry takes precedence; the next flow registers again. */
  keepRegistration(server: SealedServer, registration: OauthRegistration | null): AsyncResult<null>;
}

export function createServerSecrets({
  servers,
  vault,
}: {
  servers: Pick<ServerStore, "replaceSealed">;
  vault: Vault;
}): ServerSecretsBox {
  const open = async (server: SealedServer): Promise<ServerSecrets | null> => {
    if (server.sealed === null) return { headers: {}, clientSecret: null };
    const plain = await vault.open(server.sealed, secretsOf(server));
    return plain.ok ? (JSON.parse(plain.value) as ServerSecrets) : null;
  };
  return {
    open,
    async keepRegistration(server, registration) {
      const known = await open(server);
      if (known === null) return ok(null);
      const { registration: _, ...rest } = known;
      const secrets: ServerSecrets = { ...rest, ...(registration !== null && { registration }) };
      const to = await vault.seal(JSON.stringify(secrets), secretsOf(server));
      const kept = await servers.replaceSealed(server.tenantId, server.id, {
        from: server.sealed,
        to,
      });
      return kept.ok ? ok(null) : kept;
    },
  };
}
