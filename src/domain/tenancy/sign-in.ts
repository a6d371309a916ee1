/** Signing in by an identity provider: whose word counts, and which role it gives. */
import type { JsonObject } from "../json.ts";
import { oneLine } from "../one-line.ts";
import { err, ok, type Result } from "../result.ts";
import type { SealedFor } from "./sealing.ts";
import { roles, type Role } from "./scopes.ts";
import type { Identity } from "./user.ts";

export const signInKinds = ["openid-connect", "cloudflare-access"] as const;

export interface SignIn {
  /** `cloudflare-access`: the gateway signs people in, and says who came with each request */
  kind: (typeof signInKinds)[number];
  /** a URL, as the provider itself names it; of Cloudflare Access the team's domain */
  issuer: string;
  /** of Cloudflare Access the application's audience */
  clientId: string;
  /** the member of a person's claims that is looked up in `roles` */
  claim: string;
  /** the role by the claim's value */
  roles: Record<string, Role>;
  /** values of the claim that let a person's programs call; absent or empty: people show a key instead */
  callers?: string[];
}

export interface SignInSecrets extends SignIn {
  /** null: the provider knows the router as a public client */
  clientSecret: string | null;
  /** another one with each change, so that a change ends the sessions from before */
  version: string;
}

/** The row. All that decides who gets in is sealed, so who writes to the database lets nobody in. */
export interface StoredSignIn {
  tenantId: string;
  issuer: string;
  /** JSON of `SignInSecrets` */
  sealed: string;
  updatedAt: number;
}

/** The client's secret goes to endpoints that the issuer names, and to no others. */
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

/** What an identity provider said of a person, verified. */
export type Claims = JsonObject;

/** What the claims say where a role is looked up. */
function valuesIn(claims: Claims, { claim }: SignIn): string[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const values = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === "string");
}

/** The strongest role that the claims give; null: none. */
export function roleIn(claims: Claims, signIn: SignIn): Role | null {
  const { roles: mapping } = signIn;
  const found = new Set(
    valuesIn(claims, signIn).flatMap((each) =>
      Object.hasOwn(mapping, each) ? (mapping[each] ?? []) : [],
    ),
  );
  return roles.toReversed().find((role) => found.has(role)) ?? null;
}

export const letsProgramsIn = ({ callers = [] }: SignIn): boolean => callers.length > 0;

/** Whether programs may call on behalf of whom the claims name. */
export const mayLetIn = (claims: Claims, signIn: SignIn): boolean =>
  valuesIn(claims, signIn).some((each) => signIn.callers?.includes(each) === true);

const mostGroups = 64;
const mostGroupCharacters = 200;

/** The groups of a person, for budgets: all values of the claim. */
export const groupsIn = (claims: Claims, signIn: SignIn): string[] =>
  valuesIn(claims, signIn)
    .filter((each) => each !== "" && each.length <= mostGroupCharacters && oneLine.test(each))
    .slice(0, mostGroups);

/** Who it is; null: the provider does not say. */
export const identityIn = ({ sub }: Claims, { issuer }: SignIn): Identity | null =>
  typeof sub === "string" && sub !== "" && oneLine.test(sub) ? { issuer, subject: sub } : null;

const isVerified = (claims: Claims, { kind }: SignIn): boolean =>
  claims["email_verified"] === true || kind === "cloudflare-access";

/** What people call the person; null: the provider does not say. */
export function displayNameIn(claims: Claims, signIn: SignIn): string | null {
  const { name, email } = claims;
  if (typeof name === "string") return name;
  return isVerified(claims, signIn) && typeof email === "string" ? email : null;
}

const mostNameCharacters = 150;

/** What the log calls a person: an address that the provider verified, else the provider's own name. */
export function personIn(claims: Claims, signIn: SignIn): string | null {
  const { sub, email } = claims;
  const name = isVerified(claims, signIn) && typeof email === "string" ? email : sub;
  return typeof name === "string" && /^[!-~]+$/.test(name)
    ? `person:${name.slice(0, mostNameCharacters)}`
    : null;
}

/** What a browser keeps between leaving for the provider and coming back. */
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

/** `value=role`, separated by commas. null: something else. */
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

/** The operator's own identity provider; null: there is none. */
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
