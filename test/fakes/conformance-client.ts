/**
 * The router's own OAuth client, as the official conformance suite starts a client: the server's URL is the last
 * argument. Around the client stands what the router keeps, and the person who visits a page.
 */
import { bearerChallengeIn, scopesOfBoth } from "../../src/domain/servers/bearer-challenge.ts";
import type { OauthContext, OauthClient, OauthGrant } from "../../src/domain/servers/oauth.ts";
import { createOauth } from "../../src/oauth/client.ts";

const url = process.argv.at(-1) ?? "";
const revision = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] ?? "2025-11-25";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as {
  client_id?: string;
  client_secret?: string;
};
/** The address of the document that the suite knows a client by. */
const describedAt = "https://conformance-test.local/client-metadata.json";
const redirectUri = "http://localhost:3999/oauth/callback";
const deps = { fetch, allowPrivate: true, now: Date.now };
const oauth = createOauth(deps);

/** Ends the program: the suite takes that for a client that refuses. */
function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

// Of the suite's other scenarios none is about OAuth.
if (process.env["MCP_CONFORMANCE_SCENARIO"]?.startsWith("auth/") !== true)
  fail("not an OAuth client");

const entry: OauthClient = {
  grant: "authorization_code",
  clientId: null,
  hasSecret: false,
  tokenEndpoint: null,
  authorizationEndpoint: null,
  scope: null,
  resource: null,
};

/** What the router keeps of a server between two authorizations. */
let asking: OauthContext = {
  url,
  client: {
    ...entry,
    clientId: context.client_id ?? null,
    hasSecret: context.client_secret !== undefined,
  },
  clientSecret: context.client_secret ?? null,
  registration: null,
  issuer: null,
  scopes: [],
};

async function granted(): Promise<OauthGrant> {
  const byItself = process.env["MCP_CONFORMANCE_SCENARIO"]?.startsWith("auth/client-credentials");
  if (byItself === true) {
    const grant = await oauth.byClientCredentials(asking);
    return grant.ok ? grant.value : fail(`client credentials: ${grant.error}`);
  }
  const state = crypto.randomUUID();
  const begun = await oauth.begin(asking, { redirectUri, state, describedAt });
  if (!begun.ok) return fail(`begin: ${begun.error}`);
  const { authorizationUrl, pending, registration } = begun.value;
  asking = { ...asking, registration: registration ?? asking.registration };
  const page = await fetch(authorizationUrl, { redirect: "manual" });
  const back = page.headers.get("Location") ?? fail(`the page answered ${page.status}`);
  const grant = await oauth.finish(asking, { pending, state, query: new URL(back).search });
  return grant.ok ? grant.value : fail(`finish: ${grant.error}`);
}

let messages = 0;
async function call(token: string | null, method: string, params: object): Promise<Response> {
  const isModern = revision === "2026-07-28";
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "router", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": revision,
      ...(isModern && { "Mcp-Method": method }),
      ...(token !== null && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: (messages += 1),
      method,
      params: { ...params, ...(isModern && { _meta: envelope }) },
    }),
  });
  await answer.text();
  return answer;
}

const hello: [method: string, params: object] =
  revision === "2026-07-28"
    ? ["tools/list", {}]
    : [
        "initialize",
        {
          protocolVersion: revision,
          capabilities: {},
          clientInfo: { name: "router", version: "1" },
        },
      ];

let grant: OauthGrant | null = null;

/** One message, with what the router does where the server refuses it: each authorization brings something new. */
async function say(method: string, params: object): Promise<void> {
  for (;;) {
    const answer = await call(grant?.accessToken ?? null, method, params);
    if (answer.ok) return;
    const { scopes } = bearerChallengeIn(answer.headers.get("WWW-Authenticate"));
    const missing = scopes?.filter((each) => grant?.scopes?.includes(each) !== true) ?? [];
    const mayAsk = answer.status === 401 || (answer.status === 403 && missing.length > 0);
    if (!mayAsk) return fail(`the server answered ${answer.status}`);
    if (answer.status === 403) asking = { ...asking, scopes: scopesOfBoth(asking.scopes, missing) };
    if (answer.status === 401 && refusals++ > 1) return fail("the server lets nobody in");
    grant = await granted();
  }
}
let refusals = 0;

await call(null, ...hello);
grant = await granted();
await say(...hello);
await say("tools/list", {});
await say("tools/call", { name: "test-tool", arguments: {} });
