/**
 * Standard Webhooks signatures: HMAC-SHA-256 of `<id>.<timestamp>.<body>` in base64. Source:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
const secretBytes = 32;
const prefix = "whsec_";
const encoder = new TextEncoder();

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

export const newWebhookSecret = (randomBytesOf: (count: number) => Uint8Array): string =>
  `${prefix}${toBase64(randomBytesOf(secretBytes))}`;

/** `v1,` and the signature. */
export async function signWebhook(secret: string, text: string): Promise<string> {
  const raw = Uint8Array.from(atob(secret.slice(prefix.length)), (each) => each.charCodeAt(0));
  const how = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", raw, how, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, encoder.encode(text));
  return `v1,${toBase64(new Uint8Array(signature))}`;
}
