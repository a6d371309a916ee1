/** The browser keeps one attempt's state, authenticated under MASTER_KEY. */
import { canonicalJson } from "../../../domain/canonical.ts";
import { explain } from "../../../domain/refusal-messages.ts";
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import { err, ok } from "../../../domain/result.ts";
import type { Mac } from "../../../domain/tenancy/mac.ts";
import type { PendingSignIn } from "../../../domain/tenancy/sign-in.ts";
import type { Authenticate } from "../../callers/authenticate.ts";
import { signInPath } from "./consent-grants.ts";
import type { ConsentPeople, AdmittedPerson, TenantSignIn } from "../consent-people.ts";
import { pendingMs } from "../person-sign-in.ts";
import { signedIn } from "../../../domain/tenancy/user.ts";
import type { NewPersonSession, PersonIs, PersonSessions } from "./person-sessions.ts";
import type { SignInThrottle } from "../sign-in-throttle.ts";

export interface PagePlace {
  tenant: string;
  server: string | null;
}

export interface SignInDatabase {
  authenticate: Authenticate;
  people: Pick<
    ConsentPeople,
    "noteKeyAttempt" | "signInOf" | "signInUrl" | "finishSignIn" | "verifyAssertion"
  >;
}

export type PageSignedIn =
  | { kind: "session"; place: PagePlace; session: NewPersonSession }
  | { kind: "retry"; place: PagePlace; detail: string };

export type PageSignIn =
  | PageSignedIn
  /** redirect; the browser keeps the text until it returns */
  | { kind: "leave"; to: string; kept: string; seconds: number };

export interface PersonPageSignIn {
  identityProviderHost(slug: string): AsyncResult<string | null>;
  byKey(given: { place: PagePlace; key: string; address: string }): AsyncResult<PageSignedIn>;
  begin(asked: {
    place: PagePlace;
    assertion: string | null;
    address: string;
    ownUrl: string;
  }): AsyncResult<PageSignIn>;
  /** `null` if the sign-in belongs to another page. */
  finish(came: {
    kept: string;
    query: URLSearchParams;
    address: string;
    ownUrl: string;
  }): AsyncResult<PageSignedIn | null>;
}

export interface PersonPageSignInDeps {
  databaseOfKey: (key: string) => SignInDatabase | null;
  databaseOfSlug: (slug: string) => AsyncResult<SignInDatabase>;
  sessions: Pick<PersonSessions, "begin">;
  throttle: SignInThrottle;
  mac: Mac;
  nonce: () => string;
  now: () => number;
}

interface Kept extends PendingSignIn {
  place: PagePlace;
  until: number;
}

const unknownKey: Refusal = { reason: "unauthorized", detail: "Unknown API key." };
const noGateway =
  "The request has no Cloudflare Access token. Open the router through Cloudflare Access.";
const noKeyHere = "People of this tenant sign in with the identity provider, not with API keys.";
const noProvider = "This tenant has no identity provider. Use an API key.";

const codedKept = (text: string): string => canonicalJson(["a person's page, under way", text]);

async function findTenant({ databaseOfSlug }: PersonPageSignInDeps, slug: string) {
  const database = await databaseOfSlug(slug);
  if (!database.ok) return database;
  const { people } = database.value;
  const tenantSignIn = await people.signInOf(slug);
  return tenantSignIn.ok ? ok({ people, tenantSignIn: tenantSignIn.value }) : tenantSignIn;
}

const sessionOf = async (
  { sessions }: PersonPageSignInDeps,
  place: PagePlace,
  { holder, owner }: Pick<PersonIs, "holder" | "owner">,
): AsyncResult<PageSignedIn> => {
  const session = await sessions.begin({ slug: place.tenant, holder, owner });
  return session.ok ? ok({ kind: "session", place, session: session.value }) : session;
};

async function vouched(
  deps: PersonPageSignInDeps,
  place: PagePlace,
  who: AsyncResult<AdmittedPerson>,
): AsyncResult<PageSignedIn> {
  const person = await who;
  return person.ok
    ? sessionOf(deps, place, {
        holder: person.value.holder,
        owner: { userId: person.value.userId, shown: signedIn },
      })
    : ok({ kind: "retry", place, detail: explain(person.error) });
}

