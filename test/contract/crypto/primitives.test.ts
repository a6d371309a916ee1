/**
 * What both hosts hash and seal with, beside another implementation: both give the same bytes, so that either opens what
 * the other has sealed. It runs in Node and in the Workers runtime.
 */
import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/crypto/encoding.ts";
import { primitives, type Primitives } from "../../../src/crypto/primitives.ts";
import { webCrypto } from "../../fakes/web-crypto.ts";

const master = Uint8Array.from({ length: 32 }, (_, at) => at);
const nonce = new Uint8Array(12).fill(7);
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const from = { master, info: "sampling-router/test/v1" };
const bound = bytesOf('["v2","credential"]');
const texts = ["", "secret", "é€😀", "a lone \ud800 surrogate", "x".repeat(100_000)];

const both: [string, Primitives, Primitives][] = [
  ["WebCrypto", webCrypto, primitives],
  ["node:crypto", primitives, webCrypto],
];

describe.each(both)("%s", (_, own, other) => {
  it("hashes as FIPS 180-4 has it", async () => {
    expect(toHex(await own.sha256(bytesOf("abc")))).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });

  it.each(texts)("hashes %.20j as the other does, and with a key too", async (text) => {
    const bytes = bytesOf(text);
    expect(await own.sha256(bytes)).toEqual(await other.sha256(bytes));
    expect(await own.sha256(text)).toEqual(await other.sha256(bytes));
    expect(await own.sha256Hex(text)).toBe(toHex(await other.sha256(bytes)));
    expect(await own.sha256Hex(bytes)).toBe(toHex(await other.sha256(bytes)));
    const running = own.startSha256();
    for (let at = 0; at < bytes.length; at += 7) running.add(bytes.slice(at, at + 7));
    expect(await running.hex()).toBe(toHex(await other.sha256(bytes)));
    const [hash, otherHash] = [await own.keyedHash(from), await other.keyedHash(from)];
    expect(await hash(text)).toBe(await otherHash(text));
    // What a longer text left behind is no part of a shorter one.
    expect(await hash("short")).toBe(await otherHash("short"));
  });

  it("keeps the hashes of two purposes apart", async () => {
    const [one, two] = [await own.keyedHash(from), await own.keyedHash({ master, info: "other" })];
    expect(await one("text")).not.toBe(await two("text"));
  });

  it.each(texts)("opens what the other sealed: %.20j", async (text) => {
    const [sealing, opening] = [await other.cipher(from), await own.cipher(from)];
    const sealed = await sealing.seal(bytesOf(text), { nonce, bound });
    expect(await opening.open(sealed, { nonce, bound })).toEqual(bytesOf(text));
  });

  it("opens nothing that was changed, cut, bound to something else or sealed with another key", async () => {
    const cipher = await own.cipher(from);
    const sealed = await cipher.seal(bytesOf("secret"), { nonce, bound });
    const changed = Uint8Array.from(sealed, (byte, at) => (at === 0 ? byte ^ 1 : byte));
    const tagged = Uint8Array.from(sealed, (byte, at) =>
      at === sealed.length - 1 ? byte ^ 1 : byte,
    );
    for (const bytes of [changed, tagged, sealed.subarray(1), sealed.subarray(0, 15), bytesOf("")])
      expect(await cipher.open(Uint8Array.from(bytes), { nonce, bound })).toBeNull();
    expect(await cipher.open(sealed, { nonce, bound: bytesOf("[]") })).toBeNull();
    expect(await cipher.open(sealed, { nonce: new Uint8Array(12), bound })).toBeNull();
    const another = await own.cipher({ master, info: "other" });
    expect(await another.open(sealed, { nonce, bound })).toBeNull();
  });
});
