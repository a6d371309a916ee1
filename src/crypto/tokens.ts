/**
 * API keys `srk_<id>_<secret>` and console cookies `srs_<id>_<secret>`. The secrets are random, so a plain SHA-256 is
 * stored. An API key's secret ends with a mark of this deployment, so that invented keys are rejected without a read.
 */
import type { KeyTokens } from "../domain/ports/stores.ts";
import { sameHash, toBase64Url } from "./encoding.ts";
import type { KeyedHash } from "./keyed-hash.ts";
import { primitives } from "./primitives.ts";

const secretBytes = 32;
/** With the 66-bit mark, 43 characters like 32 bytes. */
const markedBytes = 24;
const randomCharacters = 32;
const markCharacters = 11;
/** Prefix of the id, omitted in the token. */
const idPrefixes = { srk: "key_", srs: "con_" } as const;

export function createKeyTokens(deps: {
  randomBytesOf: (count: number) => Uint8Array;
  /** absent: API keys */
  begins?: keyof typeof idPrefixes;
  /** mark hashes, current first; empty: no marks */
  marks?: readonly KeyedHash[];
}): KeyTokens {
  const { begins = "srk", randomBytesOf, marks = [] } = deps;
  const { sha256Hex } = primitives;
  const [currentMark] = marks;
  const markOf = async (hash: KeyedHash, keyId: string, random: string): Promise<string> =>
    (await hash(`${keyId} ${random}`)).slice(0, markCharacters);
  const secretFor = async (keyId: string): Promise<string> => {
    if (currentMark === undefined) return toBase64Url(randomBytesOf(secretBytes));
    const random = toBase64Url(randomBytesOf(markedBytes));
    return random + (await markOf(currentMark, keyId, random));
  };
  const idPrefix = idPrefixes[begins];
  const shape = new RegExp(`^${begins}_([0-9a-z]{10,60})_([A-Za-z0-9_-]{43})$`);
  const keyIdOf = (token: string): string | null => {
    const id = shape.exec(token)?.[1];
    return id === undefined ? null : `${idPrefix}${id}`;
  };
  return {
    async mint(keyId) {
      const secret = await secretFor(keyId);
      return {
        token: `${begins}_${keyId.slice(idPrefix.length)}_${secret}`,
        secretHash: await sha256Hex(secret),
      };
    },
    keyIdOf,
    async isMarked(token) {
      const keyId = keyIdOf(token);
      const secret = shape.exec(token)?.[2];
      if (keyId === null || secret === undefined) return false;
      const random = secret.slice(0, randomCharacters);
      for (const hash of marks)
        if (sameHash(secret.slice(randomCharacters), await markOf(hash, keyId, random)))
          return true;
      return false;
    },
    async matches(token, secretHash) {
      const secret = shape.exec(token)?.[2];
      return secret !== undefined && sameHash(await sha256Hex(secret), secretHash);
    },
  };
}
