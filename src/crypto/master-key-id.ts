/** How seals and codes name the master key that made them: no part of the key, and a hash of all of it. */
import { sha256, toHex } from "./encoding.ts";

const keyIdCharacters = 12;

/** `master`: 32 bytes. 12 hex characters. */
export const masterKeyId = async (master: Uint8Array<ArrayBuffer>): Promise<string> =>
  toHex(await sha256(master)).slice(0, keyIdCharacters);
