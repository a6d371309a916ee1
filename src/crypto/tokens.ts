/** API keys: `srk_<id>_<secret>`. 256 random bits need no slow hash: SHA-256 is what is stored. */
import type { KeyTokens } from "../domain/ports/stores.ts";
import { sameHash, toBase64Url, toHex } from "./encoding.ts";
import { webCrypto, type Primitives } from "./primitives.ts";

const secretBytes = 32;
const shape = /^srk_([0-9a-z]{10,60})_([A-Za-z0-9_-]{43})$/;
/** What a key's id begins with; left out of the token, which says `srk` already. */
const idPrefix = "key_";

export function createKeyTokens(deps: {
  randomBytesOf: (count: number) => Uint8Array;
  sha256?: Primitives["sha256"];
}): KeyTokens {
  const { sha256 = webCrypto.sha256 } = deps;
  const encoder = new TextEncoder();
  const hashOf = async (secret: string): Promise<string> =>
    toHex(await sha256(encoder.encode(secret)));
  return {
    async mint(keyId) {
      const secret = toBase64Url(deps.randomBytesOf(secretBytes));
      return {
        token: `srk_${keyId.slice(idPrefix.length)}_${secret}`,
        secretHash: await hashOf(secret),
      };
    },
    keyIdOf(token) {
      const id = shape.exec(token)?.[1];
      return id === undefined ? null : `${idPrefix}${id}`;
    },
    async matches(token, secretHash) {
      const secret = shape.exec(token)?.[2];
      return secret !== undefined && sameHash(await hashOf(secret), secretHash);
    },
  };
}
