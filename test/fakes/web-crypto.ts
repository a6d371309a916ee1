/** WebCrypto behind the product's own seam: another implementation, which has to agree with `node:crypto` byte for byte. */
import { toBase64Url, toHex } from "../../src/crypto/encoding.ts";
import { concatenated } from "../../src/domain/bytes.ts";
import type { DerivedFrom, Primitives, Sealing } from "../../src/crypto/primitives.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();
const digest = async (content: string | Bytes): Promise<Bytes> => {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
};

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
  sha256Hex: async (content) => toHex(await digest(content)),
  startSha256() {
    const pieces: Bytes[] = [];
    return {
      add: (piece) => void pieces.push(piece),
      hex: async () => toHex(await digest(concatenated(pieces))),
    };
  },
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
