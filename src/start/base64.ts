/** The two functions of js-base64 that libSQL's client calls. Named by `wrangler.toml` and `bundle.ts`. */
import { bytesOfBase64 as toUint8Array } from "../domain/media-format.ts";

const fromUint8Array = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

export const Base64 = { toUint8Array, fromUint8Array };
