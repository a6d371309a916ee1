import { fromBase64Url } from "./encoding.ts";
import { primitives } from "./primitives.ts";

export type KeyedHash = (text: string) => Promise<string>;

/** @param deps `master`: 32 bytes; `derivedFor`: domain separation. 43 characters of base64url. */
export function createKeyedHash(deps: {
  master: Uint8Array<ArrayBuffer>;
  derivedFor: string;
}): Promise<KeyedHash> {
  const { master, derivedFor: info } = deps;
  return primitives.keyedHash({ master, info });
}

/** For keys of tenants and users. @param key 32 bytes, base64url */
export async function userHash(key: string, text: string): Promise<string> {
  const master = fromBase64Url(key) as Uint8Array<ArrayBuffer>;
  const hash = await primitives.keyedHash({ master, info: "sampling-router/user/v1" });
  return hash(text);
}
