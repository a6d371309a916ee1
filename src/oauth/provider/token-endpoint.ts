/** `POST /oauth/token`: exchanges codes and refresh tokens, and revokes. */
import { pathOfResource } from "../../domain/tenancy/oauth-resources.ts";
import { ok } from "../../domain/result.ts";
import { grantOfToken, holderText } from "../../domain/tenancy/grant-ids.ts";
import { assertionGrant, resourceOfAssertion, watchRules } from "./assertions.ts";
import {
  atIssuer,
  envOf,
  providerFor,
  usedRegistrationSeconds,
  type ProviderDeps,
} from "./provider.ts";
import { createRefreshLens, type RefreshLens } from "./refresh.ts";
import { isLostWrite, refusalThrown, stored } from "./storage.ts";

/** Concurrent refreshes of a token: losers retry within the grace period. */
const maxTries = 24;

const answer = (status: number, error: string, description: string): Response =>
  Response.json(
    { error, error_description: description },
    { status, headers: { "Cache-Control": "no-store" } },
  );

const sha256Hex = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
};

function grantNamed(text: string) {
  const grant = grantOfToken(text);
  return grant && { ...grant, key: `grant:${holderText(grant)}:${grant.grantId}` };
}

type NamedGrant = NonNullable<ReturnType<typeof grantNamed>>;

async function pathOf(deps: ProviderDeps, { tenantId, key }: NamedGrant): Promise<string | null> {
  const found = await deps.entriesOf(tenantId).get(tenantId, [key], deps.now());
  const [entry] = stored(found);
  const { resource } = JSON.parse(entry?.value ?? "{}") as { resource?: unknown };
  const url = typeof resource === "string" ? URL.parse(resource) : null;
  return url?.origin === deps.issuer ? url.pathname : null;
}

async function endGrant(deps: ProviderDeps, grant: NamedGrant): Promise<void> {
  const api = providerFor(deps, null).getOAuthApi(envOf(deps));
  await api.revokeGrant(grant.grantId, holderText(grant));
}

async function revokeFamily(deps: ProviderDeps, grant: NamedGrant): Promise<void> {
  await endGrant(deps, grant);
  await deps.reused(grant);
}

interface Exchange {
  request: Request;
  body: string;
  path: string | null;
}

/** Retries after a concurrent write if that can return tokens. */
async function exchanged(
  deps: ProviderDeps,
  { request, body, path }: Exchange,
  lensOf: (() => RefreshLens) | null,
): Promise<{ response: Response; lens: RefreshLens | null }> {
  for (let tries = 1; ; tries += 1) {
    const lens = lensOf?.() ?? null;
    try {
      const provider = providerFor(deps, path);
      const env = envOf(deps, lens ?? undefined);
      return { response: await provider.fetch(atIssuer(deps, request, body), env, {}), lens };
    } catch (thrown) {
      if (!isLostWrite(thrown)) throw thrown;
      if (lensOf === null)
        return { response: answer(400, "invalid_grant", "It was already used."), lens };
      if (tries >= maxTries)
        return {
          response: answer(503, "temporarily_unavailable", "Too many concurrent refreshes."),
          lens,
        };
    }
  }
}

const outOfReach = (): Response =>
  answer(503, "temporarily_unavailable", "The router's database is unreachable.");

/** Of identical assertions, one succeeds. */
async function answerAssertion(
  deps: ProviderDeps,
  { request, body, assertion }: { request: Request; body: string; assertion: string },
): Promise<Response> {
  const resource = resourceOfAssertion(assertion, deps.issuer);
  if (resource === null)
    return answer(400, "invalid_target", "The assertion has to name one resource of this router.");
  if (deps.assertions === undefined)
    return answer(400, "unsupported_grant_type", "No assertion counts here.");
  const assertions = watchRules(deps.assertions);
  const asked = { request, body, path: pathOfResource(resource) };
  const { response } = await exchanged({ ...deps, assertions }, asked, null);
  return assertions.refusal() === null ? response : outOfReach();
}

export async function answerToken(
  given: ProviderDeps,
  request: Request,
  body: string,
): Promise<Response> {
  const fields = new URLSearchParams(body);
  const assertion = fields.get("assertion");
  const refreshToken = fields.get("refresh_token");
  const isRefresh = fields.get("grant_type") === "refresh_token" && refreshToken !== null;
  // A revocation always answers 200, so it doesn't count as use of the registration.
  const deps: ProviderDeps =
    (fields.get("grant_type") ?? "") === ""
      ? given
      : { ...given, registrationSeconds: usedRegistrationSeconds };
  const grant = grantNamed((isRefresh ? refreshToken : fields.get("code")) ?? "");
  try {
    if (fields.get("grant_type") === assertionGrant && assertion !== null)
      return await answerAssertion(deps, { request, body, assertion });
    const path = grant === null ? null : await pathOf(deps, grant);
    if (!isRefresh || grant === null)
      return (await exchanged(deps, { request, body, path }, null)).response;
    const stands = (await deps.stands?.(grant)) ?? ok(true);
    if (!stored(stands)) {
      await endGrant(deps, grant);
      return answer(400, "invalid_grant", "The person may no longer authorize programs here.");
    }
    const { now, graceMs } = deps;
    const id = await sha256Hex(refreshToken);
    const { response, lens } = await exchanged(deps, { request, body, path }, () =>
      createRefreshLens({ id, now, graceMs }),
    );
    const state = lens?.verdict().state;
    // Unauthenticated clients can't revoke.
    if (state === "reused" && response.status === 400) await revokeFamily(deps, grant);
    return response;
  } catch (thrown) {
    if (refusalThrown(thrown) === null) throw thrown;
    return outOfReach();
  }
}