/** Only keys that programs may act as. */
async function keyHolder({ databaseOfKey }: PersonPageSignInDeps, tenant: string, token: string) {
  const database = databaseOfKey(token);
  if (database === null) return err(unknownKey);
  const claim = { token, sessionId: null, tenant } as const;
  const proxy = await database.authenticate({ ...claim, scope: "proxy" }, "database");
  const caller =
    proxy.ok || proxy.error.reason !== "forbidden"
      ? proxy
      : await database.authenticate({ ...claim, scope: "sampling" }, "database");
  if (!caller.ok) return caller;
  const { snapshot, account } = caller.value;
  const holder = { tenantId: snapshot.tenant.id, keyId: snapshot.key.id };
  return ok({ holder, owner: account ?? null });
}

async function readKept(deps: PersonPageSignInDeps, value: string): Promise<Kept | null> {
  const [text = "", ...code] = value.split(".");
  if (!(await deps.mac.check(codedKept(text), code.join(".")))) return null;
  const pending = JSON.parse(atob(text)) as Kept;
  return pending.until > deps.now() ? pending : null;
}

async function away(
  deps: PersonPageSignInDeps,
  { people, signIn }: { people: SignInDatabase["people"]; signIn: TenantSignIn },
  { place, ownUrl }: { place: PagePlace; ownUrl: string },
): AsyncResult<PageSignIn> {
  const { nonce, now, mac } = deps;
  const pending = { nonce: nonce(), verifier: nonce(), state: nonce() };
  const to = await people.signInUrl(signIn, {
    redirectUri: `${ownUrl}${signInPath}`,
    pending,
    asks: "once",
  });
  if (!to.ok) return ok({ kind: "retry", place, detail: explain(to.error) });
  const kept: Kept = { ...pending, place, until: now() + pendingMs };
  const text = btoa(JSON.stringify(kept));
  const code = await mac.code(codedKept(text));
  return ok({
    kind: "leave",
    to: to.value,
    kept: `${text}.${code}`,
    seconds: pendingMs / 1_000,
  });
}

export const createPersonPageSignIn = (deps: PersonPageSignInDeps): PersonPageSignIn => ({
  async identityProviderHost(slug) {
    const found = await findTenant(deps, slug);
    if (!found.ok) return found;
    const { tenantSignIn } = found.value;
    return ok(tenantSignIn === null ? null : (URL.parse(tenantSignIn.signIn.issuer)?.host ?? ""));
  },

  async byKey({ place, key, address }) {
    const retry = (detail: string) => ok({ kind: "retry", place, detail } as const);
    const found = await findTenant(deps, place.tenant);
    if (!found.ok) return found;
    if (found.value.tenantSignIn !== null) return retry(noKeyHere);
    const attempt = deps.throttle.begin({ address, subject: `account ${place.tenant}` });
    if (!attempt.ok) return retry(explain(attempt.error));
    const who = await keyHolder(deps, place.tenant, key);
    await found.value.people.noteKeyAttempt(place.tenant, { address, outcome: who }, attempt.value);
    if (!who.ok) return retry(explain(who.error));
    return sessionOf(deps, place, who.value);
  },

  async begin({ place, assertion, address, ownUrl }) {
    const retry = (detail: string) => ok({ kind: "retry", place, detail } as const);
    const found = await findTenant(deps, place.tenant);
    if (!found.ok) return found;
    const { people, tenantSignIn: signIn } = found.value;
    if (signIn === null) return retry(noProvider);
    if (signIn.signIn.kind === "openid-connect")
      return away(deps, { people, signIn }, { place, ownUrl });
    return assertion === null
      ? retry(noGateway)
      : vouched(deps, place, people.verifyAssertion(signIn, { assertion, address }));
  },

  async finish({ kept, query, address, ownUrl }) {
    const pending = await readKept(deps, kept);
    if (pending === null || pending.state !== query.get("state")) return ok(null);
    const { place, nonce, verifier, state } = pending;
    const found = await findTenant(deps, place.tenant);
    if (!found.ok) return found;
    const { people, tenantSignIn: signIn } = found.value;
    if (signIn === null) return ok({ kind: "retry", place, detail: noProvider });
    const came = {
      redirectUri: `${ownUrl}${signInPath}`,
      pending: { nonce, verifier, state },
      query: query.toString(),
      address,
    };
    return vouched(deps, place, people.finishSignIn(signIn, came));
  },
});
