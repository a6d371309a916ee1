/**
 * Seals secrets with AES-256-GCM and a fresh random nonce of 96 bits. A seal is bound to what the
 * secret is for, and to where it may be sent.
 *
 * A seal reads `v2.<key id>.<nonce>.<ciphertext>`. The key id lets MASTER_KEY rotate while the previous
 * key still opens. Seals of version 1 don't name where the secret may be sent, so they count only as
 * long as `versions` says so. The vault never logs, and its only error is "unopenable".
 */
import { err, ok } from "../domain/result.ts";
import type { SealVersions, Vault } from "../domain/ports/stores.ts";
import type { SealedFor } from "../domain/tenancy/sealing.ts";
import { fromBase64Url, toBase64Url } from "./encoding.ts";
import { masterKeyId } from "./master-key-id.ts";
import { primitives, type Cipher } from "./primitives.ts";

const nonceBytes = 12;

/** The keys that open seals. The first key makes new ones. */
export interface VaultKeys {
  current: { id: string; cipher: Cipher };
  ring: ReadonlyMap<string, Cipher>;
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
  const { cipher } = primitives;
  const { master, previous } = deps;
  const current = { id: await masterKeyId(master), cipher: await cipher({ master, info }) };
  const ring = new Map([[current.id, current.cipher]]);
  if (previous !== null)
    ring.set(await masterKeyId(previous), await cipher({ master: previous, info }));
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
      const nonce = deps.randomBytesOf(nonceBytes);
      const bound = boundTo(version, context);
      const sealed = await current.cipher.seal(new TextEncoder().encode(plain), { nonce, bound });
      return `v${version}.${current.id}.${toBase64Url(nonce)}.${toBase64Url(sealed)}`;
    },
    async open(sealed, context) {
      const [named, keyId, nonce, text, ...more] = sealed.split(".");
      const version = named === "v2" ? 2 : named === "v1" ? 1 : null;
      const cipher = ring.get(keyId ?? "");
      const iv = fromBase64Url(nonce ?? "");
      const bytes = fromBase64Url(text ?? "");
      if (version === null || more.length > 0) return err("unopenable");
      if (cipher === undefined || iv?.length !== nonceBytes || bytes === null)
        return err("unopenable");
      if (version === 1 && !(await versions.acceptsFirst(context.purpose)))
        return err("unopenable");
      const plain = await cipher.open(bytes, { nonce: iv, bound: boundTo(version, context) });
      if (plain === null) return err("unopenable");
      versions.opened(version);
      // A byte order mark at the beginning belongs to the text, too, and is kept.
      return ok(new TextDecoder("utf-8", { ignoreBOM: true }).decode(plain));
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
