/** An OAuth client of the router's in a world of addresses with fixed answers, in which nothing is asked of a network. */
import type { OauthContext, OauthClient, OauthRedirect } from "../../src/domain/servers/oauth.ts";
import { createOauth } from "../../src/oauth/client.ts";

export const now = 1_800_000_000_000;
export const client: OauthClient = {
  grant: "client_credentials",
  clientId: "client",
  hasSecret: true,
  tokenEndpoint: null,
  authorizationEndpoint: null,
  scope: null,
  resource: null,
};
export const asking: OauthContext = {
  url: "https://mcp.example.com/v1/mcp",
  client,
  clientSecret: "secret",
  registration: null,
  issuer: null,
  scopes: [],
};
export const redirect: OauthRedirect = {
  redirectUri: "https://router.example/oauth/callback",
  state: "s",
  describedAt: "https://router.example/oauth/client-metadata.json",
};
export const wellKnown = "https://mcp.example.com/.well-known/oauth-protected-resource";
export const issuer = "https://login.example.com";
export const metadataUrl = `${issuer}/.well-known/oauth-authorization-server`;
export const metadata = {
  issuer,
  token_endpoint: `${issuer}/token`,
  authorization_endpoint: `${issuer}/authorize`,
  code_challenge_methods_supported: ["S256"],
};
export const resource = { resource: asking.url, authorization_servers: [issuer] };
export const tokens = { access_token: "access", token_type: "bearer", expires_in: 60 };

export type Answer = object | (() => Response | Promise<Response>);

/** Addresses with their answers. All others answer 404. */
export function world(answers: Record<string, Answer>, allowPrivate = false) {
  const asked: { url: string; init: RequestInit }[] = [];
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = input as string;
    asked.push({ url, init });
    const answer = answers[url];
    if (answer === undefined) return new Response(null, { status: 404 });
    return typeof answer === "function" ? (answer as () => Response)() : Response.json(answer);
  };
  const oauth = createOauth({ fetch: send, allowPrivate, now: () => now });
  return { oauth, asked, urls: () => asked.map(({ url }) => url) };
}
