/** The few operations that every request needs. A host whose runtime has a shorter way than WebCrypto hands in its own. */
import { toBase64Url, toHex } from "./encoding.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A key that HKDF-SHA-256 makes of 32 bytes, without a salt. `info` keeps the keys of two purposes apart. */
export interface DerivedFrom {
  master: Bytes;
  info: string;
}

/** What a cipher takes beside the text. */
export interface Sealing {
  /** 96 bits, never twice under one key */
  nonce: Bytes;
  /** what the seal is bound to */
  bound: Bytes;
}

/** AES-256-GCM; the tag of 128 bits stands at the end. */
export interface Cipher {
  seal(plain: Bytes, sealing: Sealing): Promise<Bytes>;
  /** null: these bytes were not sealed so */
  open(sealed: Bytes, sealing: Sealing): Promise<Bytes | null>;
}

export interface Primitives {
  sha256(bytes: Bytes): Promise<Bytes>;
  /** The hash of a text's UTF-8, or of bytes, in hexadecimal. */
  sha256Hex(content: string | Bytes): Promise<string>;
  /** HMAC-SHA-256 of a text's UTF-8 under such a key, in base64url. */
  keyedHash(from: DerivedFrom): Promise<(text: string) => Promise<string>>;
  cipher(from: DerivedFrom): Promise<Cipher>;
}

const encoder = new TextEncoder();
const digest = async (bytes: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

const derivation = ({ info }: DerivedFrom) => ({
  name: "HKDF",
  hash: "SHA-256",
  salt: new Uint8Array(),
  info: new TextEncoder().encode(info),
});

const baseOf = ({ master }: DerivedFrom): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", master, "HKDF", false, ["deriveKey"]);

export const webCrypto: Primitives = {
  sha256: digest,
  sha256Hex: async (content) =>
    toHex(await digest(typeof content === "string" ? encoder.encode(content) : content)),
  async keyedHash(from) {
    const kind = { name: "HMAC", hash: "SHA-256", length: 256 };
    const base = await baseOf(from);
    const key = await crypto.subtle.deriveKey(derivation(from), base, kind, false, ["sign"]);
    return async (text) =>
      toBase64Url(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text))));
  },
  async cipher(from) {
    const kind = { name: "AES-GCM", length: 256 };
    const uses = ["encrypt", "decrypt"] as const;
    const base = await baseOf(from);
    const key = await crypto.subtle.deriveKey(derivation(from), base, kind, false, uses);
    const how = ({ nonce, bound }: Sealing) => ({
      name: "AES-GCM",
      iv: nonce,
      additionalData: bound,
    });
    return {
      seal: async (plain, sealing) =>
        new Uint8Array(await crypto.subtle.encrypt(how(sealing), key, plain)),
      async open(sealed, sealing) {
        try {
          return new Uint8Array(await crypto.subtle.decrypt(how(sealing), key, sealed));
        } catch {
          return null;
        }
      },
    };
  },
};
