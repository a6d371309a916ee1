/**
 * One of several processes of a client that share one set of tokens. The SDK's own code refreshes. Each line on stdin
 * is a round: the tokens to begin with, or nothing to go on with its own. Each line on stdout is what became of it.
 */
import { createInterface } from "node:readline";
import { auth, type OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { redirectUri, registration } from "../fakes/oauth-client.ts";

const [resource = "", clientId = ""] = process.argv.slice(2);
let tokens: OAuthTokens | undefined;

const provider: OAuthClientProvider = {
  redirectUrl: redirectUri,
  clientMetadata: registration,
  clientInformation: () => ({ client_id: clientId }),
  tokens: () => tokens,
  saveTokens: (given) => void (tokens = given),
  redirectToAuthorization() {
    throw new Error("A person would be sent to the consent page.");
  },
  saveCodeVerifier() {},
  codeVerifier: () => "",
};

async function refreshed(): Promise<string> {
  const before = tokens?.refresh_token;
  await auth(provider, { serverUrl: resource });
  if (tokens?.refresh_token === before) return "The refresh token is the old one.";
  const client = new Client({ name: "one of eight", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(resource), { authProvider: provider }),
  );
  const { tools } = await client.listTools();
  await client.close();
  return tools.length > 0 ? "connected" : "The server has no tools.";
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line !== "") tokens = JSON.parse(line) as OAuthTokens;
  const said = await refreshed().catch((thrown: unknown) => String(thrown));
  process.stdout.write(`${said.replaceAll("\n", " ")}\n`);
}
