import type { AuthorizationServer } from "../../domain/ports/authorization-server.ts";
import { createAccess } from "./access.ts";
import { createConsents } from "./consent.ts";
import { envOf, providerFor, type ProviderDeps } from "./provider.ts";
import { answerRegistration } from "./registration-endpoint.ts";
import { answerToken } from "./token-endpoint.ts";

const metadataPath = "/.well-known/oauth-authorization-server";

export function createAuthorizationServer(deps: ProviderDeps): AuthorizationServer {
  const { issuer } = deps;
  return {
    issuer,
    ...createConsents(deps),
    ...createAccess(deps),
    token: (request, body) => answerToken(deps, request, body),
    async metadata() {
      const request = new Request(`${issuer}${metadataPath}`);
      const answer = await providerFor(deps, null).fetch(request, envOf(deps), {});
      // The library would list only the current resource.
      const { protected_resources: _, ...published } = (await answer.json()) as Record<
        string,
        unknown
      >;
      return Response.json(published);
    },
    register: (request, body) => answerRegistration(deps, request, body),
  };
}
