/**
 * The router's own OAuth client, as the official conformance suite starts a client: the server's URL is the last
 * argument. Around the client stands what an administrator does: a registration, and the visit of a page.
 */
import { customFetch } from "oauth4webapi";
import type { OauthAsking, OauthClient, OauthGrant } from "../../src/domain/servers/oauth.ts";
import { createOauth } from "../../src/oauth/client.ts";
import { discover } from "../../src/oauth/discovery.ts";
import { createExchange } from "../../src/oauth/exchange.ts";

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
  clientId: "",
  hasSecret: false,
  tokenEndpoint: null,
  authorizationEndpoint: null,
  scope: null,
  resource: null,
};

/** What an administrator writes into a server's entry, who has registered the router by hand. */
async function registered(): Promise<OauthAsking> {
  const of = (clientId: string, clientSecret: string | null): OauthAsking => ({
    url,
    client: { ...entry, clientId, hasSecret: clientSecret !== null },
    clientSecret,
  });
  if (context.client_id !== undefined) return of(context.client_id, context.client_secret ?? null);
  const exchange = createExchange({ ...deps, idTokens: "drop" });
  const found = await discover(exchange, of("", null));
  if (!found.ok) return fail(`discovery: ${found.error}`);
  const { registration_endpoint: endpoint, client_id_metadata_document_supported: described } =
    found.value.as;
  if (described === true) return of(describedAt, null);
  if (endpoint === undefined) return fail("no registration");
  const answer = await exchange.options[customFetch](endpoint, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      client_name: "Sampling Router",
      application_type: "web",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    }),
  });
  const body = (await answer.json()) as { client_id: string; client_secret?: string };
  return of(body.client_id, body.client_secret ?? null);
}

async function granted(asking: OauthAsking): Promise<OauthGrant> {
  const byItself = process.env["MCP_CONFORMANCE_SCENARIO"]?.startsWith("auth/client-credentials");
  if (byItself === true) {
    const grant = await oauth.byClientCredentials(asking);
    return grant.ok ? grant.value : fail(`client credentials: ${grant.error}`);
  }
  const state = crypto.randomUUID();
  const begun = await oauth.begin(asking, { redirectUri, state });
  if (!begun.ok) return fail(`begin: ${begun.error}`);
  const { authorizationUrl, pending } = begun.value;
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

await call(null, ...hello);
const asking = await registered();
const grant = await granted(asking);
const answer = await call(grant.accessToken, ...hello);
if (!answer.ok) fail(`the server answered ${answer.status}`);
await call(grant.accessToken, "tools/list", {});
