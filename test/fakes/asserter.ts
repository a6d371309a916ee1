/** An identity provider that signs identity assertions for programs (ID-JAG). Its claims and headers can be bent. */
import { assertionGrant } from "../../src/oauth/provider/assertions.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256" } as const;
const signing = { name: "ECDSA", hash: "SHA-256" } as const;

const base64url = (bytes: Uint8Array | string): string =>
  btoa(typeof bytes === "string" ? bytes : String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

export interface Asserter {
  issuer: string;
  keysAt: string;
  /** what stands at `keysAt` */
  keys: object;
  /** @param change of the claims; a member that is undefined is left out */
  assertion(change?: object, header?: object): Promise<string>;
}

export async function createAsserter(of: {
  issuer: string;
  audience: string;
  resource: string;
}): Promise<Asserter> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, [
    "sign",
    "verify",
  ]);
  const key = await crypto.subtle.exportKey("jwk", publicKey);
  const { issuer, audience, resource } = of;
  return {
    issuer,
    keysAt: `${issuer}/keys`,
    keys: { keys: [{ ...key, kid: "one", alg: "ES256", use: "sig", key_ops: ["verify"] }] },
    async assertion(change = {}, header = {}) {
      const now = Math.floor(Date.now() / 1_000);
      const claims = {
        iss: issuer,
        sub: "ann",
        aud: audience,
        resource,
        jti: crypto.randomUUID(),
        iat: now,
        exp: now + 60,
        ...change,
      };
      const head = { alg: "ES256", typ: "oauth-id-jag+jwt", kid: "one", ...header };
      const text = `${base64url(JSON.stringify(head))}.${base64url(JSON.stringify(claims))}`;
      const signature = await crypto.subtle.sign(
        signing,
        privateKey,
        new TextEncoder().encode(text),
      );
      return `${text}.${base64url(new Uint8Array(signature))}`;
    },
  };
}

export const assertionFields = (
  client: { client_id: string; client_secret?: string },
  assertion: string,
): Record<string, string> => ({ grant_type: assertionGrant, assertion, ...client });
