/**
 * Seals with AES-256-GCM, a fresh 96-bit random nonce each, bound to what it was sealed for. A seal
 * reads `v1.<key id>.<nonce>.<ciphertext>`; the key id lets MASTER_KEY rotate while the previous one
 * still opens. Never logs, and never says more than "unopenable".
 */
import { err, ok } from "../domain/result.ts";
import type { SealedFor, Vault } from "../domain/ports.ts";
import { fromBase64Url, sha256, toBase64Url, toHex } from "./encoding.ts";

const nonceBytes = 12;
const keyIdCharacters = 12;

interface RingKey {
  id: string;
  key: CryptoKey;
}

async function ringKeyOf(master: Uint8Array<ArrayBuffer>, info: string): Promise<RingKey> {
  const base = await crypto.subtle.importKey("raw", master, "HKDF", false, ["deriveKey"]);
  const key = await crypto.subtle.deriveKey(
    {
      name: "HKDF",
      hash: "SHA-256",
      salt: new Uint8Array(),
      info: new TextEncoder().encode(info),
    },
    base,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
  return { id: toHex(await sha256(master)).slice(0, keyIdCharacters), key };
}

/** Unambiguous: JSON quotes what would otherwise run into its neighbour. */
const boundTo = ({ purpose, tenantId, provider, id }: SealedFor): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify([purpose, tenantId, provider, id]));

/** `master` and `previous`: 32 bytes each. `derivedFor` separates the keys of vaults made of the same. */
export async function createVault(deps: {
  master: Uint8Array<ArrayBuffer>;
  previous: Uint8Array<ArrayBuffer> | null;
  randomBytesOf: (count: number) => Uint8Array<ArrayBuffer>;
  derivedFor?: string;
}): Promise<Vault> {
  const info = deps.derivedFor ?? "sampling-router/vault/v1";
  const current = await ringKeyOf(deps.master, info);
  const ring = new Map([[current.id, current.key]]);
  if (deps.previous !== null) {
    const previous = await ringKeyOf(deps.previous, info);
    ring.set(previous.id, previous.key);
  }
  const sealPrefix = `v1.${current.id}.`;
  return {
    sealPrefix,
    async seal(plain, context) {
      const iv = deps.randomBytesOf(nonceBytes);
      const sealed = await crypto.subtle.encrypt(
        { name: "AES-GCM", iv, additionalData: boundTo(context) },
        current.key,
        new TextEncoder().encode(plain),
      );
      return `${sealPrefix}${toBase64Url(iv)}.${toBase64Url(new Uint8Array(sealed))}`;
    },
    async open(sealed, context) {
      const [version, keyId, nonce, text, ...more] = sealed.split(".");
      const key = ring.get(keyId ?? "");
      const iv = fromBase64Url(nonce ?? "");
      const bytes = fromBase64Url(text ?? "");
      if (version !== "v1" || more.length > 0) return err("unopenable");
      if (key === undefined || iv?.length !== nonceBytes || bytes === null)
        return err("unopenable");
      try {
        const plain = await crypto.subtle.decrypt(
          { name: "AES-GCM", iv, additionalData: boundTo(context) },
          key,
          bytes,
        );
        // A byte order mark at the beginning belongs to the text, too.
        return ok(new TextDecoder("utf-8", { ignoreBOM: true }).decode(plain));
      } catch {
        return err("unopenable");
      }
    },
  };
}
