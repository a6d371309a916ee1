/** Documents that describe clients: strangers name them, and the router asks for them. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AuthorizationServer } from "../../../src/domain/ports/authorization-server.ts";
import { createPublicFetch } from "../../../src/node/public-fetch.ts";
import { authorizeUrl, cookiesIn, formRequest, pkce } from "../../fakes/oauth-client.ts";
import { createOwnAuthorizationServer, issuer } from "../../fakes/own-authorization-server.ts";

const clientId = "https://program.test/client.json";
const redirectUri = "https://program.test/callback";
const described = (change: object = {}): object => ({
  client_id: clientId,
  client_name: "A program",
  redirect_uris: [redirectUri],
  token_endpoint_auth_method: "none",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  ...change,
});

type Answer = (url: string, init: RequestInit) => Promise<Response>;
let asked: { url: string; init: RequestInit }[];
let answer: Answer;
let at: number;
beforeEach(() => {
  asked = [];
  answer = async () => Response.json(described());
  at = Date.now();
});
afterEach(() => void vi.useRealTimers());

const serverWith = (fetchDocument: typeof fetch): AuthorizationServer =>
  createOwnAuthorizationServer({
    fetch: async () => Promise.reject(new Error("no administrator named a document")),
    fetchPublic: fetchDocument,
    now: () => at,
  });

const server = (): AuthorizationServer =>
  serverWith((async (input: string, init: RequestInit = {}) => {
    asked.push({ url: input, init });
    return answer(input, init);
  }) as typeof fetch);

/** Opens the consent page of a client; what is wrong, if the page does not open. */
async function open(on: AuthorizationServer, change: Record<string, string> = {}) {
  const of = { clientId, resource: `${issuer}/mcp/acme/notes`, challenge: pkce().challenge };
  const url = authorizeUrl(issuer, { ...of, redirect_uri: redirectUri, ...change });
  return on.open(new Request(url));
}
const unreadableAt = (host: string) => ({
  ok: false,
  error: {
    kind: "page",
    detail: `This program describes itself in a document at ${host}, and the router can't read the document.`,
  },
});
const unreadable = unreadableAt("program.test");

