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

/** Bytes that SHA-256 takes at a time, to which an HMAC's key is filled up. */
const blockBytes = 64;
/** Longer texts are rare, and an HMAC of node:crypto's own needs no memory for them. */
const mostKeptBytes = 64 * 1024;

const derive = ({ master, info }: DerivedFrom): Uint8Array<ArrayBuffer> =>
  new Uint8Array(hkdfSync("sha256", master, new Uint8Array(), info, keyBytes));

/**
 * HMAC by its definition (RFC 2104): hash of (key xor opad, hash of (key xor ipad, text)). Two hashes at once take a third
 * of what the objects of `createHmac` do.
 */
function keyedHashBy(derived: Uint8Array<ArrayBuffer>): (text: string) => Promise<string> {
  const key = createSecretKey(derived);
  const inner = Buffer.alloc(blockBytes + mostKeptBytes, 0x36);
  const outer = Buffer.alloc(blockBytes + keyBytes, 0x5c);
  for (const [at, byte] of derived.entries()) {
    inner[at] = 0x36 ^ byte;
    outer[at] = 0x5c ^ byte;
  }
  return async (text) => {
    // A character has three bytes at most.
    if (text.length * 3 > mostKeptBytes)
      return createHmac("sha256", key).update(text).digest("base64url");
    const end = blockBytes + inner.write(text, blockBytes);
    outer.write(hash("sha256", inner.subarray(0, end), "binary"), blockBytes, "binary");
    return hash("sha256", outer, "base64url");
  };
}

export const nodeCrypto: Primitives = {
  sha256: async (bytes) => new Uint8Array(hash("sha256", bytes, "buffer")),
  sha256Hex: async (content) => hash("sha256", content, "hex"),
  keyedHash: async (from) => keyedHashBy(derive(from)),
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
