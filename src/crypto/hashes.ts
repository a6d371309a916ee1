/** SHA-256 without a key. */
import { sameHash } from "./encoding.ts";
import { webCrypto, type Primitives } from "./primitives.ts";

const encoder = new TextEncoder();

export const sha256 = (
  text: string | Uint8Array<ArrayBuffer>,
  { sha256: hash }: Pick<Primitives, "sha256"> = webCrypto,
): Promise<Uint8Array<ArrayBuffer>> => hash(typeof text === "string" ? encoder.encode(text) : text);

/** Compares texts of any length in the same time, by their hashes. */
export async function sameText(left: string, right: string): Promise<boolean> {
  const [a, b] = await Promise.all([webCrypto.sha256Hex(left), webCrypto.sha256Hex(right)]);
  return sameHash(a, b);
}