describe("a document that describes a client", () => {
  it("names the client, and the domain stands for the client", async () => {
    const opened = await open(server());
    expect(opened).toMatchObject({
      ok: true,
      value: { facts: { clientName: "A program", clientDomain: "program.test", redirectUri } },
    });
    expect(new Set(asked.map(({ url }) => url))).toEqual(new Set([clientId]));
  });

  it("lets the client exchange a code", async () => {
    const on = server();
    const { verifier, challenge } = pkce();
    const opened = await open(on, { code_challenge: challenge });
    if (!opened.ok) throw new Error(JSON.stringify(opened.error));
    const { handle, headers } = opened.value;
    const form = new Request(`${issuer}/oauth/authorize`, {
      method: "POST",
      headers: { Cookie: cookiesIn(headers) },
    });
    const approved = await on.approve(form, handle);
    if (!approved.ok) throw new Error(JSON.stringify(approved.error));
    const holder = { tenantId: "ten_1", keyId: "key_1" };
    const done = await on.complete(approved.value, { holder, user: null });
    if (!done.ok) throw new Error(JSON.stringify(done.error));
    const fields = {
      grant_type: "authorization_code",
      client_id: clientId,
      code: new URL(done.value).searchParams.get("code") ?? "",
      code_verifier: verifier,
      redirect_uri: redirectUri,
    };
    const exchange = formRequest(`${issuer}/oauth/token`, fields);
    const answered = await on.token(exchange, new URLSearchParams(fields).toString());
    expect(answered.status).toBe(200);
  });

  it("has to say its own address", async () => {
    answer = async () => Response.json(described({ client_id: "https://other.test/client.json" }));
    expect(await open(server())).toEqual(unreadable);
  });

  it("lets nobody go on to an address that it does not list", async () => {
    const opened = await open(server(), { redirect_uri: "https://evil.test/callback" });
    expect(opened).toMatchObject({ ok: false, error: { kind: "page" } });
  });

  it("leads nowhere: a redirect is not followed", async () => {
    answer = async () =>
      new Response(null, { status: 302, headers: { Location: "https://program.test/other.json" } });
    expect(await open(server())).toEqual(unreadable);
    expect(asked.map(({ url, init }) => [url, init.redirect])).toEqual([[clientId, "manual"]]);
  });

  it("has 5 kB at most", async () => {
    const short = JSON.stringify(described());
    const isRead = async (size: number): Promise<boolean> => {
      const text = short + " ".repeat(size - short.length);
      answer = async () => new Response(text, { headers: { "Content-Type": "application/json" } });
      return (await open(server())).ok;
    };
    expect(await isRead(5 * 1_024)).toBe(true);
    expect(await isRead(5 * 1_024 + 1)).toBe(false);
  });

  it("that does not come within 10 s is given up", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    answer = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("aborted")));
      });
    const opening = open(server());
    let isOver = false;
    void opening.then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(9_999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await opening).toEqual(unreadable);
  });

  it.each([
    "https://127.0.0.1/client.json",
    "https://10.0.0.8/client.json",
    "https://169.254.169.254/client.json",
    "https://[::1]/client.json",
    "https://localhost/client.json",
    "https://printer.local/client.json",
  ])("at the private address %s is not asked for", async (private_) => {
    const opened = await open(server(), { client_id: private_ });
    expect(opened).toMatchObject({ ok: false, error: { kind: "page" } });
    expect(asked).toEqual([]);
  });

  it("does not name a private address for keys either", async () => {
    const jwksUri = "https://10.0.0.8/keys";
    const proven = { token_endpoint_auth_method: "private_key_jwt", jwks_uri: jwksUri };
    answer = async () => Response.json(described(proven));
    const on = server();
    expect((await open(on)).ok).toBe(true);
    const part = (value: object): string =>
      Buffer.from(JSON.stringify(value)).toString("base64url");
    const end = Math.floor(Date.now() / 1_000) + 60;
    const claims = { iss: clientId, sub: clientId, aud: issuer, exp: end, jti: "one" };
    const fields = {
      grant_type: "authorization_code",
      code: "x",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: `${part({ alg: "ES256" })}.${part(claims)}.AAAA`,
    };
    const exchange = formRequest(`${issuer}/oauth/token`, fields);
    const answered = await on.token(exchange, new URLSearchParams(fields).toString());
    expect(answered.status).toBe(401);
    expect(new Set(asked.map(({ url }) => url))).toEqual(new Set([clientId]));
  });

  it("whose public name leads to this machine now is not asked for there", async () => {
    const arrived: string[] = [];
    const inside = createServer((request, response) => {
      arrived.push(request.url ?? "");
      response.end("{}");
    }).on("connection", () => arrived.push("a connection"));
    await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
    const { port } = inside.address() as AddressInfo;
    const lookups: string[] = [];
    const publicly = createPublicFetch((hostname, _, found) => {
      lookups.push(hostname);
      found(null, [{ address: "127.0.0.1", family: 4 }]);
    });
    const named = `https://program.test:${port}/client.json`;
    const opened = await open(serverWith(publicly.fetch), { client_id: named });
    await publicly.close();
    inside.close();
    expect(opened).toEqual(unreadableAt(`program.test:${port}`));
    expect([lookups, arrived]).toEqual([["program.test"], []]);
  });

  it("is kept as long as its own headers say, and no longer", async () => {
    const said = { "Cache-Control": "max-age=60" };
    answer = async () => Response.json(described(), { headers: said });
    const on = server();
    for (const passed of [0, 59_000, 60_000]) {
      at += passed;
      expect((await open(on)).ok).toBe(true);
    }
    expect(asked).toHaveLength(2);
  });

  it.each([undefined, "no-store", "private, max-age=60", "max-age=0"])(
    "is not kept where its headers say %s",
    async (said) => {
      answer = async () =>
        Response.json(
          described(),
          said === undefined ? {} : { headers: { "Cache-Control": said } },
        );
      const on = server();
      expect((await open(on)).ok).toBe(true);
      const once = asked.length;
      expect((await open(on)).ok).toBe(true);
      expect(asked).toHaveLength(2 * once);
    },
  );
});
