/** A key token matches its own stored hash and no other, and parsing never throws. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyedHash } from "../../../src/crypto/keyed-hash.ts";
import { createKeyTokens } from "../../../src/crypto/tokens.ts";
import { createIds } from "../../../src/domain/tenancy/ids.ts";
import { anyText } from "../../fixtures/any-text.ts";

const randomBytesOf = (count: number) => crypto.getRandomValues(new Uint8Array(count));
const tokens = createKeyTokens({ randomBytesOf });
const ids = createIds({ now: Date.now, randomBytesOf });

describe("key tokens", () => {
  it("say whose they are, and match the hash that is stored", async () => {
    const keyId = ids.next("key");
    const { token, secretHash } = await tokens.mint(keyId);
    expect(token).toMatch(/^srk_[0-9a-z]{26}_[A-Za-z0-9_-]{43}$/);
    expect(tokens.keyIdOf(token)).toBe(keyId);
    expect(await tokens.matches(token, secretHash)).toBe(true);
  });

  it("parse whatever the secret is, with any `_` and `-` in it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 32, maxLength: 32 }), async (secret) => {
        const minting = createKeyTokens({ randomBytesOf: () => secret });
        const keyId = ids.next("key");
        const { token, secretHash } = await minting.mint(keyId);
        expect(tokens.keyIdOf(token)).toBe(keyId);
        expect(await tokens.matches(token, secretHash)).toBe(true);
      }),
    );
  });

  it.each([
    ["`_` alone", 0xff],
    ["`-` at every fourth place", 0xfb],
  ])("parse a secret of %s", async (_, byte) => {
    const minting = createKeyTokens({ randomBytesOf: (count) => new Uint8Array(count).fill(byte) });
    const keyId = ids.next("key");
    const { token, secretHash } = await minting.mint(keyId);
    expect(token.slice(-43)).toContain(byte === 0xff ? "____" : "-");
    expect(tokens.keyIdOf(token)).toBe(keyId);
    expect(await tokens.matches(token, secretHash)).toBe(true);
  });

  it("do not match with another secret, or another key's hash", async () => {
    const first = await tokens.mint(ids.next("key"));
    const second = await tokens.mint(ids.next("key"));
    expect(await tokens.matches(first.token, second.secretHash)).toBe(false);
    const swapped = `${first.token.slice(0, -43)}${second.token.slice(-43)}`;
    expect(await tokens.matches(swapped, first.secretHash)).toBe(false);
    const last = first.token.at(-1) === "A" ? "E" : "A";
    expect(await tokens.matches(`${first.token.slice(0, -1)}${last}`, first.secretHash)).toBe(
      false,
    );
    expect(await tokens.matches(first.token, "")).toBe(false);
  });

  it("never repeat, and hash only the secret", async () => {
    const keyId = ids.next("key");
    const minted = await Promise.all(Array.from({ length: 100 }, () => tokens.mint(keyId)));
    expect(new Set(minted.map(({ token }) => token)).size).toBe(100);
    expect(minted[0]?.secretHash).toMatch(/^[0-9a-f]{64}$/);
    for (const { token, secretHash } of minted) expect(secretHash).not.toContain(token.slice(-43));
  });

  it("of API keys carry a mark of the deployment that made them, whatever they open by now", async () => {
    const hashOf = (fill: number) =>
      createKeyedHash({ master: new Uint8Array(32).fill(fill), derivedFor: "test" });
    const marked = (...fills: number[]) =>
      Promise.all(fills.map(hashOf)).then((marks) => createKeyTokens({ randomBytesOf, marks }));
    const keyId = ids.next("key");
    const { token, secretHash } = await (await marked(1)).mint(keyId);
    expect(token).toMatch(/^srk_[0-9a-z]{26}_[A-Za-z0-9_-]{43}$/);
    expect(await tokens.matches(token, secretHash)).toBe(true);
    const other = await tokens.mint(ids.next("key"));
    for (const changed of [
      token.replace(/^srk_./, (begin) => `srk_${begin.endsWith("0") ? "1" : "0"}`),
      `${token.slice(0, -43)}${other.token.slice(-43)}`,
      token.replace(/.$/, (end) => (end === "A" ? "B" : "A")),
      token.slice(0, -1),
      "",
    ])
      expect(await (await marked(1)).isMarked(changed)).toBe(false);
    const seen = [await marked(1), await marked(2, 1), await marked(2), tokens];
    expect(await Promise.all(seen.map((each) => each.isMarked(token)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  const secret = "A".repeat(43);
  const malformed = [
    "",
    "srk_",
    "Bearer srk",
    `srk_0123456789_${secret.slice(1)}`,
    `srk_0123456789_${secret}A`,
    `srk_012345678_${secret}`,
    `srk_0123456789${secret}`,
    `srk_ABCDEFGHIJ_${secret}`,
    `srk_0123456789_${secret.slice(1)}+`,
    `srk_0123456789_${secret}\n`,
    ` srk_0123456789_${secret}`,
    `key_0123456789_${secret}`,
    `srk_${"0".repeat(61)}_${secret}`,
  ];
  it.each(malformed)("are not %j", async (text) => {
    expect(tokens.keyIdOf(text)).toBeNull();
    expect(await tokens.matches(text, "")).toBe(false);
  });

  it("are null and not a throw for any text", async () => {
    await fc.assert(
      fc.asyncProperty(anyText(), async (text) => {
        expect(tokens.keyIdOf(text)).toBeNull();
        expect(await tokens.matches(text, text)).toBe(false);
      }),
    );
  });
});
