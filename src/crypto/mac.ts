/** Authentication codes `c1.<key id>.<hash>`. The key id lets MASTER_KEY rotate. */
import type { Mac } from "../domain/tenancy/mac.ts";
import { sameHash } from "./encoding.ts";
import { createKeyedHash, type KeyedHash } from "./keyed-hash.ts";
import { masterKeyId } from "./master-key-id.ts";

async function ringKeyOf(
  master: Uint8Array<ArrayBuffer>,
  { purpose }: { purpose: string },
): Promise<{ prefix: string; hash: KeyedHash }> {
  const id = await masterKeyId(master);
  const hash = await createKeyedHash({
    master,
    derivedFor: `sampling-router/mac/${purpose}/v1`,
  });
  return { prefix: `c1.${id}.`, hash };
}

/** @param deps `master`, `previous`: 32 bytes; `purpose`: domain separation */
export async function createMac(deps: {
  master: Uint8Array<ArrayBuffer>;
  previous: Uint8Array<ArrayBuffer> | null;
  purpose: string;
}): Promise<Mac> {
  const current = await ringKeyOf(deps.master, deps);
  const ring = [current];
  if (deps.previous !== null) ring.push(await ringKeyOf(deps.previous, deps));
  return {
    codePrefix: current.prefix,
    code: async (text) => current.prefix + (await current.hash(text)),
    async check(text, code) {
      const made = ring.find(({ prefix }) => code?.startsWith(prefix) === true);
      if (made === undefined || code === null) return false;
      return sameHash(code, made.prefix + (await made.hash(text)));
    },
  };
}
