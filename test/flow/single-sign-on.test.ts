/** People sign in by an identity provider, and nobody else gets in by what one says. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { adminOf, asking, createTenant, openSession } from "../fakes/caller.ts";
import {
  clientSecret,
  startIdentityProvider,
  type IdentityProvider,
} from "../fakes/identity-provider.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { patient } from "../setup/patience.ts";

let router: Router;
let provider: IdentityProvider;
let other: IdentityProvider;
beforeAll(async () => {
  [provider, other] = await Promise.all([startIdentityProvider(), startIdentityProvider()]);
  router = await startRouter({
    env: {
      ALLOW_PRIVATE_UPSTREAMS: "true",
      TRUSTED_PROXIES: "127.0.0.1",
      SIGN_IN_ISSUER: provider.url,
      SIGN_IN_CLIENT_ID: "router",
      SIGN_IN_CLIENT_SECRET: clientSecret,
      SIGN_IN_CLAIM: "groups",
      SIGN_IN_ROLES: "ops=admin, desk=viewer",
    },
  });
}, 90_000);
afterAll(() => Promise.all([router?.stop(), provider?.stop(), other?.stop()]));
beforeEach(() => {
  for (const each of [provider, other]) {
    each.claims = { sub: "u1", email: "ann@corp.test", email_verified: true, groups: ["team"] };
    each.bend = {};
    each.algorithm = "RS256";
  }
});

const operator = (method: string, path: string, body?: unknown) =>
  adminOf(router, router.adminToken)(method, path, body);
const roles = { team: "admin", viewers: "viewer", approvers: "approver" };
const settings = (fields: object = {}) => ({
  kind: "openid-connect",
  issuer: provider.url,
  clientId: "router",
  clientSecret,
  claim: "groups",
  roles,
  ...fields,
});

let tenants = 0;
async function tenant(fields: object = {}): Promise<string> {
  const slug = `sso-${(tenants += 1)}`;
  await createTenant(router, slug, { provider: "demo" });
  const put = await operator("PUT", `/tenants/${slug}/sign-in`, settings(fields));
  expect([put.status, put.text.includes(clientSecret)]).toEqual([200, false]);
  return slug;
}

const cookiesOf = (answer: Response): Map<string, string> =>
  new Map(
    answer.headers.getSetCookie().map((line) => {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      return [pair.slice(0, at).replace(/_\d+$/, ""), pair];
    }),
  );
let visits = 0;
/** Each from an address of its own, since failures of one address are slowed down. */
const visit = (
  url: string,
  cookie = "",
  headers: Record<string, string> = {},
  method = "GET",
): Promise<Response> => {
  visits += 1;
  const address = `203.0.${Math.floor(visits / 250)}.${1 + (visits % 250)}`;
  return fetch(url, {
    method,
    redirect: "manual",
    headers: { "X-Forwarded-For": address, ...headers, ...(cookie !== "" && { cookie }) },
  });
};
const begin = async (slug: string | null, headers: Record<string, string> = {}) => {
  const query = slug === null ? "" : `?tenant=${slug}`;
  const sent = { Origin: router.url, ...headers };
  const answer = await visit(`${router.url}/console/single-sign-on${query}`, "", sent, "POST");
  const said = (await answer.clone().json()) as { url?: string };
  return {
    answer,
    url: said.url ?? "",
    cookie: cookiesOf(answer).get("sr_sign_in") ?? "",
  };
};
const signIn = async (slug: string | null) => {
  const { url, cookie } = await begin(slug);
  const back = await provider.visit(url);
  const answer = await visit(back, cookie);
  return { back, cookie, answer, session: cookiesOf(answer).get("sr_session") ?? "" };
};
const whoIs = async (session: string): Promise<[number, unknown]> => {
  const answer = await visit(`${router.url}/console/session`, session);
  return [answer.status, ((await answer.json()) as { actor?: unknown }).actor];
};
const reasonOf = async (answer: Response): Promise<[number, unknown, boolean]> => [
  answer.status,
  ((await answer.json()) as { reason?: unknown }).reason,
  cookiesOf(answer).has("sr_session"),
];

