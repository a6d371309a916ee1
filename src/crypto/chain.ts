/** Hashes of the audit chain: SHA-256 and Merkle trees (RFC 9162, section 2.1.1). */
import type { Hashing, Tree } from "../domain/audit/seals.ts";
import { fromBase64Url, toBase64Url, toHex } from "./encoding.ts";
import { sha256 } from "./hashes.ts";

const hashBytes = 32;
/** Domain separation of leaves and nodes. */
const leafPrefix = 0;
const nodePrefix = 1;

const fromHex = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at += 1)
    bytes[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16);
  return bytes;
};

async function leafOf(text: string): Promise<string> {
  const encoded = new TextEncoder().encode(text);
  const bytes = new Uint8Array(encoded.length + 1);
  bytes[0] = leafPrefix;
  bytes.set(encoded, 1);
  return toHex(await sha256(bytes));
}

async function nodeOf(left: string, right: string): Promise<string> {
  const bytes = new Uint8Array(1 + 2 * hashBytes);
  bytes[0] = nodePrefix;
  bytes.set(fromHex(left), 1);
  bytes.set(fromHex(right), 1 + hashBytes);
  return toHex(await sha256(bytes));
}

/** Keeps at most one complete subtree per size, so memory is logarithmic. */
function createTree(): Tree {
  const whole: { leaves: number; hash: string }[] = [];
  return {
    async add(leaf) {
      let added = { leaves: 1, hash: leaf };
      for (let last = whole.at(-1); last?.leaves === added.leaves; last = whole.at(-1)) {
        whole.pop();
        added = { leaves: 2 * added.leaves, hash: await nodeOf(last.hash, added.hash) };
      }
      whole.push(added);
    },
    async root() {
      let root: string | null = null;
      for (const { hash } of whole.toReversed())
        root = root === null ? hash : await nodeOf(hash, root);
      return root ?? toHex(await sha256(""));
    },
  };
}

/** An unpaired last node moves up unchanged, as in RFC 9162. */
async function rootOf(leaves: readonly string[]): Promise<string> {
  let level = leaves;
  while (level.length > 1) {
    const below = level;
    level = await Promise.all(
      Array.from({ length: Math.ceil(below.length / 2) }, async (_, at) => {
        const [left = "", right] = below.slice(2 * at, 2 * at + 2);
        return right === undefined ? left : nodeOf(left, right);
      }),
    );
  }
  return level[0] ?? toHex(await sha256(""));
}

export const hashing: Hashing = {
  of: async (text) => toHex(await sha256(text)),
  leafOf,
  tree: createTree,
  rootOf,
  pack: (leaves) => toBase64Url(fromHex(leaves.join(""))),
  unpack(packed) {
    const bytes = fromBase64Url(packed);
    if (bytes === null || bytes.length % hashBytes !== 0) return null;
    const text = toHex(bytes);
    return Array.from({ length: bytes.length / hashBytes }, (_, at) =>
      text.slice(2 * hashBytes * at, 2 * hashBytes * (at + 1)),
    );
  },
};
