import { Hono, type Context } from "hono";
import { explain } from "../../domain/refusal-messages.ts";
import type { AsyncResult } from "../../domain/refusals.ts";
import { isOwnOrigin, ownOriginOf } from "../../domain/servers/own-origin.ts";
import type { OwnChange } from "../../pipeline/people/consent/person-pages.ts";
import type { PagePlace, PageSignIn } from "../../pipeline/people/consent/person-page-sign-in.ts";
import { askedAt, ownUrlAt, type HttpEnv } from "../context.ts";
import { problem } from "../problem.ts";
import { cookieOf, keepCookie, takeCookie } from "../session-cookie.ts";
import { accountPage, accountPath, signInPage } from "./account-page.ts";
import { noPlace, page } from "./provider-redirect.ts";
import { connectPage } from "./connect-page.ts";
import { leavingPage } from "./consent-page.ts";
import { formOf, protect } from "./form.ts";

const maxAssertionCharacters = 16_384;
const slug = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
export const noTenant = { reason: "not_found", what: "no such tenant" } as const;
const usedBefore = "This page was used already, or you were signed out. Look again, and go on.";
const gone = "That was ended already.";

export const isSlug = (text: string): boolean => slug.test(text);

const pathOf = ({ tenant, server }: PagePlace): string =>
  server === null ? accountPath(tenant) : `connect?tenant=${tenant}&server=${server}`;

export async function signInShown(
  c: Context<HttpEnv>,
  { tenant, server }: PagePlace,
  wrong: string | null,
): Promise<Response> {
  const { people, consentOpenings } = c.get("services").oauth;
  // Rate-limited: each page costs database reads without a key.
  const refused = consentOpenings(c.env.address?.() ?? "");
  if (refused !== null) return problem(c, refused);
  const at = await people.signIn.identityProviderHost(tenant);
  if (!at.ok) return problem(c, at.error);
  const identityProviderHost = at.value;
  const text =
    server === null
      ? signInPage({ tenant, identityProviderHost }, wrong)
      : connectPage({ tenant, server, identityProviderHost }, wrong);
  return page(c, text, wrong === null ? 200 : 403);
}

async function signedIn(
  c: Context<HttpEnv>,
  origin: string,
  asked: AsyncResult<PageSignIn>,
): Promise<Response> {
  const result = await asked;
  if (!result.ok) return problem(c, result.error);
  const { value } = result;
  if (value.kind === "retry") return signInShown(c, value.place, value.detail);
  if (value.kind === "leave") {
    const { kept, seconds, to } = value;
    if (!keepCookie(c, "person_sign_in", { origin, value: kept, seconds }))
      return problem(c, noPlace);
    protect(c.res.headers, null);
    // The address contains the state, which only the provider may see.
    c.res.headers.set("Referrer-Policy", "no-referrer");
    return c.html(leavingPage(to));
  }
  const { token, seconds } = value.session;
  // Always a new session, so that none can be planted.
  if (!keepCookie(c, "person", { origin, value: token, seconds })) return problem(c, noPlace);
  protect(c.res.headers, null);
  c.res.headers.set("Referrer-Policy", "no-referrer");
  return c.redirect(pathOf(value.place), 303);
}

export async function beginSignIn(
  c: Context<HttpEnv>,
  place: PagePlace,
  origin: string,
): Promise<Response> {
  const sent = c.req.header("Cf-Access-Jwt-Assertion");
  const assertion = sent?.slice(0, maxAssertionCharacters + 1) ?? null;
  const address = c.env.address?.() ?? "";
  const { people, consentOpenings } = c.get("services").oauth;
  const refused = consentOpenings(address);
  if (refused !== null) return problem(c, refused);
  const begun = people.signIn.begin({
    place,
    assertion,
    address,
    ownUrl: ownUrlAt(c) ?? origin,
  });
  return signedIn(c, origin, begun);
}

/** Back from the identity provider; `null` if the sign-in belongs to a consent. */
export async function cameBack(c: Context<HttpEnv>): Promise<Response | null> {
  const origin = ownOriginOf(askedAt(c));
  const kept = origin === null ? null : cookieOf(c, "person_sign_in", origin);
  if (origin === null || kept === null) return null;
  const query = new URL(c.req.url).searchParams;
  const address = c.env.address?.() ?? "";
  const { signIn } = c.get("services").oauth.people;
  const came = await signIn.finish({ kept, query, address, ownUrl: ownUrlAt(c) ?? origin });
  if (came.ok && came.value === null) return null;
  // Single use.
  takeCookie(c, "person_sign_in", origin);
  return came.ok && came.value !== null
    ? signedIn(c, origin, Promise.resolve({ ok: true, value: came.value }))
    : came.ok
      ? null
      : problem(c, came.error);
}

export const tokenOf = (c: Context<HttpEnv>, origin: string | null): string =>
  (origin === null ? null : cookieOf(c, "person", origin)) ?? "";

async function shown(c: Context<HttpEnv>, tenant: string, wrong: string | null): Promise<Response> {
  const { people } = c.get("services").oauth;
  const session = await people.sessions.find(tokenOf(c, ownOriginOf(askedAt(c))), tenant);
  if (!session.ok) return problem(c, session.error);
  if (session.value === null) return signInShown(c, { tenant, server: null }, wrong);
  const own = await people.show(session.value);
  return own.ok
    ? page(c, accountPage(tenant, own.value, wrong), wrong === null ? 200 : 403)
    : problem(c, own.error);
}

function changeIn(fields: URLSearchParams): OwnChange | null {
  const [id, server] = [fields.get("end"), fields.get("disconnect")];
  if (id !== null) return { kind: "end-grant", id };
  if (server !== null) return { kind: "disconnect", server };
  return fields.has("sign-out") ? { kind: "sign-out" } : null;
}

/** Same-origin only: another site's form could revoke grants. */
async function submit(c: Context<HttpEnv>): Promise<Response> {
  const tenant = c.req.query("tenant") ?? "";
  const origin = ownOriginOf(askedAt(c));
  if (!isSlug(tenant)) return problem(c, noTenant);
  if (!isOwnOrigin(c.req.header("Origin") ?? "", askedAt(c)))
    return problem(c, { reason: "origin_not_allowed" });
  if (origin === null) return problem(c, noPlace);
  const form = await formOf(c);
  if (!form.ok) return problem(c, form.error);
  const { fields } = form.value;
  const place = { tenant, server: null };
  const { people } = c.get("services").oauth;
  if (fields.get("decision") === "sign-in") return beginSignIn(c, place, origin);
  const change = changeIn(fields);
  if (change === null) {
    const key = (fields.get("key") ?? "").trim();
    const address = c.env.address?.() ?? "";
    return signedIn(c, origin, people.signIn.byKey({ place, key, address }));
  }
  const token = tokenOf(c, origin);
  const once = fields.get("once") ?? "";
  const changed = await people.change({ token, tenant, once }, change);
  if (!changed.ok) return shown(c, tenant, explain(changed.error));
  if (changed.value !== true) return shown(c, tenant, changed.value === null ? usedBefore : gone);
  if (change.kind === "sign-out") takeCookie(c, "person", origin);
  protect(c.res.headers, null);
  return c.redirect(accountPath(tenant), 303);
}

async function look(c: Context<HttpEnv>): Promise<Response> {
  const tenant = c.req.query("tenant") ?? "";
  if (!isSlug(tenant)) return problem(c, noTenant);
  return shown(c, tenant, null);
}

export const accountRoutes = (): Hono<HttpEnv> =>
  new Hono<HttpEnv>().get("/account", look).post("/account", submit);
