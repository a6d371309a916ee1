import type { JsonObject } from "../json.ts";
import { oneLine } from "../one-line.ts";
import { err, ok, type Result } from "../result.ts";
import type { SealedFor } from "./sealing.ts";
import { roles, type Role } from "./scopes.ts";
import type { Identity } from "./user.ts";

export const signInKinds = ["openid-connect", "cloudflare-access"] as const;

export interface SignIn {
  /** `cloudflare-access`: a gateway authenticates each request */
  kind: (typeof signInKinds)[number];
  issuer: string;
  /** for Cloudflare Access, the application's audience */
  clientId: string;
  /** member of the claims with the values of `roles` */
  claim: string;
  roles: Record<string, Role>;
  /** claim values that may authorize OAuth clients; absent or empty: API keys are required */
  callers?: string[];
}

export interface SignInSecrets extends SignIn {
  /** null: a public client */
  clientSecret: string | null;
  /** changes with each update, which ends earlier sessions */
  version: string;
}

/** Everything that grants access is sealed, so database writes can't. */
export interface StoredSignIn {
  tenantId: string;
  issuer: string;
  /** JSON of `SignInSecrets` */
  sealed: string;
  updatedAt: number;
}

/** The client secret is only sent to endpoints of its issuer. */
export const signInSecretsOf = ({
  tenantId,
  issuer,
}: Pick<StoredSignIn, "tenantId" | "issuer">): SealedFor => ({
  purpose: "sign-in",
  tenantId,
  provider: "",
  id: tenantId,
  destination: issuer,
});

export type Claims = JsonObject;

function valuesIn(claims: Claims, { claim }: SignIn): string[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const values = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === "string");
}

export function roleIn(claims: Claims, signIn: SignIn): Role | null {
  const { roles: mapping } = signIn;
  const found = new Set(
    valuesIn(claims, signIn).flatMap((each) =>
      Object.hasOwn(mapping, each) ? (mapping[each] ?? []) : [],
    ),
  );
  return roles.toReversed().find((role) => found.has(role)) ?? null;
}

export const allowsClients = ({ callers = [] }: SignIn): boolean => callers.length > 0;

export const mayAuthorizeClients = (claims: Claims, signIn: SignIn): boolean =>
  valuesIn(claims, signIn).some((each) => signIn.callers?.includes(each) === true);

const maxGroups = 64;
const maxGroupCharacters = 200;

export const groupsIn = (claims: Claims, signIn: SignIn): string[] =>
  valuesIn(claims, signIn)
    .filter((each) => each !== "" && each.length <= maxGroupCharacters && oneLine.test(each))
    .slice(0, maxGroups);

export const identityIn = ({ sub }: Claims, { issuer }: SignIn): Identity | null =>
  typeof sub === "string" && sub !== "" && oneLine.test(sub) ? { issuer, subject: sub } : null;

const isVerified = (claims: Claims, { kind }: SignIn): boolean =>
  claims["email_verified"] === true || kind === "cloudflare-access";

export function displayNameIn(claims: Claims, signIn: SignIn): string | null {
  const { name, email } = claims;
  if (typeof name === "string") return name;
  return isVerified(claims, signIn) && typeof email === "string" ? email : null;
}

const maxNameCharacters = 150;

/** For the event log: a verified address, otherwise the subject. */
export function personIn(claims: Claims, signIn: SignIn): string | null {
  const { sub, email } = claims;
  const name = isVerified(claims, signIn) && typeof email === "string" ? email : sub;
  return typeof name === "string" && /^[!-~]+$/.test(name)
    ? `person:${name.slice(0, maxNameCharacters)}`
    : null;
}

/** Begins the `state` of a sign-in that only tries the settings. */
export const trialPrefix = "trial.";

export interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

export const signInSettings = [
  "SIGN_IN_KIND",
  "SIGN_IN_ISSUER",
  "SIGN_IN_CLIENT_ID",
  "SIGN_IN_CLIENT_SECRET",
  "SIGN_IN_CLAIM",
  "SIGN_IN_ROLES",
] as const;
type SignInBindings = Partial<Record<(typeof signInSettings)[number], string>>;

/** `value=role`, separated by commas; null: malformed. */
function rolesOf(text: string): Record<string, Role> | null {
  const pairs = text.split(",").map((pair) => pair.split("="));
  const mapping: Record<string, Role> = {};
  for (const pair of pairs) {
    const value = pair.slice(0, -1).join("=").trim();
    const role = roles.find((each) => each === pair.at(-1)?.trim());
    if (value === "" || role === undefined) return null;
    mapping[value] = role;
  }
  return mapping;
}

/** The operator's own provider; null: not configured. */
export function parseSignIn(
  settings: SignInBindings,
): Result<SignInSecrets | null, { setting: string; problem: string }> {
  const fault = (setting: string, problem: string) => err({ setting, problem });
  const issuer = settings.SIGN_IN_ISSUER?.trim() ?? "";
  if (issuer === "") return ok(null);
  if (URL.parse(issuer) === null) return fault("SIGN_IN_ISSUER", "must be a URL");
  const kind = signInKinds.find(
    (each) => each === (settings.SIGN_IN_KIND?.trim() || signInKinds[0]),
  );
  if (kind === undefined) return fault("SIGN_IN_KIND", `must be one of ${signInKinds.join(", ")}`);
  const clientId = settings.SIGN_IN_CLIENT_ID?.trim() ?? "";
  if (clientId === "") return fault("SIGN_IN_CLIENT_ID", "is missing");
  const claim = settings.SIGN_IN_CLAIM?.trim() ?? "";
  if (claim === "") return fault("SIGN_IN_CLAIM", "is missing");
  const mapping = rolesOf(settings.SIGN_IN_ROLES ?? "");
  if (mapping === null)
    return fault("SIGN_IN_ROLES", `must be value=role pairs; roles are ${roles.join(", ")}`);
  const clientSecret = settings.SIGN_IN_CLIENT_SECRET || null;
  return ok({ kind, issuer, clientId, clientSecret, claim, roles: mapping, version: "" });
}
