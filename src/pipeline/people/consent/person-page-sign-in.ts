/** The browser keeps one attempt's state, authenticated under MASTER_KEY. */
import { canonicalJson } from "../../../domain/canonical.ts";
import { explain } from "../../../domain/refusal-messages.ts";
import type { AsyncResult, Refusal } from "../../../domain/refusals.ts";
import { err, ok } from "../../../domain/result.ts";
import type { Mac } from "../../../domain/tenancy/mac.ts";
import type { PendingSignIn } from "../../../domain/tenancy/sign-in.ts";
import type { Authenticate } from "../../callers/authenticate.ts";
import { signInPath } from "./consent-grants.ts";
import type { ConsentPeople, AdmittedPerson, SignInPlace } from "../consent-people.ts";
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
  people: Pick<ConsentPeople, "noteKeyTry" | "placeOf" | "leave" | "cameBack" | "vouchedFor">;
}

export type PageSignedIn =
  | { kind: "session"; place: PagePlace; session: NewPersonSession }
  | { kind: "again"; place: PagePlace; detail: string };

export type PageSignIn =
  | PageSignedIn
  /** redirect; the browser keeps the text until it returns */
  | { kind: "leave"; to: string; kept: string; seconds: number };

export interface PersonPageSignIn {
  signInAt(slug: string): AsyncResult<string | null>;
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
const noGateway = "Cloudflare Access sent no token with this request: open the router behind it.";
const noKeyHere = "People of this tenant sign in, and show no key here.";
const noProvider = "This tenant has no identity provider: show an API key.";

const codedKept = (text: string): string => canonicalJson(["a person's page, under way", text]);

async function placed({ databaseOfSlug }: PersonPageSignInDeps, slug: string) {
  const database = await databaseOfSlug(slug);
  if (!database.ok) return database;
  const { people } = database.value;
  const place = await people.placeOf(slug);
  return place.ok ? ok({ people, place: place.value }) : place;
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
    : ok({ kind: "again", place, detail: explain(person.error) });
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
  { people, signIn }: { people: SignInDatabase["people"]; signIn: SignInPlace },
  { place, ownUrl }: { place: PagePlace; ownUrl: string },
): AsyncResult<PageSignIn> {
  const { nonce, now, mac } = deps;
  const pending = { nonce: nonce(), verifier: nonce(), state: nonce() };
  const to = await people.leave(signIn, {
    redirectUri: `${ownUrl}${signInPath}`,
    pending,
    asks: "once",
  });
  if (!to.ok) return ok({ kind: "again", place, detail: explain(to.error) });
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
  async signInAt(slug) {
    const found = await placed(deps, slug);
    if (!found.ok) return found;
    const { place } = found.value;
    return ok(place === null ? null : (URL.parse(place.signIn.issuer)?.host ?? ""));
  },

  async byKey({ place, key, address }) {
    const again = (detail: string) => ok({ kind: "again", place, detail } as const);
    const found = await placed(deps, place.tenant);
    if (!found.ok) return found;
    if (found.value.place !== null) return again(noKeyHere);
    const attempt = deps.throttle.begin({ address, subject: `account ${place.tenant}` });
    if (!attempt.ok) return again(explain(attempt.error));
    const who = await keyHolder(deps, place.tenant, key);
    await found.value.people.noteKeyTry(place.tenant, { address, outcome: who }, attempt.value);
    if (!who.ok) return again(explain(who.error));
    return sessionOf(deps, place, who.value);
  },

  async begin({ place, assertion, address, ownUrl }) {
    const again = (detail: string) => ok({ kind: "again", place, detail } as const);
    const found = await placed(deps, place.tenant);
    if (!found.ok) return found;
    const { people, place: signIn } = found.value;
    if (signIn === null) return again(noProvider);
    if (signIn.signIn.kind === "openid-connect")
      return away(deps, { people, signIn }, { place, ownUrl });
    return assertion === null
      ? again(noGateway)
      : vouched(deps, place, people.vouchedFor(signIn, { assertion, address }));
  },

  async finish({ kept, query, address, ownUrl }) {
    const pending = await readKept(deps, kept);
    if (pending === null || pending.state !== query.get("state")) return ok(null);
    const { place, nonce, verifier, state } = pending;
    const found = await placed(deps, place.tenant);
    if (!found.ok) return found;
    const { people, place: signIn } = found.value;
    if (signIn === null) return ok({ kind: "again", place, detail: noProvider });
    const came = {
      redirectUri: `${ownUrl}${signInPath}`,
      pending: { nonce, verifier, state },
      query: query.toString(),
      address,
    };
    return vouched(deps, place, people.cameBack(signIn, came));
  },
});
