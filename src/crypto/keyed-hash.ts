/** Hashes that only this deployment can make: HMAC-SHA-256 under a key derived from the master key. */
import { toBase64Url } from "./encoding.ts";

export type KeyedHash = (text: string) => Promise<string>;

/**
 * `master`: 32 bytes. `derivedFor` keeps the hashes of two purposes apart. A hash has 43 characters of
 * base64url.
 */
export async function createKeyedHash(deps: {
  master: Uint8Array<ArrayBuffer>;
  derivedFor: string;
}): Promise<KeyedHash> {
  const encoder = new TextEncoder();
  const base = await crypto.subtle.importKey("raw", deps.master, "HKDF", false, ["deriveKey"]);
  const info = encoder.encode(deps.derivedFor);
  const key = await crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
    base,
    { name: "HMAC", hash: "SHA-256", length: 256 },
    false,
    ["sign"],
  );
  return async (text) =>
    toBase64Url(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text))));
}
