/**
 * Seals secrets with AES-256-GCM and a fresh random nonce of 96 bits. A seal is bound to what the
 * secret is for, and to where it may be sent.
 *
 * A seal reads `v2.<key id>.<nonce>.<ciphertext>`. The key id lets MASTER_KEY rotate while the previous
 * key still opens. Seals of version 1 don't name where the secret may be sent, so they count only as
 * long as `versions` says so. The vault never logs, and its only error is "unopenable".
 */
import { err, ok } from "../domain/result.ts";
import type { SealVersions, SealedFor, Vault } from "../domain/ports/stores.ts";
import { fromBase64Url, toBase64Url } from "./encoding.ts";
import { masterKeyId } from "./master-key-id.ts";

const nonceBytes = 12;

/** The keys that open seals. The first key makes new ones. */
export interface VaultKeys {
  current: { id: string; key: CryptoKey };
  ring: ReadonlyMap<string, CryptoKey>;
}

async function keyOf(master: Uint8Array<ArrayBuffer>, info: string): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", master, "HKDF", false, ["deriveKey"]);
  return crypto.subtle.deriveKey(
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
}

/**
 * `master` and `previous`: 32 bytes each. `derivedFor` separates the keys of two vaults that share a
 * master key.
 */
export async function createVaultKeys(deps: {
  master: Uint8Array<ArrayBuffer>;
  previous: Uint8Array<ArrayBuffer> | null;
  derivedFor?: string;
}): Promise<VaultKeys> {
  const info = deps.derivedFor ?? "sampling-router/vault/v1";
  const current = { id: await masterKeyId(deps.master), key: await keyOf(deps.master, info) };
  const ring = new Map([[current.id, current.key]]);
  if (deps.previous !== null)
    ring.set(await masterKeyId(deps.previous), await keyOf(deps.previous, info));
  return { current, ring };
}

/**
 * JSON quotes each part, so no part can run into its neighbour. No context of version 1 is one of
 * version 2.
 */
function boundTo(version: 1 | 2, context: SealedFor): Uint8Array<ArrayBuffer> {
  const { purpose, tenantId, provider, id, destination } = context;
  const first = [purpose, tenantId, provider, id];
  const bound = version === 1 ? first : ["v2", ...first, destination];
  return new TextEncoder().encode(JSON.stringify(bound));
}

const secondAlone: SealVersions = {
  written: async () => 2,
  acceptsFirst: async () => false,
  opened: () => {},
};

export function vaultOf(deps: {
  keys: VaultKeys;
  randomBytesOf: (count: number) => Uint8Array<ArrayBuffer>;
  versions?: SealVersions;
}): Vault {
  const { current, ring } = deps.keys;
  const versions = deps.versions ?? secondAlone;
  return {
    sealPrefix: `v2.${current.id}.`,
    async seal(plain, context) {
      const version = await versions.written();
      const iv = deps.randomBytesOf(nonceBytes);
      const sealed = await crypto.subtle.encrypt(
        { name: "AES-GCM", iv, additionalData: boundTo(version, context) },
        current.key,
        new TextEncoder().encode(plain),
      );
      return `v${version}.${current.id}.${toBase64Url(iv)}.${toBase64Url(new Uint8Array(sealed))}`;
    },
    async open(sealed, context) {
      const [named, keyId, nonce, text, ...more] = sealed.split(".");
      const version = named === "v2" ? 2 : named === "v1" ? 1 : null;
      const key = ring.get(keyId ?? "");
      const iv = fromBase64Url(nonce ?? "");
      const bytes = fromBase64Url(text ?? "");
      if (version === null || more.length > 0) return err("unopenable");
      if (key === undefined || iv?.length !== nonceBytes || bytes === null)
        return err("unopenable");
      if (version === 1 && !(await versions.acceptsFirst(context.purpose)))
        return err("unopenable");
      try {
        const plain = await crypto.subtle.decrypt(
          { name: "AES-GCM", iv, additionalData: boundTo(version, context) },
          key,
          bytes,
        );
        versions.opened(version);
        // A byte order mark at the beginning belongs to the text, too, and is kept.
        return ok(new TextDecoder("utf-8", { ignoreBOM: true }).decode(plain));
      } catch {
        return err("unopenable");
      }
    },
  };
}

/** A vault that neither makes nor opens seals of version 1. */
export const createVault = async (
  deps: Parameters<typeof createVaultKeys>[0] & {
    randomBytesOf: (count: number) => Uint8Array<ArrayBuffer>;
  },
): Promise<Vault> =>
  vaultOf({ keys: await createVaultKeys(deps), randomBytesOf: deps.randomBytesOf });
