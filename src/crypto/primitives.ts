/**
 * Frequent operations with `node:crypto`, which both hosts have. WebCrypto's asynchronous hashes took 15 % of a
 * request's CPU time on Node.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
} from "node:crypto";

type Bytes = Uint8Array<ArrayBuffer>;

/** HKDF-SHA-256 of 32 bytes without a salt; `info`: domain separation. */
export interface DerivedFrom {
  master: Bytes;
  info: string;
}

export interface Sealing {
  /** 96 bits, unique per key */
  nonce: Bytes;
  /** authenticated data */
  bound: Bytes;
}

/** AES-256-GCM with an appended 128-bit tag. */
export interface Cipher {
  seal(plain: Bytes, sealing: Sealing): Promise<Bytes>;
  /** null: authentication failed */
  open(sealed: Bytes, sealing: Sealing): Promise<Bytes | null>;
}

export interface Primitives {
  sha256(content: string | Bytes): Promise<Bytes>;
  sha256Hex(content: string | Bytes): Promise<string>;
  startSha256(): { add(piece: Bytes): void; hex(): Promise<string> };
  /** HMAC-SHA-256 in base64url. */
  keyedHash(from: DerivedFrom): Promise<(text: string) => Promise<string>>;
  cipher(from: DerivedFrom): Promise<Cipher>;
}

const algorithm = "aes-256-gcm";
const keyBytes = 32;
const tagBytes = 16;

const derive = ({ master, info }: DerivedFrom): Uint8Array<ArrayBuffer> =>
  new Uint8Array(hkdfSync("sha256", master, new Uint8Array(), info, keyBytes));

export const primitives: Primitives = {
  sha256: async (content) => new Uint8Array(hash("sha256", content, "buffer")),
  sha256Hex: async (content) => hash("sha256", content, "hex"),
  startSha256() {
    const running = createHash("sha256");
    return { add: (piece) => void running.update(piece), hex: async () => running.digest("hex") };
  },
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
