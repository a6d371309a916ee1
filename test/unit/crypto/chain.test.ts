/** The Merkle tree follows RFC 9162, and signatures verify only what was signed. */
import { createHash, createPublicKey, verify } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashing } from "../../../src/crypto/chain.ts";
import { auditKeyId, createSigner, verifySignature } from "../../../src/crypto/signatures.ts";

const sha256 = (bytes: Buffer): Buffer => createHash("sha256").update(bytes).digest();

/** The tree of RFC 9162, section 2.1.1, word for word. */
function rootOf(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first === undefined) return sha256(Buffer.alloc(0));
  if (leaves.length === 1) return first;
  let half = 1;
  while (2 * half < leaves.length) half *= 2;
  const children = [rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half))];
  return sha256(Buffer.concat([Buffer.from([1]), ...children]));
}

describe("the tree", () => {
  it("is RFC 9162's", async () => {
    for (const count of [0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 256]) {
      const texts = Array.from({ length: count }, (_, at) => `record ${at}`);
      const leaves = await Promise.all(texts.map((text) => hashing.leafOf(text)));
      const expected = texts.map((text) =>
        sha256(Buffer.concat([Buffer.from([0]), Buffer.from(text)])),
      );
      expect(leaves).toEqual(expected.map((leaf) => leaf.toString("hex")));
      expect(await hashing.rootOf(leaves)).toBe(rootOf(expected).toString("hex"));
      const tree = hashing.tree();
      for (const leaf of leaves) await tree.add(leaf);
      expect(await tree.root()).toBe(rootOf(expected).toString("hex"));
    }
  });

  it("packs leaves and unpacks them, and nothing else", () => {
    const leaf = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(fc.array(leaf, { maxLength: 9 }), (leaves) => {
        const hex = leaves.map((bytes) => Buffer.from(bytes).toString("hex"));
        expect(hashing.unpack(hashing.pack(hex))).toEqual(hex);
      }),
    );
    for (const wrong of ["A", "AAAA", "+/", "=".repeat(43)])
      expect(hashing.unpack(wrong)).toBeNull();
  });
});

describe("the signer", () => {
  const master = new Uint8Array(32).fill(1);

  it("signs as Ed25519, by a key that always follows from MASTER_KEY", async () => {
    const signer = await createSigner({ master, previous: null });
    const again = await createSigner({ master, previous: null });
    expect(again.key).toEqual(signer.key);
    const signature = await signer.sign("text");
    const { id, publicKey } = signer.key;
    expect(id).toBe(await auditKeyId(new Uint8Array(Buffer.from(publicKey, "base64url"))));
    const key = createPublicKey({
      key: { kty: "OKP", crv: "Ed25519", x: publicKey },
      format: "jwk",
    });
    expect(verify(null, Buffer.from("text"), key, Buffer.from(signature, "base64url"))).toBe(true);
    expect(await verifySignature(signer.key, { text: "text", signature })).toBe(true);
  });

  it("knows the previous key's public half", async () => {
    const previous = new Uint8Array(32).fill(2);
    const old = await createSigner({ master: previous, previous: null });
    const signer = await createSigner({ master, previous });
    expect(signer.keys).toEqual([signer.key, old.key]);
    expect(signer.key).not.toEqual(old.key);
  });

  it("finds every other text, signature and key wrong, and throws at none", async () => {
    const signer = await createSigner({ master, previous: null });
    const other = await createSigner({ master: new Uint8Array(32).fill(3), previous: null });
    const signature = await signer.sign("text");
    const no = async (key: typeof signer.key, text: string, its: string) =>
      expect(await verifySignature(key, { text, signature: its })).toBe(false);
    await no(signer.key, "text ", signature);
    await no(other.key, "text", signature);
    for (const wrong of ["", "A", "!", `${signature}A`, signature.slice(4)])
      await no(signer.key, "text", wrong);
    for (const publicKey of ["", "A", "!", "AAAA"])
      await no({ id: "x", publicKey }, "text", signature);
  });
});
