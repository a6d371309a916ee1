/** Tries an identity provider's settings before they are saved. Stores nothing: the client keeps `pending`. */
import type { IdentityClient } from "../../../domain/ports/sign-ins.ts";
import { ownUrlUnknown, type AsyncResult, type Refusal } from "../../../domain/refusals.ts";
import { err, ok } from "../../../domain/result.ts";
import {
  isUnreachable,
  unreachableReason,
  type OauthFault,
} from "../../../domain/servers/oauth.ts";
import type { Actor } from "../../../domain/tenancy/access.ts";
import type { Role } from "../../../domain/tenancy/scopes.ts";
import {
  mayAuthorizeClients,
  personIn,
  roleIn,
  trialPrefix,
  type Claims,
  type PendingSignIn,
  type SignInSecrets,
} from "../../../domain/tenancy/sign-in.ts";
import { tenantFor } from "../access/access.ts";
import { secretsIn, type SignInDeps, type SignInInput } from "./sign-in.ts";

export interface SignInTrial {
  /** why no claims came */
  fault: string | null;
  claims: Claims | null;
  /** as in events */
  person: string | null;
  role: Role | null;
  mayConnect: boolean;
}

interface Tried {
  slug: string;
  settings: SignInInput;
  /** the router's own; `null` if unknown */
  ownUrl: string | null;
}

type TrialDeps = SignInDeps & { identity: IdentityClient };

const noPlace = ownUrlUnknown("trying a sign-in");
const noRedirect: Refusal = {
  reason: "invalid_params",
  path: "kind",
  detail: "Cloudflare Access signs people in before they reach the router. Try it in the browser.",
};

const sentences: Partial<Record<OauthFault, string>> = {
  invalid_client: "The provider rejects the client id or the client secret.",
  invalid_grant: "The provider rejects the sign-in's code. Try again.",
  access_denied: "The provider denied access, or the sign-in was canceled.",
  malformed: "The provider's answer is invalid, for example for another issuer, client or sign-in.",
};
const sentenceOf = (fault: OauthFault): string =>
  isUnreachable(fault)
    ? `The provider can't be reached: ${unreachableReason(fault)}.`
    : (sentences[fault] ?? `The provider returned the error ${fault}.`);

async function prepared(deps: TrialDeps, actor: Actor, { slug, settings, ownUrl }: Tried) {
  const tenant = await tenantFor(deps, actor, slug);
  if (!tenant.ok) return tenant;
  if (ownUrl === null) return err(noPlace);
  if (settings.kind === "cloudflare-access") return err(noRedirect);
  const secrets = await secretsIn(deps, tenant.value.id, settings);
  if (!secrets.ok) return secrets;
  const redirectUri = `${ownUrl}/console/single-sign-on/callback`;
  return ok({ signIn: secrets.value, redirectUri });
}

const followed = (claims: Claims, signIn: SignInSecrets): SignInTrial => ({
  fault: null,
  claims,
  person: personIn(claims, signIn),
  role: roleIn(claims, signIn),
  mayConnect: mayAuthorizeClients(claims, signIn),
});

export const createSignInTrial = (deps: TrialDeps) => ({
  async begin(actor: Actor, tried: Tried): AsyncResult<{ url: string; pending: PendingSignIn }> {
    const its = await prepared(deps, actor, tried);
    if (!its.ok) return its;
    const { signIn, redirectUri } = its.value;
    // A PKCE verifier has at least 43 characters.
    const random = (): string => `${deps.nonce()}${deps.nonce()}`;
    const pending = { state: `${trialPrefix}${random()}`, nonce: random(), verifier: random() };
    const begun = await deps.identity.begin(signIn, { redirectUri, pending });
    return begun.ok
      ? begun
      : err({ reason: "invalid_params", path: "issuer", detail: sentenceOf(begun.error) });
  },

  async finish(
    actor: Actor,
    { pending, query, ...tried }: Tried & { pending: PendingSignIn; query: string },
  ): AsyncResult<SignInTrial> {
    const its = await prepared(deps, actor, tried);
    if (!its.ok) return its;
    const { signIn, redirectUri } = its.value;
    const person = await deps.identity.finish(signIn, { pending, redirectUri, query });
    if (person.ok) return ok(followed(person.value.claims, signIn));
    const none = { claims: null, person: null, role: null, mayConnect: false };
    return ok({ fault: sentenceOf(person.error), ...none });
  },
});
