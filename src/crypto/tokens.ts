/**
 * API keys, `srk_<id>_<secret>`, and the cookies of console sessions, `srs_<id>_<secret>`. 256 random bits need no slow
 * hash: SHA-256 is what is stored.
 */
import type { KeyTokens } from "../domain/ports/stores.ts";
import { sameHash, toBase64Url } from "./encoding.ts";
import { primitives } from "./primitives.ts";

const secretBytes = 32;
/** What an id begins with; left out of the token, whose own beginning says as much. */
const idPrefixes = { srk: "key_", srs: "con_" } as const;

export function createKeyTokens(deps: {
  randomBytesOf: (count: number) => Uint8Array;
  /** absent: API keys */
  begins?: keyof typeof idPrefixes;
}): KeyTokens {
  const { begins = "srk" } = deps;
  const { sha256Hex } = primitives;
  const idPrefix = idPrefixes[begins];
  const shape = new RegExp(`^${begins}_([0-9a-z]{10,60})_([A-Za-z0-9_-]{43})$`);
  return {
    async mint(keyId) {
      const secret = toBase64Url(deps.randomBytesOf(secretBytes));
      return {
        token: `${begins}_${keyId.slice(idPrefix.length)}_${secret}`,
        secretHash: await sha256Hex(secret),
      };
    },
    keyIdOf(token) {
      const id = shape.exec(token)?.[1];
      return id === undefined ? null : `${idPrefix}${id}`;
    },
    async matches(token, secretHash) {
      const secret = shape.exec(token)?.[2];
      return secret !== undefined && sameHash(await sha256Hex(secret), secretHash);
    },
  };
}
