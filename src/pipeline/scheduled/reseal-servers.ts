/** As `reseal.ts`, for what registered servers are reached with. */
import type { Answer, Vault } from "../../domain/ports.ts";
import { ok } from "../../domain/result.ts";
import type { ServerStore, TokenStore } from "../../domain/server-stores.ts";
import { secretsOf } from "../../domain/servers.ts";
import { tokenOf } from "../upstream-headers.ts";

const batchSize = 50;

export async function resealServers(deps: { servers: ServerStore; vault: Vault }): Answer<number> {
  const { servers, vault } = deps;
  const found = await servers.sealedWithout(vault.sealPrefix, batchSize);
  if (!found.ok) return found;
  let changed = 0;
  for (const server of found.value) {
    const { tenantId, id, sealed } = server;
    const opened = sealed === null ? null : await vault.open(sealed, secretsOf(server));
    if (sealed === null || opened === null || !opened.ok) continue;
    const again = await vault.seal(opened.value, secretsOf(server));
    const written = await servers.reseal(tenantId, id, sealed, again);
    if (!written.ok) return written;
    changed += 1;
  }
  return ok(changed);
}

export async function resealTokens(deps: {
  servers: ServerStore;
  serverTokens: TokenStore;
  vault: Vault;
}): Answer<number> {
  const { servers, serverTokens, vault } = deps;
  const found = await serverTokens.sealedWithout(vault.sealPrefix, batchSize);
  if (!found.ok) return found;
  let changed = 0;
  for (const { tenantId, serverId, sealed } of found.value) {
    const server = await servers.byId(tenantId, serverId);
    if (!server.ok) return server;
    if (server.value === null || sealed === null) continue;
    const opened = await vault.open(sealed, tokenOf(server.value));
    if (!opened.ok) continue;
    const again = await vault.seal(opened.value, tokenOf(server.value));
    const written = await serverTokens.reseal(tenantId, serverId, sealed, again);
    if (!written.ok) return written;
    changed += 1;
  }
  return ok(changed);
}
