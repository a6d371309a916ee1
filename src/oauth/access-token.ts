/** Verifies Cloudflare Access tokens by the team domain's keys, with one algorithm and by key id. */
import { customFetch } from "oauth4webapi";
import { isObject } from "../domain/json.ts";
import type { Claims, SignIn } from "../domain/tenancy/sign-in.ts";
import type { Exchange } from "./exchange.ts";

const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;
/** s of clock difference */
const slackSeconds = 30;
const maxCharacters = 16_384;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
    character.charCodeAt(0),
  );

function objectIn(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(
    new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(text)),
  );
  if (!isObject(value)) throw new Error("no object");
  return value;
}

async function keyNamed(exchange: Exchange, issuer: string, id: unknown): Promise<CryptoKey> {
  const url = new URL("/cdn-cgi/access/certs", issuer);
  const answer = await exchange.options[customFetch](url.href, { method: "GET", headers: {} });
  const body: unknown = answer.status === 200 ? await answer.json() : null;
  const keys: unknown = isObject(body) ? body["keys"] : null;
  const found = (Array.isArray(keys) ? keys : []).find(
    (key) => isObject(key) && key["kid"] === id && key["kty"] === "RSA",
  ) as JsonWebKey | undefined;
  if (found === undefined || typeof id !== "string") throw new Error("no such key");
  return crypto.subtle.importKey(
    "jwk",
    { kty: "RSA", n: found.n!, e: found.e! },
    algorithm,
    false,
    ["verify"],
  );
}

function isMeant(
  claims: Record<string, unknown>,
  { issuer, clientId }: SignIn,
  nowSeconds: number,
): boolean {
  const { iss, aud, exp, nbf = 0 } = claims;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return (
    iss === new URL(issuer).origin &&
    audiences.includes(clientId) &&
    typeof exp === "number" &&
    exp > nowSeconds - slackSeconds &&
    typeof nbf === "number" &&
    nbf < nowSeconds + slackSeconds
  );
}

/** Throws for invalid tokens. */
export const createAccessVerifier =
  ({ exchange, now }: { exchange: Exchange; now: () => number }) =>
  async (signIn: SignIn, token: string): Promise<Claims> => {
    const parts = token.split(".");
    const [head = "", body = "", signature = ""] = parts;
    if (parts.length !== 3 || token.length > maxCharacters) throw new Error("no token");
    const header = objectIn(head);
    if (header["alg"] !== "RS256" || "crit" in header) throw new Error("another algorithm");
    const key = await keyNamed(exchange, signIn.issuer, header["kid"]);
    const signed = new TextEncoder().encode(`${head}.${body}`);
    if (!(await crypto.subtle.verify(algorithm, key, bytesOf(signature), signed)))
      throw new Error("another signature");
    const claims = objectIn(body);
    if (!isMeant(claims, signIn, now() / 1_000)) throw new Error("for another audience");
    return claims as Claims;
  };
