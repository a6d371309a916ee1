/** Programs that register themselves: anybody may, so what nobody uses lasts an hour and makes way. */
import { beforeEach, describe, expect, it } from "vitest";
import {
  authorizeUrl,
  cookiesIn,
  formRequest,
  pkce,
  redirectUri,
  registration,
  registrationRequest,
} from "../../fakes/oauth-client.ts";
import { createOwnAuthorizationServer, issuer } from "../../fakes/own-authorization-server.ts";

const resource = `${issuer}/mcp/acme/notes`;
const holder = { tenantId: "ten_1", keyId: "key_1" };
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let at: number;
let server: ReturnType<typeof started>;
const started = () => createOwnAuthorizationServer({ now: () => at, max: 3 });
beforeEach(() => {
  at = Date.now();
  server = started();
});

interface Registered {
  client_id: string;
  client_secret?: string;
  client_secret_expires_at?: number;
  client_id_issued_at: number;
}

async function register(change: object = {}) {
  at += 1_000;
  const of = { ...registration, ...change };
  const answer = await server.register(registrationRequest(issuer, change), JSON.stringify(of));
  return { status: answer.status, body: (await answer.json()) as Registered & { error?: string } };
}
const registered = async (change: object = {}): Promise<Registered> => {
  const { status, body } = await register(change);
  expect(status).toBe(201);
  return body;
};

async function ask(fields: Record<string, string>) {
  const request = formRequest(`${issuer}/oauth/token`, fields);
  const answer = await server.token(request, new URLSearchParams(fields).toString());
  const text = await answer.text();
  return {
    status: answer.status,
    body: JSON.parse(text === "" ? "{}" : text) as Record<string, string>,
  };
}

const secretOf = ({ client_secret: secret }: Registered): Record<string, string> =>
  secret === undefined ? {} : { client_secret: secret };

async function open({ client_id: clientId }: Registered, change: Record<string, string> = {}) {
  const { verifier, challenge } = pkce();
  const asked = authorizeUrl(issuer, { clientId, resource, challenge, ...change });
  return { verifier, opened: await server.open(new Request(asked)) };
}

const isKnown = async (client: Registered): Promise<boolean> => (await open(client)).opened.ok;

/** A person lets the program in, and it exchanges the code. */
async function use(client: Registered) {
  const { verifier, opened } = await open(client);
  if (!opened.ok) throw new Error(JSON.stringify(opened.error));
  const { handle, headers } = opened.value;
  const consent = new Request(`${issuer}/oauth/authorize`, {
    method: "POST",
    headers: { Cookie: cookiesIn(headers) },
  });
  const approved = await server.approve(consent, handle);
  if (!approved.ok) throw new Error(JSON.stringify(approved.error));
  const done = await server.complete(approved.value, { holder, user: null });
  if (!done.ok) throw new Error(JSON.stringify(done.error));
  const { status } = await ask({
    grant_type: "authorization_code",
    client_id: client.client_id,
    ...secretOf(client),
    code: new URL(done.value).searchParams.get("code") ?? "",
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });
  expect(status).toBe(200);
}

