/** Assertions of Google's service accounts: JWTs signed with RS256. */
import type { ServiceAccount } from "../domain/models/cloud-place.ts";

const scope = "https://www.googleapis.com/auth/cloud-platform";
/** Google's maximum. */
const lifeSeconds = 3_600;
const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;

const encoded = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
const partOf = (value: object): string => encoded(new TextEncoder().encode(JSON.stringify(value)));

const pkcs8Of = (pem: string): Uint8Array<ArrayBuffer> => {
  const base64 = pem.replaceAll(/-----[A-Z ]+-----|\s/g, "");
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
};

/** `null` if the key isn't an RSA key. */
export async function signedAssertion(
  { clientEmail, privateKeyId, privateKey }: ServiceAccount,
  { audience, now }: { audience: string; now: number },
): Promise<string | null> {
  const issuedAt = Math.floor(now / 1_000);
  const header = { alg: "RS256", typ: "JWT", kid: privateKeyId };
  const claims = {
    iss: clientEmail,
    scope,
    aud: audience,
    iat: issuedAt,
    exp: issuedAt + lifeSeconds,
  };
  const text = `${partOf(header)}.${partOf(claims)}`;
  try {
    const pkcs8 = pkcs8Of(privateKey);
    const key = await crypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]);
    const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(text));
    return `${text}.${encoded(new Uint8Array(signature))}`;
  } catch {
    return null;
  }
}
