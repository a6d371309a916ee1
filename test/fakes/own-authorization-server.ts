/** The router's own authorization server over entries in memory. It reaches no network unless a test hands in a `fetch`. */
import type { AuthorizationServer } from "../../src/domain/ports/authorization-server.ts";
import type { ProviderDeps } from "../../src/oauth/provider/provider.ts";
import { createAuthorizationServer } from "../../src/oauth/provider/server.ts";
import { loadLibrary } from "../../src/oauth/provider/surroundings.ts";
import { createOauthEntries } from "./oauth-entries.ts";

export const issuer = "https://router.test";

const nowhere = async (): Promise<Response> => new Response(null, { status: 404 });

export function createOwnAuthorizationServer({
  fetch = nowhere,
  fetchPublic = nowhere,
  now = Date.now,
  max = 10,
  assertions,
}: Partial<Record<"fetch" | "fetchPublic", typeof globalThis.fetch>> &
  Pick<ProviderDeps, "assertions"> & {
    now?: () => number;
    /** clients, and open consents */
    max?: number;
  }): AuthorizationServer {
  const entries = createOauthEntries();
  const library = loadLibrary({ fetch, fetchPublic, allowPrivate: true, now });
  return createAuthorizationServer({
    issuer,
    library: () => library,
    entriesOf: () => entries,
    now,
    graceMs: 120_000,
    maxClients: max,
    maxOpenConsents: max,
    reused: async () => {},
    ...(assertions !== undefined && { assertions }),
  });
}
