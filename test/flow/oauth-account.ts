/** People see what they let in, and end it, on a page of their own. On the router of another suite. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAuthorizationServer } from "../fakes/authorization-server.ts";
import type { AuthorizationServer } from "../fakes/authorization-server.ts";
import { adminOf, createTenant, type Answered } from "../fakes/caller.ts";
import {
  clientSecret,
  startIdentityProvider,
  type IdentityProvider,
} from "../fakes/identity-provider.ts";
import {
  authorizeUrl,
  cookiesIn,
  formRequest,
  pkce,
  redirectUri,
  registrationRequest,
} from "../fakes/oauth-client.ts";
import type { Router } from "../fakes/router.ts";

interface World {
  router: Router;
  /** of the MCP server behind */
  upstream: { url: string };
}

const [slug, keysSlug] = ["own-page", "own-page-keys"];
const unescaped = (text: string): string => text.replaceAll("&#38;", "&");
const onceIn = (text: string): string => /name="once" value="([^"]+)"/.exec(text)?.[1] ?? "";
const grantsIn = (text: string): string[] =>
  [...text.matchAll(/name="end" value="([^"]+)"/g)].map(([, id = ""]) => id);

export function accountSuite(world: () => World): void {
  describe("the page on which a person sees what they let in", () => {
    let provider: IdentityProvider;
    let guarded: AuthorizationServer;
    let url: string;
    let clientId = "";
    const account = () => `${url}/oauth/account?tenant=${slug}`;
    const connect = () => `${url}/oauth/connect?tenant=${slug}&server=guarded`;
    const operator = (method: string, path: string, body?: unknown): Promise<Answered> =>
      adminOf({ url }, world().router.adminToken)(method, `/tenants/${path}`, body);

    beforeAll(async () => {
      ({ url } = world().router);
      [provider, guarded] = await Promise.all([
        startIdentityProvider(),
        startAuthorizationServer(),
      ]);
      guarded.clients.set("public", { secret: null, redirectUris: [`${url}/oauth/callback`] });
      const registered = await fetch(registrationRequest(url, { client_name: "<b>Sly</b>" }));
      ({ client_id: clientId } = (await registered.json()) as { client_id: string });
      for (const each of [slug, keysSlug]) {
        await createTenant(world().router, each, { provider: "demo" });
        const server = { slug: "notes", url: world().upstream.url, sampling: "router" };
        expect((await operator("POST", `${each}/servers`, server)).status).toBe(201);
      }
      const oauth = { grant: "authorization_code", clientId: "public", per: "user" };
      const entry = { slug: "guarded", url: guarded.mcpUrl, sampling: "router", oauth };
      expect((await operator("POST", `${slug}/servers`, entry)).status).toBe(201);
      const signIn = {
        kind: "openid-connect",
        issuer: provider.url,
        clientId: "router",
        clientSecret,
        claim: "groups",
        roles: {},
        callers: ["team"],
      };
      expect((await operator("PUT", `${slug}/sign-in`, signIn)).status).toBe(200);
    });
    afterAll(() => Promise.all([provider?.stop(), guarded?.stop()]));

    const visit = (to: string, cookie: string) =>
      fetch(to, { redirect: "manual", headers: { Cookie: cookie } });
    const send = (
      to: string,
      fields: Record<string, string>,
      { cookie = "", origin = url }: { cookie?: string; origin?: string } = {},
    ) => {
      const request = formRequest(to, fields);
      if (origin !== "") request.headers.set("Origin", origin);
      if (cookie !== "") request.headers.set("Cookie", cookie);
      return fetch(new Request(request, { redirect: "manual" }));
    };
    const leadsTo = (text: string) => unescaped(/content="0;url=([^"]+)"/.exec(text)?.[1] ?? "");

    /** Whom the provider names signs in. Gives the browser's cookie, and where the browser is sent. */
    async function signedIn(subject: string, at = account()) {
      provider.claims = { sub: subject, groups: ["team"] };
      const leaving = await send(at, { decision: "sign-in" });
      expect(leaving.status).toBe(200);
      const back = await provider.visit(leadsTo(await leaving.text()));
      const kept = cookiesIn(leaving.headers);
      const done = await visit(back, kept);
      return { done, back, kept, cookie: cookiesIn(done.headers) };
    }

    /** The person lets the program in. */
    async function letIn(subject: string) {
      provider.claims = { sub: subject, groups: ["team"] };
      const { verifier, challenge } = pkce();
      const resource = `${url}/mcp/${slug}/notes`;
      const page = await fetch(authorizeUrl(url, { clientId, resource, challenge }));
      const handle = /name="handle" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
      const leaving = await send(
        `${url}/oauth/authorize`,
        { handle, decision: "sign-in" },
        { cookie: cookiesIn(page.headers) },
      );
      const back = await provider.visit(leadsTo(await leaving.text()));
      const done = await visit(back, cookiesIn(leaving.headers));
      return exchanged(done, verifier);
    }

    async function exchanged(done: Response, verifier: string): Promise<string> {
      const code = new URL(done.headers.get("Location") ?? "").searchParams.get("code") ?? "";
      const answer = await fetch(
        formRequest(`${url}/oauth/token`, {
          grant_type: "authorization_code",
          client_id: clientId,
          code,
          code_verifier: verifier,
          redirect_uri: redirectUri,
        }),
      );
      return ((await answer.json()) as { refresh_token: string }).refresh_token;
    }

    const refreshed = async (token: string) => {
      const fields = { grant_type: "refresh_token", client_id: clientId, refresh_token: token };
      return (await fetch(formRequest(`${url}/oauth/token`, fields))).status;
    };
    const shown = async (cookie: string) => (await visit(account(), cookie)).text();

    it("shows each person their own grants, and ends the one that they choose", async () => {
      const [anns, others] = [await letIn("ann"), await letIn("bea")];
      const ann = await signedIn("ann");
      expect([ann.done.status, ann.done.headers.get("Location")]).toEqual([
        303,
        `account?tenant=${slug}`,
      ]);
      const text = await shown(ann.cookie);
      expect(text).toContain("&#60;b&#62;Sly");
      expect(text).not.toContain("<b>Sly");
      expect(text).toContain(`/mcp/${slug}/notes`);
      const [mine = ""] = grantsIn(text);
      expect(grantsIn(text)).toEqual([mine]);
      const bea = await signedIn("bea");
      const beas = grantsIn(await shown(bea.cookie));
      expect([beas.length, beas.includes(mine)]).toEqual([1, false]);

      // Another person's grant looks like one that is gone.
      const stolen = { once: onceIn(text), end: beas[0] ?? "" };
      expect((await send(account(), stolen, ann)).status).toBe(403);
      expect(await refreshed(others)).toBe(200);
      const fields = { once: onceIn(await shown(ann.cookie)), end: mine };
      expect((await send(account(), fields, ann)).status).toBe(303);
      expect(grantsIn(await shown(ann.cookie))).toEqual([]);
      expect(await refreshed(anns)).toBe(400);
      // The tenant's own log: the operator's has it a moment later, where each tenant has a database.
      const own = { name: "administrator", scopes: ["tenant-admin"] };
      const administrator = String((await operator("POST", `${slug}/keys`, own)).get("key"));
      const events = await adminOf({ url }, administrator)("GET", "/events?limit=20");
      expect(events.text).toContain(`"target":"${mine}"`);
      expect(events.text).toMatch(/"actor":"usr_[^"]+","action":"grant.revoke"/);

      // The page stands in no frame, and is kept nowhere.
      const { headers } = await visit(account(), bea.cookie);
      expect(headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("Cache-Control")).toBe("no-store");
    });

    it("takes a form of its own alone, once, in the browser that signed in", async () => {
      await letIn("cleo");
      const [cleo, other] = [await signedIn("cleo"), await signedIn("dora")];
      const text = await shown(cleo.cookie);
      const [grant = ""] = grantsIn(text);
      const fields = { once: onceIn(text), end: grant };
      const tries = [
        send(account(), fields, { ...cleo, origin: "https://elsewhere.test" }),
        // The page's own form names its origin, so a request that names none is no form of the page.
        send(account(), fields, { ...cleo, origin: "" }),
        send(account(), fields),
        send(account(), fields, other),
        send(account(), { end: grant }, cleo),
        send(account(), { once: onceIn(await shown(other.cookie)), end: grant }, cleo),
      ];
      for (const answer of await Promise.all(tries)) expect(answer.status).toBe(403);
      expect(grantsIn(await shown(cleo.cookie))).toEqual([grant]);
      const ends = { once: onceIn(await shown(cleo.cookie)), end: "none" };
      expect((await send(account(), ends, cleo)).status).toBe(403);
      expect((await send(account(), { ...ends, end: grant }, cleo)).status).toBe(403);
      expect(grantsIn(await shown(cleo.cookie))).toEqual([grant]);
      // A sign-in opens one tenant's page.
      const elsewhere = `${url}/oauth/account?tenant=${keysSlug}`;
      expect(grantsIn(await (await visit(elsewhere, cleo.cookie)).text())).toEqual([]);
      const out = { once: onceIn(await shown(cleo.cookie)), "sign-out": "yes" };
      expect((await send(account(), out, cleo)).status).toBe(303);
      expect(await shown(cleo.cookie)).toContain("Sign in");
    });

    it("signs in whom the provider lets in, in the browser that left, and nobody by a key", async () => {
      const { kept, back } = await signedIn("elif");
      // The provider's code is good once, and another browser has none of what this one kept.
      expect((await visit(back, kept)).status).toBe(403);
      expect((await visit(back, "")).status).toBe(400);
      const other = await send(account(), { decision: "sign-in" });
      expect((await visit(back, cookiesIn(other.headers))).status).toBe(400);
      provider.claims = { sub: "visitor", groups: ["visitors"] };
      const leaving = await send(account(), { decision: "sign-in" });
      const came = await provider.visit(leadsTo(await leaving.text()));
      const refused = await visit(came, cookiesIn(leaving.headers));
      expect([refused.status, await refused.text()]).toEqual([
        403,
        expect.stringContaining("give you this right"),
      ]);
      expect(cookiesIn(refused.headers)).not.toMatch(/person_?[^=]*=ten_/);
      const made = await operator("POST", `${slug}/keys`, { name: "k", scopes: ["proxy"] });
      const byKey = await send(account(), { key: String(made.get("key")) });
      expect([byKey.status, byKey.headers.get("Set-Cookie")]).toEqual([403, null]);
    });

    it("ends a session with the person's key", async () => {
      const user = await operator("POST", `${slug}/users`, { subject: "fay" });
      const { cookie } = await signedIn("fay");
      expect(onceIn(await shown(cookie))).not.toBe("");
      const keyId = String(user.get("keyId"));
      expect((await operator("DELETE", `${slug}/keys/${keyId}`)).status).toBe(204);
      expect(onceIn(await shown(cookie))).toBe("");
    });

    it("connects an account after the same sign-in, shows the account, and disconnects it", async () => {
      const form = await (await fetch(connect())).text();
      expect(form).toContain(new URL(provider.url).host);
      const gia = await signedIn("gia", connect());
      expect(gia.done.headers.get("Location")).toBe(`connect?tenant=${slug}&server=guarded`);
      const own = await (await visit(connect(), gia.cookie)).text();
      expect((await send(connect(), { once: "x" }, gia)).status).toBe(403);
      expect(
        (await send(connect(), { once: onceIn(own) }, { ...gia, origin: "null" })).status,
      ).toBe(403);
      const onward = await send(connect(), { once: onceIn(own) }, gia);
      const page = await onward.text();
      expect([onward.status, page]).toEqual([200, expect.stringContaining("One more step")]);
      const href = unescaped(/href="([^"]+)"/.exec(page)?.[1] ?? "");
      const done = await visit(await guarded.consent(href), cookiesIn(onward.headers));
      expect(await done.text()).toContain("may now use");

      const text = await shown(gia.cookie);
      expect(text).toContain('name="disconnect" value="guarded"');
      const stranger = await signedIn("hal");
      const strangers = await shown(stranger.cookie);
      expect(strangers).not.toContain('value="guarded"');
      const theirs = { once: onceIn(strangers), disconnect: "guarded" };
      expect((await send(account(), theirs, stranger)).status).toBe(403);
      expect(await shown(gia.cookie)).toContain('value="guarded"');
      const fields = { once: onceIn(text), disconnect: "guarded" };
      expect((await send(account(), fields, gia)).status).toBe(303);
      expect(await shown(gia.cookie)).not.toContain('value="guarded"');
    });

    it("takes a key where nobody signs in, and shows what was let in with that key", async () => {
      const at = `${url}/oauth/account?tenant=${keysSlug}`;
      const keys = [];
      for (const name of ["one", "two"]) {
        const made = await operator("POST", `${keysSlug}/keys`, { name, scopes: ["proxy"] });
        keys.push(String(made.get("key")));
      }
      const [one = "", two = ""] = keys;
      const { verifier, challenge } = pkce();
      const resource = `${url}/mcp/${keysSlug}/notes`;
      const page = await fetch(authorizeUrl(url, { clientId, resource, challenge }));
      const handle = /name="handle" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
      const cookie = cookiesIn(page.headers);
      const allowing = { handle, decision: "allow", key: one };
      await exchanged(await send(`${url}/oauth/authorize`, allowing, { cookie }), verifier);

      expect((await send(at, { key: "srk_unknown" })).status).toBe(403);
      expect((await send(at, { key: one }, { origin: "https://elsewhere.test" })).status).toBe(403);
      const byKey = async (key: string) => {
        const entered = await send(at, { key });
        expect(entered.status).toBe(303);
        return (await visit(at, cookiesIn(entered.headers))).text();
      };
      expect(grantsIn(await byKey(one))).toHaveLength(1);
      const others = await byKey(two);
      expect([grantsIn(others), onceIn(others) === ""]).toEqual([[], false]);
    });

    it("tells the tenant of each page at which somebody guesses, and of no key", async () => {
      /** From an address of its own, as the gateway before the router says. */
      const tried = (address: string, to: string, fields: Record<string, string>, cookie = "") => {
        const request = formRequest(to, fields);
        request.headers.set("Origin", url);
        request.headers.set("X-Forwarded-For", address);
        request.headers.set("CF-Connecting-IP", address);
        if (cookie !== "") request.headers.set("Cookie", cookie);
        return fetch(request);
      };
      const query = `?tenant=${keysSlug}`;
      const known = String(
        (await operator("POST", `${slug}/keys`, { name: "k", scopes: ["proxy"] })).get("key"),
      );
      const consent = async (address: string, key: string) => {
        const resource = `${url}/mcp/${keysSlug}/notes`;
        const page = await fetch(
          authorizeUrl(url, { clientId, resource, challenge: pkce().challenge }),
        );
        const handle = /name="handle" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
        const fields = { handle, decision: "allow", key };
        return tried(address, `${url}/oauth/authorize`, fields, cookiesIn(page.headers));
      };
      const answers = [
        await tried("192.0.2.1", `${url}/oauth/account${query}`, { key: "srk_guess" }),
        await tried("192.0.2.2", `${url}/oauth/connect${query}&server=notes`, { key: "srk_guess" }),
        await consent("192.0.2.3", "srk_guess"),
        // A key that opens another tenant alone.
        await consent("192.0.2.4", known),
        await tried("192.0.2.5", `${url}/oauth/account${query}`, { key: known }),
        await tried("192.0.2.6", `${url}/oauth/connect${query}&server=notes`, { key: known }),
      ];
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403));
      const own = { name: "administrator", scopes: ["tenant-admin"] };
      const administrator = String((await operator("POST", `${keysSlug}/keys`, own)).get("key"));
      const events = await adminOf({ url }, administrator)("GET", "/events?limit=50");
      const told = (
        events.get("data") as { action: string; target: string; detail: { address: string } }[]
      )
        .filter(
          ({ action, detail }) =>
            action === "sign_in.fail" && detail.address.startsWith("192.0.2."),
        )
        .map(({ target, detail }) => [target, detail]);
      expect(told).toEqual(
        [6, 5, 4, 3, 2, 1].map((last) => [
          "key",
          {
            address: `192.0.2.${last}`,
            failures: 1,
            fault: last > 3 ? "not_found" : "unauthorized",
          },
        ]),
      );
      expect(events.text).not.toMatch(/srk_/);
    });
  });
}
