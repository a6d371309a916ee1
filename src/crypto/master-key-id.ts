/**
 * The name that seals and codes give to the master key that made them: a hash of the whole key, and no
 * part of it.
 */
import { toHex } from "./encoding.ts";
import { sha256 } from "./hashes.ts";

const keyIdCharacters = 12;

/** `master`: 32 bytes. 12 hex characters. */
export const masterKeyId = async (master: Uint8Array<ArrayBuffer>): Promise<string> =>
  toHex(await sha256(master)).slice(0, keyIdCharacters);
