/**
 * The same in place. WebCrypto hands each hash of a few bytes to another thread and back, which took 15 % of the
 * CPU of a request.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
} from "node:crypto";
import type { DerivedFrom, Primitives } from "../crypto/primitives.ts";

const algorithm = "aes-256-gcm";
const keyBytes = 32;
const tagBytes = 16;

const derive = ({ master, info }: DerivedFrom): Uint8Array<ArrayBuffer> =>
  new Uint8Array(hkdfSync("sha256", master, new Uint8Array(), info, keyBytes));

export const nodeCrypto: Primitives = {
  sha256: async (bytes) => new Uint8Array(hash("sha256", bytes, "buffer")),
  sha256Hex: async (content) => hash("sha256", content, "hex"),
  async keyedHash(from) {
    const key = createSecretKey(derive(from));
    return async (text) => createHmac("sha256", key).update(text).digest("base64url");
  },
  async cipher(from) {
    const key = derive(from);
    const options = { authTagLength: tagBytes };
    return {
      async seal(plain, { nonce, bound }) {
        const sealing = createCipheriv(algorithm, key, nonce, options).setAAD(bound);
        const parts = [sealing.update(plain), sealing.final(), sealing.getAuthTag()];
        return new Uint8Array(Buffer.concat(parts));
      },
      async open(sealed, { nonce, bound }) {
        const end = sealed.byteLength - tagBytes;
        if (end < 0) return null;
        try {
          const opening = createDecipheriv(algorithm, key, nonce, options)
            .setAAD(bound)
            .setAuthTag(sealed.subarray(end));
          const parts = [opening.update(sealed.subarray(0, end)), opening.final()];
          return new Uint8Array(Buffer.concat(parts));
        } catch {
          return null;
        }
      },
    };
  },
};
