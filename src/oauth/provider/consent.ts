/** An authorization request from arrival to code. */
import type { AuthRequest, Helpers } from "#oauth-provider";
import type {
  ApprovedConsent,
  ConsentFacts,
  ConsentFault,
  ConsentResult,
  GrantFor,
  OpenConsent,
  SignInSecretsKept,
} from "../../domain/ports/authorization-server.ts";
import { err, ok } from "../../domain/result.ts";
import { holderText } from "../../domain/tenancy/grant-ids.ts";
import {
  pathOfResource,
  resourceIn,
  scopeOfResource,
  type OauthResource,
} from "../../domain/tenancy/oauth-resources.ts";
import { atIssuer, envOf, providerFor, type ProviderDeps } from "./provider.ts";
import { visibleText } from "../../domain/visible-text.ts";
import { makeRoom } from "./room.ts";
import { isLostWrite, refusalThrown } from "./storage.ts";

const page = (detail: string) => err({ kind: "page", detail } as const);
const gone = "This page was used already. Begin again in the program that sent you here.";

/** Expected exceptions of the library. */
function faultOf(deps: ProviderDeps, thrown: unknown): ConsentFault {
  const { AuthorizationError, CimdFetchError } = deps.library();
  const refusal = refusalThrown(thrown);
  if (refusal !== null) return { kind: "refusal", refusal };
  if (isLostWrite(thrown)) return { kind: "page", detail: gone };
  if (thrown instanceof AuthorizationError)
    return thrown.redirectTo === undefined
      ? { kind: "page", detail: `${thrown.description}.` }
      : { kind: "redirect", to: thrown.redirectTo };
  // The address has a host by the library's rules.
  if (thrown instanceof CimdFetchError)
    return {
      kind: "page",
      detail: `This program describes itself in a document at ${new URL(thrown.metadataUrl).host}, and the router can't read the document.`,
    };
  throw thrown;
}

async function attempt<T>(deps: ProviderDeps, work: () => ConsentResult<T>): ConsentResult<T> {
  try {
    return await work();
  } catch (thrown) {
    return err(faultOf(deps, thrown));
  }
}

async function factsOf(
  api: Helpers,
  request: AuthRequest,
  resource: OauthResource,
): Promise<ConsentFacts> {
  const { clientName, clientDomain, redirectUri, redirectHost, redirectIsLoopback } =
    await api.describeConsent(request);
  return {
    clientName: visibleText(clientName) || request.clientId,
    clientDomain: clientDomain ?? null,
    redirectUri,
    redirectHost,
    redirectIsLoopback,
    resource,
  };
}

const resourceOf = ({ resource }: AuthRequest, issuer: string): OauthResource | null =>
  typeof resource === "string" ? resourceIn(resource, issuer) : null;

/** The library's lifetime. */
const consentLastsMs = 600_000;
/** Base64url SHA-256. OAuth 2.1 requires PKCE of all clients, the library only of public ones. */
const challengePattern = /^[\w-]{43}$/;
const offline = "offline_access";

export function createConsents(deps: ProviderDeps) {
  const { issuer, library, maxOpenConsents } = deps;
  const apiFor = (path: string | null): Helpers => providerFor(deps, path).getOAuthApi(envOf(deps));

  const begin = async (
    api: Helpers,
    request: AuthRequest,
    resource: OauthResource,
  ): Promise<OpenConsent> => {
    const facts = await factsOf(api, request, resource);
    return { facts, ...(await api.beginConsent(request)) };
  };

  return {
    open: (request: Request): ConsentResult<OpenConsent> =>
      attempt(deps, async () => {
        const asked = new URL(request.url).searchParams.getAll("resource");
        const resource = asked.length === 1 ? resourceIn(asked[0] ?? "", issuer) : null;
        const api = apiFor(resource === null ? null : pathOfResource(resource));
        // No redirects until client and address are verified.
        const parsed = await api.parseAuthRequest(atIssuer(deps, request));
        const refused = (code: string, detail: string) =>
          err({
            kind: "redirect",
            to: library().authorizationErrorRedirect(parsed, code, detail),
          } as const);
        if (resource === null)
          return refused("invalid_target", "resource names one server of this router");
        if (!challengePattern.test(parsed.codeChallenge ?? ""))
          return refused("invalid_request", "PKCE is required: code_challenge by S256");
        const scope = scopeOfResource(resource);
        const wanted = parsed.scope.filter((each) => each !== offline);
        if (wanted.length > 0 && !wanted.includes(scope))
          return refused("invalid_scope", `The scope there is ${scope}`);
        const room = await makeRoom(deps, {
          prefix: "transaction:",
          max: maxOpenConsents,
          withinMs: consentLastsMs,
        });
        if (!room.ok) return err({ kind: "refusal", refusal: room.error });
        return ok(await begin(api, { ...parsed, scope: [scope] }, resource));
      }),

    approve: (request: Request, handle: string): ConsentResult<ApprovedConsent> =>
      attempt(deps, async () => {
        const api = apiFor(null);
        const { request: approved, headers } = await api.approveConsent(
          atIssuer(deps, request, ""),
          handle,
        );
        const resource = resourceOf(approved, issuer);
        if (resource === null) return page(gone);
        return ok({ facts: await factsOf(api, approved, resource), request: approved, headers });
      }),

    deny: (request: Request, handle: string): ConsentResult<{ to: string; headers: Headers }> =>
      attempt(deps, async () => {
        const denied = await apiFor(null).denyConsent(atIssuer(deps, request, ""), handle);
        return ok({ to: denied.redirectTo, headers: denied.headers });
      }),

    beginSignIn: (
      { request, headers }: ApprovedConsent,
      secrets: SignInSecretsKept,
    ): ConsentResult<{ state: string; headers: Headers }> =>
      attempt(deps, async () =>
        ok(await apiFor(null).beginUpstream(request as AuthRequest, { data: secrets, headers })),
      ),

    finishSignIn: (
      request: Request,
    ): ConsentResult<{ approved: ApprovedConsent; secrets: SignInSecretsKept }> =>
      attempt(deps, async () => {
        const api = apiFor(null);
        const came = await api.finishUpstream(atIssuer(deps, request));
        const resource = resourceOf(came.request, issuer);
        if (resource === null) return page(gone);
        const { request: asked, headers } = came;
        const facts = await factsOf(api, asked, resource);
        const secrets = came.data as SignInSecretsKept;
        return ok({ approved: { facts, request: asked, headers }, secrets });
      }),

    reopen: ({ request, facts }: ApprovedConsent): ConsentResult<OpenConsent> =>
      attempt(deps, async () =>
        ok(await begin(apiFor(null), request as AuthRequest, facts.resource)),
      ),

    complete: (approved: ApprovedConsent, { holder, user }: GrantFor): ConsentResult<string> =>
      attempt(deps, async () => {
        const { facts } = approved;
        const request = approved.request as AuthRequest;
        const { redirectTo } = await apiFor(pathOfResource(facts.resource)).completeAuthorization({
          request,
          userId: holderText(holder),
          scope: request.scope,
          props: { user },
          metadata: { clientName: facts.clientName, redirectHost: facts.redirectHost },
          // One key may serve several people and machines.
          revokeExistingGrants: false,
        });
        return ok(redirectTo);
      }),
  };
}
