/** The router as an authorization server, by `@cloudflare/workers-oauth-provider`. */
import type { AuthorizationServer } from "../../domain/ports/authorization-server.ts";
import { issuersOwn } from "../../domain/ports/oauth-entries.ts";
import { createAccess } from "./access.ts";
import { createConsents } from "./consent.ts";
import { atIssuer, envOf, providerFor, type ProviderDeps } from "./provider.ts";
import { answerToken } from "./token-endpoint.ts";

const metadataPath = "/.well-known/oauth-authorization-server";

export function createAuthorizationServer(deps: ProviderDeps): AuthorizationServer {
  const { issuer, entriesOf, now, mostClients } = deps;
  return {
    issuer,
    ...createConsents(deps),
    ...createAccess(deps),
    token: (request, body) => answerToken(deps, request, body),
    async metadata() {
      const request = new Request(`${issuer}${metadataPath}`);
      const answer = await providerFor(deps, null).fetch(request, envOf(deps), {});
      // The library would list the one resource for which it was set up.
      const { protected_resources: _, ...published } = (await answer.json()) as Record<
        string,
        unknown
      >;
      return Response.json(published);
    },
    async register(request, body) {
      const known = await entriesOf(issuersOwn).count(
        issuersOwn,
        { prefix: "client:", most: mostClients },
        now(),
      );
      if (!known.ok || known.value >= mostClients)
        return Response.json(
          { error: "temporarily_unavailable", error_description: "No more clients are taken now." },
          { status: 503, headers: { "Cache-Control": "no-store" } },
        );
      return providerFor(deps, null).fetch(atIssuer(deps, request, body), envOf(deps), {});
    },
  };
}
