/** base64url and SHA-256 match Node's, and each value has one spelling. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBase64Url, toBase64Url, toHex } from "../../../src/crypto/encoding.ts";
import { sha256 } from "../../../src/crypto/hashes.ts";
import { sameText } from "../../../src/crypto/same-text.ts";

const bytes = fc.uint8Array({ maxLength: 200 });

describe("base64url", () => {
  it("gives back every byte", () => {
    fc.assert(
      fc.property(bytes, (given) => {
        expect(fromBase64Url(toBase64Url(given))).toEqual(given);
      }),
    );
  });

  it("is the one that Node writes", () => {
    fc.assert(
      fc.property(bytes, (given) => {
        expect(toBase64Url(given)).toBe(Buffer.from(given).toString("base64url"));
      }),
    );
  });

  it("has one spelling for each value, so that a text which can be read is the text that would be written", () => {
    const text = fc.string({
      unit: fc.constantFrom(..."AQgwBb09-_=+/ \n".split("")),
      maxLength: 9,
    });
    fc.assert(
      fc.property(text, (given) => {
        const read = fromBase64Url(given);
        if (read !== null) expect(toBase64Url(read)).toBe(given);
      }),
    );
  });

  it.each(["a", "ab=", "a+bc", "a/bc", "ab c", "ab\n", "ä", "QR"])("is null for %j", (text) => {
    expect(fromBase64Url(text)).toBeNull();
  });
});

describe("hashing and comparing", () => {
  it("is SHA-256, of text as UTF-8", async () => {
    const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    expect(toHex(await sha256(""))).toBe(empty);
    expect(await sha256("grüße")).toEqual(await sha256(new TextEncoder().encode("grüße")));
  });

  it("calls equal texts the same, and other texts different", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (a, b) => {
        expect(await sameText(a, a)).toBe(true);
        expect(await sameText(a, b)).toBe(a === b);
      }),
      { numRuns: 50 },
    );
    expect(await sameText("secret", "secret ")).toBe(false);
  });
});