describe("a person", () => {
  it("gets a session with the role of the claim, in the console and its API, and in the events", async () => {
    const slug = await tenant();
    const { answer, session, back } = await signIn(slug);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, `${router.url}/console`]);
    expect(answer.headers.getSetCookie().find((line) => line.startsWith("sr_session"))).toMatch(
      /Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const name = "person:ann@corp.test";
    expect(await whoIs(session)).toEqual([
      200,
      { kind: "person", role: "admin", tenant: slug, name },
    ]);
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    const shown = await visit(`${router.url}/console/session`, session);
    const { csrf } = (await shown.json()) as { csrf: string };
    const renamed = await fetch(`${router.url}/admin/v1/tenants/${slug}`, {
      method: "PATCH",
      headers: {
        cookie: session,
        Origin: router.url,
        "X-CSRF-Token": csrf,
        "Content-Type": "application/json",
      },
      body: '{"name":"Renamed"}',
    });
    expect(renamed.status).toBe(200);
    const [event] = (await operator("GET", "/events?limit=1")).get("data") as object[];
    expect(event).toMatchObject({ actor: name, action: "tenant.update" });
    expect(router.output()).not.toContain(new URL(back).searchParams.get("code"));
  });

  it.each([
    [["viewers", "approvers"], "approver"],
    ["viewers", "viewer"],
  ])("whose claim is %j is a %s", async (groups, role) => {
    const slug = await tenant();
    provider.claims["groups"] = groups;
    expect(await whoIs((await signIn(slug)).session)).toMatchObject([200, { role }]);
  });

  it.each([[["strangers"]], [undefined], [{ team: true }], ["__proto__"], ["toString"]])(
    "whose claim is %j has no role, and gets no session",
    async (groups) => {
      const slug = await tenant();
      provider.claims["groups"] = groups;
      expect(await reasonOf((await signIn(slug)).answer)).toEqual([403, "forbidden", false]);
    },
  );

  it("is one of the tenant's people, until the deletion that also ends the session", async () => {
    const slug = await tenant();
    const before = Date.now();
    const { session } = await signIn(slug);
    provider.claims["groups"] = ["viewers"];
    const again = (await signIn(slug)).session;
    const listed = async () => (await operator("GET", `/tenants/${slug}/users`)).get("data");
    const [person, ...others] = (await listed()) as { id: string; signedInAt: number }[];
    expect([person, others]).toMatchObject([{ name: null, role: "viewer" }, []]);
    expect(person?.signedInAt).toBeGreaterThanOrEqual(before);
    expect([(await whoIs(session))[0], (await whoIs(again))[0]]).toEqual([200, 200]);
    const deleted = await operator("DELETE", `/tenants/${slug}/users/${person?.id}`);
    expect(deleted.status).toBe(204);
    expect([(await whoIs(session))[0], (await whoIs(again))[0]]).toEqual([401, 401]);
    expect(await listed()).toEqual([]);
  });

  it("is named by the provider's own id where the address is not verified", async () => {
    const slug = await tenant();
    provider.claims["email_verified"] = false;
    expect(await whoIs((await signIn(slug)).session)).toMatchObject([200, { name: "person:u1" }]);
  });

  it("sees no other tenant, and a viewer changes nothing", async () => {
    const [slug, stranger] = [await tenant(), await tenant()];
    provider.claims["groups"] = "viewers";
    const { session } = await signIn(slug);
    const get = async (path: string) =>
      (await visit(`${router.url}/admin/v1${path}`, session)).status;
    expect(await get(`/tenants/${slug}`)).toBe(200);
    expect(await get(`/tenants/${stranger}`)).toBe(404);
    expect(await get(`/tenants/${stranger}/sign-in`)).toBe(404);
  });

  it("of the operator's provider sees every tenant, with the role of the claim", async () => {
    const slug = await tenant();
    provider.claims["groups"] = ["desk"];
    const { session } = await signIn(null);
    expect(await whoIs(session)).toMatchObject([200, { kind: "operator", role: "viewer" }]);
    const ask = (method: string) =>
      fetch(`${router.url}/admin/v1/tenants/${slug}`, { method, headers: { cookie: session } });
    expect((await ask("GET")).status).toBe(200);
    expect((await ask("DELETE")).status).toBe(403);
  });

  it("loses the session with any change of the settings, and when they go", async () => {
    const slug = await tenant();
    const first = (await signIn(slug)).session;
    await operator("PUT", `/tenants/${slug}/sign-in`, settings());
    expect((await whoIs(first))[0]).toBe(401);
    const second = (await signIn(slug)).session;
    expect((await whoIs(second))[0]).toBe(200);
    expect((await operator("DELETE", `/tenants/${slug}/sign-in`)).status).toBe(204);
    expect((await whoIs(second))[0]).toBe(401);
    expect(await reasonOf((await begin(slug)).answer)).toEqual([404, "not_found", false]);
  });

  it("decides on no call of a key that the person was given", async () => {
    const slug = await tenant();
    const { session } = await signIn(slug);
    const shown = await visit(`${router.url}/console/session`, session);
    const { csrf } = (await shown.json()) as { csrf: string };
    const person = async (path: string, body: object) => {
      const answer = await fetch(`${router.url}/admin/v1/tenants/${slug}${path}`, {
        method: "POST",
        headers: {
          cookie: session,
          Origin: router.url,
          "X-CSRF-Token": csrf,
          "Content-Type": "application/json",
        },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const made = await person("/keys", { name: "mine", scopes: ["sampling"] });
    const rule = { approval: { mode: "request" } };
    await operator("PATCH", `/tenants/${slug}/policy`, rule);
    const list = () => operator("GET", `/tenants/${slug}/approvals?state=waiting`);
    const hold = async (key: string) => {
      const answer = (await openSession(router, key)).sample(asking("hello"));
      await expect
        .poll(async () => (await list()).get("data.length"), { timeout: patient(10_000) })
        .toBe(1);
      const id = String((await list()).get("data.0.requestId"));
      const held = await operator("GET", `/tenants/${slug}/approvals/${id}`);
      return {
        answer,
        id,
        decision: { decision: "approve", contentHash: held.get("contentHash") },
      };
    };
    const { answer: asked, id, decision } = await hold(String(made.body["key"]));
    const own = await person(`/approvals/${id}`, decision);
    expect([own.status, own.body["reason"]]).toEqual([403, "forbidden"]);
    // Unless the policy says that people may.
    await operator("PATCH", `/tenants/${slug}/policy`, { approval: { approvers: "self" } });
    const decided = await person(`/approvals/${id}`, decision);
    expect([decided.status, decided.body["isOwn"]]).toEqual([200, true]);
    expect((await asked).text).toContain('"result"');
    const itsRecord = (await operator("GET", `/tenants/${slug}/requests/${id}`)).body;
    expect(itsRecord).toMatchObject({ decision: { approvals: [{ isOwn: true }] } });
    // The record names who decided by the person's subject, too.
    const others = await operator("POST", `/tenants/${slug}/keys`, {
      name: "another",
      scopes: ["sampling"],
    });
    const recordOf = async (verdict: "approve" | "deny") => {
      const held = await hold(String(others.get("key")));
      const put = await person(`/approvals/${held.id}`, { ...held.decision, decision: verdict });
      expect(put.status).toBe(200);
      await held.answer;
      return {
        subject: String(put.body["decidedBySubject"]),
        record: (await operator("GET", `/tenants/${slug}/requests/${held.id}`)).body,
      };
    };
    const approved = await recordOf("approve");
    const by = "person:ann@corp.test";
    expect(approved.subject).toMatch(/^[\w-]{20,}$/);
    expect(approved.record).toMatchObject({
      decision: { approvals: [{ by, subject: approved.subject }] },
    });
    const denied = await recordOf("deny");
    expect(denied.subject).toBe(approved.subject);
    expect(denied.record).toMatchObject({
      reasonDetail: `request denied by ${by} (subject ${approved.subject})`,
    });
  });

  it("keeps the client's secret where the settings are put without one", async () => {
    const slug = await tenant();
    const { clientSecret: _, ...rest } = settings();
    const put = await operator("PUT", `/tenants/${slug}/sign-in`, rest);
    expect(put.get("hasSecret")).toBe(true);
    expect((await signIn(slug)).answer.status).toBe(302);
    const moved = { ...rest, issuer: other.url };
    expect((await operator("PUT", `/tenants/${slug}/sign-in`, moved)).get("hasSecret")).toBe(false);
  });
});

describe("a trial of the settings", () => {
  const path = (slug: string) => `/tenants/${slug}/sign-in/trial`;
  const begun = async (slug: string, tried: object) => {
    const answer = await operator("POST", path(slug), tried);
    expect([answer.text, answer.status]).toEqual([answer.text, 200]);
    const back = await provider.visit(String(answer.get("url")));
    const returned = await visit(back);
    return { pending: answer.get("pending"), returned };
  };
  const tried = async (slug: string, fields: object = {}) => {
    const { pending, returned } = await begun(slug, settings(fields));
    const { searchParams } = new URL(returned.headers.get("location") ?? "");
    const body = { settings: settings(fields), pending, query: searchParams.toString() };
    return operator("POST", `${path(slug)}/result`, body);
  };

  it("shows claims and role before anything is saved, and begins no session", async () => {
    const slug = "untried";
    await createTenant(router, slug, { provider: "demo" });
    const { returned } = await begun(slug, settings());
    expect([returned.status, returned.headers.getSetCookie()]).toEqual([302, []]);
    expect(returned.headers.get("location")).toMatch(`${router.url}/console/tried?code=`);
    const result = await tried(slug, { callers: ["team"] });
    expect(result.body).toMatchObject({
      fault: null,
      claims: { sub: "u1", groups: ["team"] },
      person: "person:ann@corp.test",
      role: "admin",
      mayConnect: true,
    });
    provider.claims["groups"] = ["strangers"];
    expect((await tried(slug)).body).toMatchObject({ role: null, claims: { sub: "u1" } });
    expect((await operator("GET", `/tenants/${slug}/sign-in`)).status).toBe(404);
    const users = await operator("GET", `/tenants/${slug}/users`);
    expect(users.get("data")).toEqual([]);
  });

  it("says what the provider rejects, and uses the saved secret for the same client alone", async () => {
    const slug = await tenant();
    const wrong = await tried(slug, { clientSecret: "wrong" });
    expect([wrong.status, wrong.get("claims"), wrong.get("fault")]).toEqual([
      200,
      null,
      "The provider rejects the client id or the client secret.",
    ]);
    expect((await tried(slug, { clientSecret: undefined })).get("role")).toBe("admin");
    const nowhere = await operator("POST", path(slug), settings({ issuer: `${other.url}/x` }));
    expect([nowhere.status, nowhere.get("path")]).toEqual([400, "issuer"]);
  });
});

describe("a browser that is refused", () => {
  const asPage = { Accept: "text/html,application/xhtml+xml" };

  it("comes back to the console with the reason, and has no cookie of the try any more", async () => {
    const slug = await tenant();
    const { url, cookie } = await begin(slug);
    const back = new URL(await provider.visit(url));
    back.searchParams.set("state", "another");
    const answer = await visit(back.href, cookie, asPage);
    expect([answer.status, answer.headers.get("location")]).toEqual([
      302,
      `${router.url}/console?sign-in=unauthorized&tenant=${slug}`,
    ]);
    expect(answer.headers.getSetCookie().join()).toMatch(/^sr_sign_in[^;]*=; Max-Age=0/);
    expect(cookiesOf(answer).has("sr_session")).toBe(false);
  });
});

describe("nobody gets in by", () => {
  /** Comes back with what `bent` makes of the address and the cookie. */
  const cameWith = async (
    bent: (came: { back: URL; cookie: string }) => { back: URL; cookie: string },
    slug?: string,
  ) => {
    const { url, cookie } = await begin(slug ?? (await tenant()));
    const came = bent({ back: new URL(await provider.visit(url)), cookie });
    return reasonOf(await visit(came.back.href, came.cookie));
  };
  const refused = [401, "unauthorized", false];

  it("another state, another issuer's answer, or no cookie", async () => {
    const withParameter =
      (name: string, value: string) => (came: { back: URL; cookie: string }) => {
        came.back.searchParams.set(name, value);
        return came;
      };
    expect(await cameWith(withParameter("state", "mine"))).toEqual(refused);
    expect(await cameWith(withParameter("iss", other.url))).toEqual(refused);
    expect(await cameWith(withParameter("code", "guessed"))).toEqual(refused);
    expect(await cameWith(({ back }) => ({ back, cookie: "" }))).toEqual(refused);
  });

  it("a cookie that was changed, or taken to another tenant", async () => {
    const stranger = await tenant({ roles: { team: "admin" } });
    const moved = ({ back, cookie }: { back: URL; cookie: string }) => {
      const [name = "", value = ""] = cookie.split("=");
      const [text = "", ...code] = decodeURIComponent(value).split(".");
      const kept = { ...(JSON.parse(atob(text)) as object), slug: stranger };
      const changed = [btoa(JSON.stringify(kept)), ...code].join(".");
      return { back, cookie: `${name}=${encodeURIComponent(changed)}` };
    };
    expect(await cameWith(moved)).toEqual(refused);
  });

  it("the same code twice, and each try is good once", async () => {
    const slug = await tenant();
    const { back, cookie, answer } = await signIn(slug);
    expect(cookiesOf(answer).get("sr_sign_in")).toMatch(/=$/);
    expect(await reasonOf(await visit(back, cookie))).toEqual(refused);
  });

  it.each<[string, Partial<IdentityProvider>]>([
    ["another nonce", { bend: { nonce: "another" } }],
    ["no nonce", { bend: { nonce: undefined } }],
    ["another issuer", { bend: { iss: "https://elsewhere.test" } }],
    ["another audience", { bend: { aud: "somebody-else" } }],
    ["a time that is over", { bend: { exp: 1_000 } }],
    ["no algorithm", { algorithm: "none" }],
    ["a stranger's key", { algorithm: "stranger" }],
  ])("an ID token with %s", async (_, bent) => {
    const slug = await tenant();
    Object.assign(provider, bent);
    expect(await reasonOf((await signIn(slug)).answer)).toEqual(refused);
  });

  it("what another tenant's provider says", async () => {
    const mine = await tenant({ issuer: other.url });
    const { url, cookie } = await begin(mine);
    const back = new URL(await other.visit(url));
    // The victim's try, with the code of the attacker's provider.
    const victim = await begin(await tenant());
    expect(await reasonOf(await visit(back.href, victim.cookie))).toEqual(refused);
    expect((await visit(back.href, cookie)).status).toBe(302);
  });

  it("a session that was planted before: the session is a new one", async () => {
    const slug = await tenant();
    const planted = (await signIn(slug)).session;
    const { url, cookie } = await begin(slug);
    const answer = await visit(await provider.visit(url), `${cookie}; ${planted}`);
    const session = cookiesOf(answer).get("sr_session") ?? "";
    expect(session).not.toBe(planted);
    expect([(await whoIs(session))[0], (await whoIs(planted))[0]]).toEqual([200, 401]);
  });

  it.each([
    ["GET", {}],
    ["POST", {}],
    ["POST", { Origin: "https://evil.test" }],
    ["POST", { Origin: "null" }],
  ])("a sign-in that another site began: %s with %o", async (method, headers) => {
    const slug = await tenant();
    const { session } = await signIn(slug);
    const at = `${router.url}/console/single-sign-on?tenant=${slug}`;
    const answer = await visit(at, session, headers, method);
    // A link shows the console, which signs nobody in by itself.
    const status = method === "GET" ? 200 : 403;
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([status, []]);
    expect((await whoIs(session))[0]).toBe(200);
  });

  it("an address to be sent on to", async () => {
    const slug = await tenant();
    const { url, cookie } = await begin(slug);
    const back = new URL(await provider.visit(url));
    back.searchParams.set("returnTo", "https://evil.test");
    const answer = await visit(back.href, cookie);
    expect(answer.headers.get("location")).toBe(`${router.url}/console`);
    const odd = await begin("//evil.test");
    expect(await reasonOf(odd.answer)).toEqual([400, "invalid_params", false]);
  });
});

describe("Cloudflare Access", () => {
  const audience = "aud-tag";
  const access = () =>
    tenant({ kind: "cloudflare-access", clientId: audience, clientSecret: null });
  const now = () => Math.floor(Date.now() / 1_000);
  const claims = (fields: object = {}) => ({
    iss: provider.url,
    aud: [audience],
    exp: now() + 60,
    sub: "cf-1",
    email: "ann@corp.test",
    groups: ["team"],
    ...fields,
  });
  const withToken = async (slug: string, token: string) =>
    (await begin(slug, { "Cf-Access-Jwt-Assertion": token })).answer;

  it("signs in whom it names, without a way to anywhere else", async () => {
    const slug = await access();
    const answer = await withToken(slug, provider.assertion(claims()));
    expect([answer.status, await answer.json()]).toEqual([200, { url: `${router.url}/console` }]);
    const session = cookiesOf(answer).get("sr_session") ?? "";
    expect(await whoIs(session)).toMatchObject([
      200,
      { kind: "person", role: "admin", tenant: slug, name: "person:ann@corp.test" },
    ]);
  });

  it.each<[string, object, Partial<IdentityProvider>]>([
    ["another audience", { aud: ["another"] }, {}],
    ["another issuer", { iss: "https://elsewhere.test" }, {}],
    ["a time that is over", { exp: 1_000 }, {}],
    ["no end", { exp: undefined }, {}],
    ["a time to come", { nbf: 32_000_000_000 }, {}],
    ["no algorithm", {}, { algorithm: "none" }],
    ["a stranger's key", {}, { algorithm: "stranger" }],
  ])("lets nobody in by a token with %s", async (_, fields, bent) => {
    const slug = await access();
    Object.assign(provider, bent);
    const answer = await withToken(slug, provider.assertion(claims(fields)));
    expect(await reasonOf(answer)).toEqual([401, "unauthorized", false]);
  });

  it("lets nobody in without a token, or by something else", async () => {
    const slug = await access();
    expect(await reasonOf((await begin(slug)).answer)).toEqual([401, "unauthorized", false]);
    for (const token of ["a.b.c", "x", "e30.e30.", "a".repeat(20_000)])
      expect(await reasonOf(await withToken(slug, token))).toEqual([401, "unauthorized", false]);
  });
});
