/** Identifies the master key in seals and codes by its hash. */
import { toHex } from "./encoding.ts";
import { sha256 } from "./hashes.ts";

const keyIdCharacters = 12;

/** 12 hex characters. @param master 32 bytes */
export const masterKeyId = async (master: Uint8Array<ArrayBuffer>): Promise<string> =>
  toHex(await sha256(master)).slice(0, keyIdCharacters);
