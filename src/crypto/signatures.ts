/** Ed25519 signatures of the audit chain. The private key is derived from MASTER_KEY and never stored. */
import type { AuditKey, Signer, VerifySignature } from "../domain/audit/seals.ts";
import { fromBase64Url, toBase64Url, toHex } from "./encoding.ts";
import { sha256 } from "./hashes.ts";

const seedBits = 256;
const keyIdCharacters = 16;
/** RFC 8410, section 7: PKCS #8 header of a 32-byte Ed25519 seed. */
const pkcs8Head = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];

interface Pair {
  key: AuditKey;
  secret: CryptoKey;
}

export const auditKeyId = async (publicKey: Uint8Array<ArrayBuffer>): Promise<string> =>
  toHex(await sha256(publicKey)).slice(0, keyIdCharacters);

/** @param publicKey base64url @returns null if malformed */
export async function idOfPublicKey(publicKey: string): Promise<string | null> {
  const raw = fromBase64Url(publicKey);
  return raw === null ? null : auditKeyId(raw);
}

async function pairOf(master: Uint8Array<ArrayBuffer>): Promise<Pair> {
  const base = await crypto.subtle.importKey("raw", master, "HKDF", false, ["deriveBits"]);
  const seed = await crypto.subtle.deriveBits(
    {
      name: "HKDF",
      hash: "SHA-256",
      salt: new Uint8Array(),
      info: new TextEncoder().encode("sampling-router/audit/v1"),
    },
    base,
    seedBits,
  );
  const encoded = new Uint8Array([...pkcs8Head, ...new Uint8Array(seed)]);
  // WebCrypto only reveals the public key by exporting the private one.
  const open = await crypto.subtle.importKey("pkcs8", encoded, "Ed25519", true, ["sign"]);
  const { x = "" } = await crypto.subtle.exportKey("jwk", open);
  const raw = fromBase64Url(x) ?? new Uint8Array();
  return {
    key: { id: await auditKeyId(raw), publicKey: x },
    secret: await crypto.subtle.importKey("pkcs8", encoded, "Ed25519", false, ["sign"]),
  };
}

/** @param deps `master`, `previous`: 32 bytes */
export async function createSigner(deps: {
  master: Uint8Array<ArrayBuffer>;
  previous: Uint8Array<ArrayBuffer> | null;
}): Promise<Signer> {
  const { key, secret } = await pairOf(deps.master);
  const older = deps.previous === null ? [] : [(await pairOf(deps.previous)).key];
  return {
    key,
    keys: [key, ...older],
    async sign(text) {
      const signed = await crypto.subtle.sign("Ed25519", secret, new TextEncoder().encode(text));
      return toBase64Url(new Uint8Array(signed));
    },
  };
}

/** Never throws. */
export const verifySignature: VerifySignature = async (key, { text, signature }) => {
  const raw = fromBase64Url(key.publicKey);
  const bytes = fromBase64Url(signature);
  if (raw === null || bytes === null) return false;
  try {
    const imported = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", imported, bytes, new TextEncoder().encode(text));
  } catch {
    return false;
  }
};
