/**
 * An OpenID Connect provider on loopback, as OpenID Connect Core 1.0 has it: discovery, PKCE, codes good once, signed ID
 * tokens. It also answers like Cloudflare Access. Its claims and its tokens can be bent.
 */
import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Json = Record<string, unknown>;

export interface IdentityProvider {
  url: string;
  /** claims of the next person who signs in */
  claims: Json;
  /** replaced in the next ID tokens; a member that is undefined is left out */
  bend: Json;
  /** of the next ID tokens */
  algorithm: "RS256" | "none" | "stranger";
  /** whether refresh tokens are given, and taken */
  refreshes: "yes" | "no" | "down";
  /** As a person's browser: follows the authorization URL, and gives the address that it is sent back to. */
  visit(authorizationUrl: string): Promise<string>;
  /** A token as Cloudflare Access makes one. */
  assertion(claims: Json): string;
  stop(): Promise<void>;
}

const base64url = (value: string | Buffer): string => Buffer.from(value).toString("base64url");
const clientId = "router";
export const clientSecret = "the-client's-secret";

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const codes = new Map<
    string,
    { challenge: string; redirectUri: string; scope: string; claims: Json }
  >();
  const sign = (claims: Json): string => {
    const alg = provider.algorithm === "none" ? "none" : "RS256";
    const text = `${base64url(JSON.stringify({ alg, kid: "one" }))}.${base64url(JSON.stringify(claims))}`;
    if (alg === "none") return `${text}.`;
    const { privateKey } = provider.algorithm === "stranger" ? stranger : keys;
    return `${text}.${createSign("RSA-SHA256").update(text).sign(privateKey).toString("base64url")}`;
  };
  const jwks = () => ({
    keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }],
  });
  const tokensFor = (form: URLSearchParams): Json | null => {
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (code?.challenge !== challenge || code.redirectUri !== form.get("redirect_uri")) return null;
    const id_token = sign({ ...code.claims, ...provider.bend });
    const isLasting = provider.refreshes !== "no" && code.scope.includes("offline_access");
    return {
      access_token: randomBytes(8).toString("hex"),
      token_type: "Bearer",
      id_token,
      ...(isLasting && { refresh_token: newRefreshToken({ ...code.claims, nonce: undefined }) }),
    };
  };
  /** Each is good once, for the person as the provider knows the person then. */
  const refreshTokens = new Map<string, Json>();
  const newRefreshToken = (claims: Json): string => {
    const token = randomBytes(16).toString("hex");
    refreshTokens.set(token, claims);
    return token;
  };
  const refreshed = (form: URLSearchParams): Json | null => {
    const token = form.get("refresh_token") ?? "";
    const claims = refreshTokens.get(token);
    refreshTokens.delete(token);
    if (claims === undefined || provider.refreshes === "no") return null;
    const now = Math.floor(Date.now() / 1_000);
    const { iss, aud, sub } = claims;
    const said = { ...provider.claims, iss, aud, sub, iat: now, exp: now + 60 };
    return {
      access_token: randomBytes(8).toString("hex"),
      token_type: "Bearer",
      id_token: sign({ ...said, ...provider.bend }),
      refresh_token: newRefreshToken(claims),
    };
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", provider.url);
    const answer = (body: Json, status = 200): void =>
      void response
        .writeHead(status, { "Content-Type": "application/json" })
        .end(JSON.stringify(body));
    if (pathname === "/.well-known/openid-configuration")
      return answer({
        issuer: provider.url,
        authorization_endpoint: `${provider.url}/authorize`,
        token_endpoint: `${provider.url}/token`,
        jwks_uri: `${provider.url}/jwks`,
        response_types_supported: ["code"],
        scopes_supported: ["openid", "email", "offline_access"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
        authorization_response_iss_parameter_supported: true,
      });
    if (pathname === "/jwks" || pathname === "/cdn-cgi/access/certs") return answer(jwks());
    if (pathname === "/authorize") {
      const code = randomBytes(16).toString("hex");
      const redirectUri = searchParams.get("redirect_uri") ?? "";
      const now = Math.floor(Date.now() / 1_000);
      codes.set(code, {
        challenge: searchParams.get("code_challenge") ?? "",
        redirectUri,
        scope: searchParams.get("scope") ?? "",
        claims: {
          iss: provider.url,
          aud: searchParams.get("client_id"),
          iat: now,
          exp: now + 60,
          nonce: searchParams.get("nonce"),
          ...provider.claims,
        },
      });
      const back = new URL(redirectUri);
      back.searchParams.set("code", code);
      back.searchParams.set("state", searchParams.get("state") ?? "");
      back.searchParams.set("iss", provider.url);
      return void response.writeHead(302, { Location: back.href }).end();
    }
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.once("end", () => {
      const basic = `Basic ${Buffer.from(`${clientId}:${encodeURIComponent(clientSecret)}`).toString("base64")}`;
      const decoded = decodeURIComponent(
        Buffer.from(request.headers.authorization?.slice(6) ?? "", "base64").toString(),
      );
      if (decoded !== `${clientId}:${clientSecret}` && request.headers.authorization !== basic)
        return answer({ error: "invalid_client" }, 401);
      if (provider.refreshes === "down") return answer({ error: "server_error" }, 500);
      const form = new URLSearchParams(body);
      const isRefresh = form.get("grant_type") === "refresh_token";
      const tokens = isRefresh ? refreshed(form) : tokensFor(form);
      return tokens === null ? answer({ error: "invalid_grant" }, 400) : answer(tokens);
    });
  });
  const provider: IdentityProvider = {
    url: "",
    claims: {},
    bend: {},
    algorithm: "RS256",
    refreshes: "yes",
    async visit(authorizationUrl) {
      const answer = await fetch(authorizationUrl, { redirect: "manual" });
      return answer.headers.get("location") ?? "";
    },
    assertion: (claims) => sign(claims),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return provider;
}
