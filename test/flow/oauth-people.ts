/** People let programs in by their tenant's identity provider, and are forgotten. On the router of another suite. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { verifyParts } from "../contract/export/exporting.ts";
import { adminOf, asking, createTenant, type Answered } from "../fakes/caller.ts";
import { startAuthorizationServer } from "../fakes/authorization-server.ts";
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
import { patient } from "../setup/patience.ts";

/** What is wrong with an export, by the verifier of `npm run audit`. */
const flawsIn = async (exported: string) => (await verifyParts([exported], null)).findings;

interface World {
  router: Router;
  /** of the MCP server behind */
  upstream: { url: string };
}

export function peopleSuite(world: () => World): void {
  describe("a person whom the tenant's identity provider knows", () => {
    const slug = "people";
    let provider: IdentityProvider;
    let url: string;
    /** One program for all, since one network registers thirty in ten minutes. */
    let clientId = "";
    const operator = (method: string, path: string, body?: unknown): Promise<Answered> =>
      adminOf({ url }, world().router.adminToken)(method, `/tenants/${slug}${path}`, body);

    const signIn = (fields: object = {}) => ({
      kind: "openid-connect",
      issuer: provider.url,
      clientId: "router",
      clientSecret,
      claim: "groups",
      roles: {},
      callers: ["team"],
      ...fields,
    });

    beforeAll(async () => {
      ({ url } = world().router);
      provider = await startIdentityProvider();
      const registered = await fetch(registrationRequest(url));
      ({ client_id: clientId } = (await registered.json()) as { client_id: string });
      await createTenant(world().router, slug, {
        provider: "demo",
        policy: { userNames: "keep", perUser: { requestsPerDay: 4 } },
      });
      const server = { slug: "notes", url: world().upstream.url, sampling: "router" };
      expect((await operator("POST", "/servers", server)).status).toBe(201);
      expect((await operator("PUT", "/sign-in", signIn())).status).toBe(200);
    });
    afterAll(() => provider?.stop());
    let people = 0;
    beforeEach(() => {
      people += 1;
      provider.claims = { sub: `canary-sub-${people}`, name: "Canary Ann", groups: ["team"] };
      provider.refreshes = "yes";
    });

    /** The consent page. */
    async function asked(resource: string) {
      const { verifier, challenge } = pkce();
      const page = await fetch(authorizeUrl(url, { clientId, resource, challenge }));
      const text = await page.text();
      const handle = /name="handle" value="([^"]+)"/.exec(text)?.[1] ?? "";
      return { verifier, text, handle, cookie: cookiesIn(page.headers) };
    }
    type Asked = Awaited<ReturnType<typeof asked>>;

    const decide = ({ handle, cookie }: Asked, fields: Record<string, string>) => {
      const request = formRequest(`${url}/oauth/authorize`, { handle, ...fields });
      request.headers.set("Cookie", cookie);
      return fetch(new Request(request, { redirect: "manual" }));
    };

    /** Up to the provider and back to the router, as a browser. */
    async function cameBack(from: Asked) {
      const leaving = await decide(from, { decision: "sign-in" });
      expect(leaving.status).toBe(200);
      const text = (await leaving.text()).replaceAll("&#38;", "&");
      const back = await provider.visit(/content="0;url=([^"]+)"/.exec(text)?.[1] ?? "");
      return { back, cookie: cookiesIn(leaving.headers) };
    }
    const visit = (to: string, cookie: string) =>
      fetch(to, { redirect: "manual", headers: { Cookie: cookie } });

    async function exchanged(fields: Record<string, string>) {
      const answer = await fetch(formRequest(`${url}/oauth/token`, fields));
      return { status: answer.status, body: (await answer.json()) as Record<string, string> };
    }

    /** A token of whom the provider names. */
    async function givenToken(path: string) {
      const from = await asked(`${url}${path}`);
      const { back, cookie } = await cameBack(from);
      const done = await visit(back, cookie);
      expect(done.status).toBe(302);
      const code = new URL(done.headers.get("Location") ?? "").searchParams.get("code") ?? "";
      const { status, body } = await exchanged({
        grant_type: "authorization_code",
        client_id: clientId,
        code,
        code_verifier: from.verifier,
        redirect_uri: redirectUri,
      });
      expect(status).toBe(200);
      const [access = "", refresh = ""] = [body["access_token"], body["refresh_token"]];
      return { access, refresh };
    }

    const sample = async (token: string, path = `/v1/sampling/${slug}`) => {
      const method = "sampling/createMessage";
      const meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
      };
      const answer = await fetch(`${url}${path}`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${token}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          "MCP-Protocol-Version": "2026-07-28",
          "Mcp-Method": method,
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method,
          params: { ...asking("hello"), _meta: meta },
        }),
      });
      return { status: answer.status, text: await answer.text() };
    };

    const userOf = async (subject: unknown): Promise<{ id: string; keyId: string }> => {
      const found = await operator("POST", "/users", { subject });
      expect(found.status).toBe(200);
      return found.body as { id: string; keyId: string };
    };
    const dataOf = async (path: string) =>
      (await operator("GET", path)).get("data") as Record<string, unknown>[];

    it("signs in there, and shows no key", async () => {
      const page = await asked(`${url}/mcp/${slug}/notes`);
      expect(page.text).toContain(new URL(provider.url).host);
      expect(page.text).not.toContain('name="key"');
      const { key } = (await operator("POST", "/keys", { name: "k", scopes: ["proxy"] })).body as {
        key: string;
      };
      const refused = await decide(page, { decision: "allow", key });
      expect([refused.status, (await refused.text()).includes("sign in")]).toEqual([403, true]);
    });

    it("is charged under one name and one budget, directly and through a server", async () => {
      const subject = provider.claims["sub"];
      const direct = await givenToken(`/v1/sampling/${slug}`);
      const proxied = await givenToken(`/mcp/${slug}/notes`);
      expect((await sample(direct.access)).text).toContain('"result"');
      const client = new Client({ name: "v1", version: "1" });
      const headers = { Authorization: `Bearer ${proxied.access}` };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${url}/mcp/${slug}/notes`), {
          requestInit: { headers },
        }),
      );
      const sampling = {
        name: "trigger-sampling-request",
        arguments: { prompt: "hello", maxTokens: 20 },
      };
      expect((await client.callTool(sampling)).isError).not.toBe(true);
      const user = await userOf(subject);
      const own = (
        await operator("POST", "/keys", {
          name: "laptop",
          scopes: ["sampling"],
          userId: user.id,
        })
      ).body as { key: string };
      expect((await sample(own.key)).text).toContain('"result"');
      expect((await sample(direct.access)).text).toContain('"result"');
      // Four a day, whatever key or token the person comes with.
      for (const token of [direct.access, own.key])
        expect((await sample(token)).text).toContain("user.requestsPerDay");
      expect((await client.callTool(sampling)).isError).toBe(true);
      await client.close();

      const records = await dataOf(`/requests?user=${user.id}`);
      expect(records.length).toBeGreaterThanOrEqual(5);
      for (const { who } of records) expect(who).toMatchObject({ user: user.id });
      const { names } = (await operator("GET", `/requests?user=${user.id}`)).body as {
        names: Record<string, string>;
      };
      expect(names[user.id]).toBe("Canary Ann");
      const used = await dataOf("/usage?by=user");
      expect(used.find(({ group }) => group === user.id)).toMatchObject({ succeeded: 4 });
      expect(await dataOf(`/requests?user=usr_nobody`)).toEqual([]);
    });

    it("is let in by the values of the claim that the settings name, and by no others", async () => {
      provider.claims = { ...provider.claims, groups: ["visitors"] };
      const { back, cookie } = await cameBack(await asked(`${url}/mcp/${slug}/notes`));
      const refused = await visit(back, cookie);
      expect([refused.status, refused.headers.get("Location")]).toEqual([403, null]);
      expect(await refused.text()).toContain("give you this right");
    });

    it("connects an account of their own at the server, before the browser goes back to the program", async () => {
      const server = await startAuthorizationServer();
      try {
        server.clients.set("public", { secret: null, redirectUris: [`${url}/oauth/callback`] });
        const oauth = { grant: "authorization_code", clientId: "public", per: "user" };
        const entry = { slug: "guarded", url: server.mcpUrl, sampling: "router", oauth };
        expect((await operator("POST", "/servers", entry)).status).toBe(201);
        const path = `/mcp/${slug}/guarded`;
        const from = await asked(`${url}${path}`);
        const { back, cookie } = await cameBack(from);
        const onward = await visit(back, cookie);
        const page = await onward.text();
        expect([onward.status, page]).toEqual([
          200,
          expect.stringContaining("your own account at guarded"),
        ]);
        const to = (/href="([^"]+)"/.exec(page)?.[1] ?? "").replaceAll("&#38;", "&");
        const callback = await server.consent(to);
        const done = await visit(callback, cookiesIn(onward.headers));
        const text = (await done.text()).replaceAll("&#38;", "&");
        expect([done.status, text]).toEqual([200, expect.stringContaining("may now use")]);
        const location = /content="0;url=([^"]+)"/.exec(text)?.[1] ?? "";
        expect(location.startsWith(redirectUri)).toBe(true);
        const { body } = await exchanged({
          grant_type: "authorization_code",
          client_id: clientId,
          code: new URL(location).searchParams.get("code") ?? "",
          code_verifier: from.verifier,
          redirect_uri: redirectUri,
        });
        const access = body["access_token"] ?? "";
        const client = new Client({ name: "v1", version: "1" });
        await client.connect(
          new StreamableHTTPClientTransport(new URL(`${url}${path}`), {
            requestInit: { headers: { Authorization: `Bearer ${access}` } },
          }),
        );
        await client.close();
        expect(server.mcpCalls.length).toBeGreaterThan(0);
        for (const { authorization, headers } of server.mcpCalls) {
          // The router itself asks what a caller needs, without any.
          if (authorization === undefined) continue;
          expect(authorization).toMatch(/^Bearer access-/);
          expect(JSON.stringify(headers)).not.toContain(access);
        }
        // The account is connected: the next consent goes straight back.
        const next = await cameBack(await asked(`${url}${path}`));
        expect((await visit(next.back, next.cookie)).status).toBe(302);
      } finally {
        await server.stop();
      }
    });

    it("comes back in the browser that left, once", async () => {
      const { back, cookie } = await cameBack(await asked(`${url}/mcp/${slug}/notes`));
      expect((await visit(back, "")).status).toBe(400);
      const other = await cameBack(await asked(`${url}/mcp/${slug}/notes`));
      expect((await visit(back, other.cookie)).status).toBe(400);
      expect((await visit(back, cookie)).status).toBe(302);
      expect((await visit(back, cookie)).status).toBe(400);
    });

    it("is bound by the budgets of the groups that the provider names", async () => {
      const groups = { limits: { few: { requestsPerDay: 1 } } };
      expect((await operator("PATCH", "/policy", { groups })).status).toBe(200);
      provider.claims = { ...provider.claims, groups: ["team", "few"] };
      const { access } = await givenToken(`/v1/sampling/${slug}`);
      expect((await sample(access)).text).toContain('"result"');
      expect((await sample(access)).text).toContain("group.requestsPerDay");
      await operator("PATCH", "/policy", { groups: null });
    });

    it("decides in the console on no call of theirs", async () => {
      provider.claims = { sub: `decides-${people}`, groups: ["team"] };
      const roles = { roles: { team: "approver" } };
      expect((await operator("PUT", "/sign-in", signIn(roles))).status).toBe(200);
      const { access } = await givenToken(`/v1/sampling/${slug}`);
      const begun = await fetch(`${url}/console/single-sign-on?tenant=${slug}`, {
        method: "POST",
        headers: { Origin: url },
      });
      const back = await provider.visit(((await begun.json()) as { url: string }).url);
      const session = cookiesIn((await visit(back, cookiesIn(begun.headers))).headers);
      const shown = await visit(`${url}/console/session`, session);
      const { csrf } = (await shown.json()) as { csrf: string };
      await operator("PATCH", "/policy", { approval: { mode: "request" } });
      const waiting = sample(access);
      await expect.poll(async () => (await dataOf("/approvals")).length).toBe(1);
      const id = String((await dataOf("/approvals"))[0]?.["requestId"]);
      const held = await operator("GET", `/approvals/${id}`);
      const decision = { decision: "approve", contentHash: held.get("contentHash") };
      const headers = { cookie: session, Origin: url, "X-CSRF-Token": csrf };
      const own = await fetch(`${url}/admin/v1/tenants/${slug}/approvals/${id}`, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify(decision),
      });
      expect([own.status, await own.text()]).toEqual([
        403,
        expect.stringContaining("a person decides no request of a key of theirs") as string,
      ]);
      expect((await operator("POST", `/approvals/${id}`, decision)).status).toBe(200);
      expect((await waiting).text).toContain('"result"');
      await operator("PATCH", "/policy", { approval: null });
    });

    it("whose key is revoked is let in no more", async () => {
      const { access } = await givenToken(`/v1/sampling/${slug}`);
      const user = await userOf(provider.claims["sub"]);
      expect((await operator("DELETE", `/keys/${user.keyId}`)).status).toBe(204);
      const { back, cookie } = await cameBack(await asked(`${url}/v1/sampling/${slug}`));
      expect((await visit(back, cookie)).status).toBe(403);
      await expect
        .poll(async () => (await sample(access)).status, { timeout: patient(8_000) })
        .toBe(401);
    });

    it("is forgotten, with the name and everything that led to the person", async () => {
      const subject = "forget-canary-sub";
      provider.claims = { sub: subject, name: "Forget-Canary Ann", groups: ["team"] };
      const { access, refresh } = await givenToken(`/v1/sampling/${slug}`);
      expect((await sample(access)).text).toContain('"result"');
      const { id, keyId } = await userOf(subject);
      await operator("POST", "/keys", {
        name: "Forget-Canary laptop",
        scopes: ["sampling"],
        userId: id,
      });
      const exported = async () => {
        const headers = { Authorization: `Bearer ${world().router.adminToken}` };
        const at = `${url}/admin/v1/tenants/${slug}/requests/export`;
        return (await fetch(at, { headers })).text();
      };
      const before = await exported();
      expect(before).toContain(id);
      expect(await flawsIn(before)).toEqual([]);
      expect(before.toLowerCase()).not.toContain("forget-canary");

      expect((await operator("DELETE", `/users/${id}`)).status).toBe(204);
      expect((await operator("DELETE", `/users/${id}`)).status).toBe(404);
      const again = { grant_type: "refresh_token", client_id: clientId, refresh_token: refresh };
      expect((await exchanged(again)).body["error"]).toBe("invalid_grant");
      await expect
        .poll(async () => (await sample(access)).status, { timeout: patient(8_000) })
        .toBe(401);
      const grants = await dataOf("/grants?limit=200");
      expect(grants.filter((grant) => grant["keyId"] === keyId)).toEqual([]);

      // Records keep the id. It leads to nobody: the same person is another one from now on.
      const after = await exported();
      expect(after).toContain(id);
      expect([await flawsIn(before), await flawsIn(after)]).toEqual([[], []]);
      expect((await flawsIn(after.replaceAll(id, "usr_another"))).length).toBeGreaterThan(0);
      expect((await userOf(subject)).id).not.toBe(id);
      const everything = [
        ...(await Promise.all(
          ["/keys?limit=200", "/users", "/grants", "/requests?limit=200", "/usage?by=user"].map(
            async (path) => (await operator("GET", path)).text,
          ),
        )),
        (await adminOf({ url }, world().router.adminToken)("GET", "/events?limit=200")).text,
        world().router.output(),
      ];
      expect(everything.join("\n").toLowerCase()).not.toContain("forget-canary");
    });
  });
}