describe("a registration", () => {
  it("that nobody uses is forgotten after an hour", async () => {
    const client = await registered();
    at += hourMs - 1_000;
    expect(await isKnown(client)).toBe(true);
    at += 1_000;
    expect(await isKnown(client)).toBe(false);
  });

  it("lasts 90 days from a token on", async () => {
    const client = await registered();
    await use(client);
    at += 89 * dayMs;
    expect(await isKnown(client)).toBe(true);
    at += 2 * dayMs;
    expect(await isKnown(client)).toBe(false);
  });

  it("is not kept by requests that give no token", async () => {
    const client = await registered();
    at += hourMs - 10_000;
    expect((await ask({ client_id: client.client_id, token: "ten_1.key_1:a:b" })).status).toBe(200);
    expect((await ask({ client_id: client.client_id, token: "x", grant_type: "" })).status).toBe(
      200,
    );
    const wrong = { grant_type: "authorization_code", code: "ten_1.key_1:a:b" };
    expect((await ask({ client_id: client.client_id, ...wrong })).status).toBe(400);
    at += 10_000;
    expect(await isKnown(client)).toBe(false);
  });

  it("has a secret that lasts as long as a used one does", async () => {
    const secret = await registered({ token_endpoint_auth_method: "client_secret_post" });
    const { client_secret_expires_at: end = 0, client_id_issued_at: start } = secret;
    expect(end - start).toBe(90 * 86_400);
    expect(await registered()).not.toHaveProperty("client_secret_expires_at");
  });

  it("takes the place of the oldest that nobody uses", async () => {
    const [first, second, third] = [await registered(), await registered(), await registered()];
    await use(first);
    const fourth = await registered();
    const known = await Promise.all([first, second, third, fourth].map(isKnown));
    expect(known).toEqual([true, false, true, true]);
  });

  it("is refused where all are in use", async () => {
    for (let count = 0; count < 3; count += 1) await use(await registered());
    expect(await register()).toMatchObject({ status: 503 });
    at += 46 * dayMs;
    expect(await register()).toMatchObject({ status: 503 });
  });

  it.each([
    ["a redirect of 2,049 characters", [`https://a.test/${"x".repeat(2_034)}`]],
    ["a redirect of many dots", [`https://x${".".repeat(10_000)}y/`]],
    ["65 redirects", Array.from({ length: 65 }, (_, index) => `https://a.test/${index}`)],
  ])("with %s is refused", async (_, redirect_uris) => {
    expect(await register({ redirect_uris })).toMatchObject({
      status: 400,
      body: { error: "invalid_redirect_uri" },
    });
  });
});

describe("a consent page", () => {
  it("takes the place of the one that was opened first, so that nobody can shut them", async () => {
    const client = await registered();
    const opened = [];
    for (let count = 0; count < 4; count += 1) {
      at += 1_000;
      opened.push((await open(client)).opened);
    }
    const statuses = [];
    for (const each of opened) {
      if (!each.ok) throw new Error(JSON.stringify(each.error));
      const headers = { Cookie: cookiesIn(each.value.headers) };
      const form = new Request(`${issuer}/oauth/authorize`, { method: "POST", headers });
      statuses.push((await server.approve(form, each.value.handle)).ok);
    }
    expect(statuses).toEqual([false, true, true, true]);
  });

  it("asks for PKCE, also of a client that has a secret", async () => {
    const client = await registered({ token_endpoint_auth_method: "client_secret_basic" });
    expect((await open(client)).opened.ok).toBe(true);
    const without = new URL(
      authorizeUrl(issuer, { clientId: client.client_id, resource, challenge: "" }),
    );
    for (const name of ["code_challenge", "code_challenge_method"])
      without.searchParams.delete(name);
    const plain = new URL(without);
    plain.searchParams.set("code_challenge", "short");
    plain.searchParams.set("code_challenge_method", "S256");
    for (const asked of [without, plain])
      expect(await server.open(new Request(asked))).toMatchObject({
        ok: false,
        error: { kind: "redirect", to: expect.stringContaining("error=invalid_request") as string },
      });
  });

  it("shows a name without what nobody sees, and without a change of direction", async () => {
    const nameOf = async (client_name: string): Promise<string | null> => {
      server = started();
      const { opened } = await open(await registered({ client_name }));
      return opened.ok ? opened.value.facts.clientName : null;
    };
    expect(await nameOf("Cla\u200Bude\u2060 \u202Etcennoc\u202C")).toBe("Claude tcennoc");
    expect(await nameOf("A\u3164\u00A0\u2003 B\uFEFF\u0000\u2066\u{E0041}")).toBe("A B");
    expect(await nameOf("Café 日本語 עברית")).toBe("Café 日本語 עברית");
    expect(await nameOf("\u200B\u202E\u2800")).toMatch(/^[A-Za-z0-9_-]{16}$/);
  });
});
