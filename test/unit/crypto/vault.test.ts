/** A sealed value opens only unchanged and in its own context. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createVault } from "../../../src/crypto/vault.ts";
import type { SealedFor } from "../../../src/domain/tenancy/sealing.ts";
import { anyText } from "../../fixtures/any-text.ts";

const randomBytesOf = (count: number) => crypto.getRandomValues(new Uint8Array(count));
const [master, other, third] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte));
const vaultOf = (key = master, previous: Uint8Array<ArrayBuffer> | null = null) => {
  if (key === undefined) throw new Error("no key");
  return createVault({ master: key, previous, randomBytesOf });
};

const context: SealedFor = {
  purpose: "credential",
  tenantId: "ten_1",
  provider: "openai",
  id: "cred_1",
  destination: "https://provider.test/v1",
};
const unopenable = { ok: false, error: "unopenable" };
const opened = (value: string) => ({ ok: true, value });

/** Every text of base64url that differs from this one in one character. */
const tampered = (sealed: string): string[] =>
  Array.from(sealed, (character, at) => {
    const changed = character === "A" ? "B" : "A";
    return `${sealed.slice(0, at)}${changed}${sealed.slice(at + 1)}`;
  });

describe("vault", () => {
  it("opens what it sealed", async () => {
    const vault = await vaultOf();
    await fc.assert(
      fc.asyncProperty(anyText({ maxLength: 500 }), async (text) => {
        // UTF-8 has no lone surrogates; a provider's key and JSON have none either.
        const plain = text.toWellFormed();
        expect(await vault.open(await vault.seal(plain, context), context)).toEqual(opened(plain));
      }),
    );
  });

  it("keeps a leading byte order mark", async () => {
    const vault = await vaultOf();
    const plain = "\uFEFFsk-key";
    expect(await vault.open(await vault.seal(plain, context), context)).toEqual(opened(plain));
  });

  it("shows nothing of what it sealed", async () => {
    const vault = await vaultOf();
    const sealed = await vault.seal("sk-secret", context);
    expect(sealed).toMatch(/^v1\.[0-9a-f]{12}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/);
    for (const shown of ["sk-secret", btoa("sk-secret"), "ten_1", "openai"])
      expect(sealed).not.toContain(shown);
  });

  const elsewhere: [keyof SealedFor, SealedFor][] = [
    ["tenantId", { ...context, tenantId: "ten_2" }],
    ["provider", { ...context, provider: "anthropic" }],
    ["id", { ...context, id: "cred_2" }],
    ["purpose", { ...context, purpose: "capture" }],
    ["destination", { ...context, destination: "https://provider.test/v2" }],
  ];
  it.each(elsewhere)("opens for no other %s", async (_, wrong) => {
    const vault = await vaultOf();
    const sealed = await vault.seal("secret", context);
    expect(await vault.open(sealed, wrong)).toEqual(unopenable);
    expect(await vault.open(sealed, context)).toEqual(opened("secret"));
  });

  it("does not let the parts of a context run into each other", async () => {
    const vault = await vaultOf();
    const sealed = await vault.seal("secret", { ...context, tenantId: "a", provider: 'b","c' });
    const shifted = { ...context, tenantId: 'a","b', provider: "c" };
    expect(await vault.open(sealed, shifted)).toEqual(unopenable);
  });

  it("opens no seal of which any character was changed", async () => {
    const vault = await vaultOf();
    for (const plain of ["secret", "", "12", "123"]) {
      const sealed = await vault.seal(plain, context);
      for (const text of tampered(sealed))
        expect(await vault.open(text, context)).toEqual(unopenable);
      for (const text of [`${sealed}A`, `${sealed}.`, `${sealed}.AAAA`, sealed.slice(0, -1)])
        expect(await vault.open(text, context)).toEqual(unopenable);
    }
  });

  it("seals with the new key and opens with the previous one, after a rotation", async () => {
    const before = await vaultOf(master);
    const after = await vaultOf(other, master ?? null);
    const old = await before.seal("secret", context);
    const fresh = await after.seal("secret", context);
    expect(await after.open(old, context)).toEqual(opened("secret"));
    expect(await after.open(fresh, context)).toEqual(opened("secret"));
    expect(await before.open(fresh, context)).toEqual(unopenable);
    const later = await vaultOf(third, other ?? null);
    expect(await later.open(old, context)).toEqual(unopenable);
    expect(await later.open(fresh, context)).toEqual(opened("secret"));
  });

  it("tells by a seal's beginning whether the current key made it", async () => {
    const before = await vaultOf(master);
    const after = await vaultOf(other, master ?? null);
    expect((await before.seal("a", context)).startsWith(before.sealPrefix)).toBe(true);
    expect((await after.seal("a", context)).startsWith(after.sealPrefix)).toBe(true);
    expect((await before.seal("a", context)).startsWith(after.sealPrefix)).toBe(false);
    expect((await vaultOf(master)).sealPrefix).toBe(before.sealPrefix);
  });

  it("does not open a seal relabelled with another key's id", async () => {
    const vault = await vaultOf(other, master ?? null);
    const sealed = await (await vaultOf(master)).seal("secret", context);
    const relabelled = `${vault.sealPrefix}${sealed.split(".").slice(2).join(".")}`;
    expect(await vault.open(relabelled, context)).toEqual(unopenable);
  });

  it("never uses a nonce twice in 10,000 seals", async () => {
    const vault = await vaultOf();
    const nonces = new Set<string | undefined>();
    for (let count = 0; count < 10_000; count += 1)
      nonces.add((await vault.seal("", context)).split(".")[2]);
    expect(nonces.size).toBe(10_000);
  });

  it.each([
    "",
    ".",
    "...",
    "v1",
    "v1.",
    "v1...",
    "v2.a.b.c",
    "not a seal",
    "v1.a.b.c",
    "v1.000000000000.AAAA.AAAA",
  ])("calls %j unopenable", async (text) => {
    expect(await (await vaultOf()).open(text, context)).toEqual(unopenable);
  });

  it("calls anything else unopenable too, and never throws", async () => {
    const vault = await vaultOf();
    const part = fc.string({ unit: fc.constantFrom(..."A_-.=é \0".split("")), maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(part, part, async (nonce, text) => {
        expect(await vault.open(`${vault.sealPrefix}${nonce}.${text}`, context)).toEqual(
          unopenable,
        );
        expect(await vault.open(text, context)).toEqual(unopenable);
      }),
    );
  });
});
