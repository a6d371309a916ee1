/** Codes follow RFC 2104 and RFC 5869 and are separate for each purpose and master key. */
import { createHmac, hkdfSync } from "node:crypto";
import { expect, it } from "vitest";
import { createMac } from "../../../src/crypto/mac.ts";

const keyOf = (fill: number): Uint8Array<ArrayBuffer> => new Uint8Array(32).fill(fill);
const macOf = (master: number, previous: number | null, purpose = "rows") =>
  createMac({
    master: keyOf(master),
    previous: previous === null ? null : keyOf(previous),
    purpose,
  });

it("makes the HMAC that RFC 2104 describes, under a key that RFC 5869 derives", async () => {
  const mac = await macOf(1, null);
  const key = hkdfSync("sha256", keyOf(1), "", "sampling-router/mac/rows/v1", 32);
  const hash = createHmac("sha256", Buffer.from(key)).update("a row").digest("base64url");
  expect(await mac.code("a row")).toBe(mac.codePrefix + hash);
});

it("checks a code for its text alone", async () => {
  const mac = await macOf(1, null);
  const code = await mac.code("a row");
  expect(await mac.check("a row", code)).toBe(true);
  expect(await mac.check("another row", code)).toBe(false);
  for (const wrong of [null, "", mac.codePrefix, `${code}A`, code.slice(0, -1), code.slice(3)])
    expect(await mac.check("a row", wrong)).toBe(false);
});

it("keeps the codes of two purposes and of two master keys apart", async () => {
  const code = await (await macOf(1, null)).code("a row");
  expect(await (await macOf(1, null, "keys")).check("a row", code)).toBe(false);
  expect(await (await macOf(2, null)).check("a row", code)).toBe(false);
});

it("counts a code of the previous master key, and makes new ones with the current key", async () => {
  const code = await (await macOf(1, null)).code("a row");
  const rotated = await macOf(2, 1);
  expect(await rotated.check("a row", code)).toBe(true);
  expect(code.startsWith(rotated.codePrefix)).toBe(false);
  expect((await rotated.code("a row")).startsWith(rotated.codePrefix)).toBe(true);
});
