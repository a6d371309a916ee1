/**
 * Seals secrets with AES-256-GCM and a random 96-bit nonce, bound to purpose and destination. Format: `v1.<key
 * id>.<nonce>.<ciphertext>`; the key id lets MASTER_KEY rotate. Never logs, and its only error is "unopenable".
 */
import { err, ok } from "../domain/result.ts";
import type { Vault } from "../domain/ports/stores.ts";
import type { SealedFor } from "../domain/tenancy/sealing.ts";
import { fromBase64Url, toBase64Url } from "./encoding.ts";
import { masterKeyId } from "./master-key-id.ts";
import { primitives, type Cipher } from "./primitives.ts";

const nonceBytes = 12;
const version = "v1";

/** The current key seals; all keys open. */
export interface VaultKeys {
  current: { id: string; cipher: Cipher };
  ring: ReadonlyMap<string, Cipher>;
}

/** @param deps `master`, `previous`: 32 bytes; `derivedFor`: domain separation */
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

/** JSON quotes the parts, so they can't run together. */
const boundTo = (context: SealedFor): Uint8Array<ArrayBuffer> => {
  const { purpose, tenantId, provider, id, destination } = context;
  return new TextEncoder().encode(JSON.stringify([purpose, tenantId, provider, id, destination]));
};

export function vaultOf(deps: {
  keys: VaultKeys;
  randomBytesOf: (count: number) => Uint8Array<ArrayBuffer>;
}): Vault {
  const { current, ring } = deps.keys;
  return {
    sealPrefix: `${version}.${current.id}.`,
    async seal(plain, context) {
      const nonce = deps.randomBytesOf(nonceBytes);
      const bound = boundTo(context);
      const sealed = await current.cipher.seal(new TextEncoder().encode(plain), { nonce, bound });
      return `${version}.${current.id}.${toBase64Url(nonce)}.${toBase64Url(sealed)}`;
    },
    async open(sealed, context) {
      const [named, keyId, nonce, text, ...more] = sealed.split(".");
      const cipher = ring.get(keyId ?? "");
      const iv = fromBase64Url(nonce ?? "");
      const bytes = fromBase64Url(text ?? "");
      if (named !== version || more.length > 0) return err("unopenable");
      if (cipher === undefined || iv?.length !== nonceBytes || bytes === null)
        return err("unopenable");
      const plain = await cipher.open(bytes, { nonce: iv, bound: boundTo(context) });
      if (plain === null) return err("unopenable");
      // Keeps a byte order mark of the text.
      return ok(new TextDecoder("utf-8", { ignoreBOM: true }).decode(plain));
    },
  };
}

export const createVault = async (
  deps: Parameters<typeof createVaultKeys>[0] & {
    randomBytesOf: (count: number) => Uint8Array<ArrayBuffer>;
  },
): Promise<Vault> =>
  vaultOf({ keys: await createVaultKeys(deps), randomBytesOf: deps.randomBytesOf });
