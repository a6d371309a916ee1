import { sameHash } from "./encoding.ts";
import { primitives } from "./primitives.ts";

/** Constant-time comparison by hashes. */
export async function sameText(left: string, right: string): Promise<boolean> {
  const { sha256Hex } = primitives;
  return sameHash(await sha256Hex(left), await sha256Hex(right));
}
