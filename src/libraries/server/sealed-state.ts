/**
 * Seals `requestState` with AES-GCM under a key derived from the API key. The request is authenticated data, so state
 * can't be moved to another request.
 */
import { localError } from "../sampling-error.ts";

/** as transmitted */
const maxBytes = 65_536;
const ivBytes = 12;
const encoder = new TextEncoder();

export interface Sealer {
  /** @param request authenticated data */
  seal(state: unknown, request: string): Promise<string>;
  open(sealed: string, request: string): Promise<unknown>;
}

const toBase64Url = (bytes: Uint8Array): string => {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) =>
    each.charCodeAt(0),
  );

async function deriveKey(apiKey: string): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey("raw", encoder.encode(apiKey), "HKDF", false, [
    "deriveKey",
  ]);
  return crypto.subtle.deriveKey(
    {
      name: "HKDF",
      hash: "SHA-256",
      salt: encoder.encode("mcp-sampling-router"),
      info: encoder.encode("rounds"),
    },
    secret,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

export function createSealer(apiKey: string): Sealer {
  let derived: Promise<CryptoKey> | undefined;
  const keyOf = (): Promise<CryptoKey> => (derived ??= deriveKey(apiKey));
  const algorithm = (iv: Uint8Array<ArrayBuffer>, request: string) => ({
    name: "AES-GCM",
    iv,
    additionalData: encoder.encode(request),
  });
  return {
    async seal(state, request) {
      const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
      const plain = encoder.encode(JSON.stringify(state));
      const cipher = new Uint8Array(
        await crypto.subtle.encrypt(algorithm(iv, request), await keyOf(), plain),
      );
      const bytes = new Uint8Array(ivBytes + cipher.length);
      bytes.set(iv);
      bytes.set(cipher, ivBytes);
      const sealed = toBase64Url(bytes);
      if (sealed.length > maxBytes)
        throw localError(
          "state_too_large",
          `The earlier answers need ${sealed.length} bytes; the maximum is ${maxBytes}.`,
        );
      return sealed;
    },
    async open(sealed, request) {
      try {
        if (sealed.length > maxBytes) throw new Error("longer than any that was sealed");
        const bytes = fromBase64Url(sealed);
        const plain = await crypto.subtle.decrypt(
          algorithm(bytes.slice(0, ivBytes), request),
          await keyOf(),
          bytes.slice(ivBytes),
        );
        return JSON.parse(new TextDecoder().decode(plain)) as unknown;
      } catch {
        throw localError("state_invalid", "requestState does not belong to this request.");
      }
    },
  };
}
