/** Buffered random bytes are never handed out twice. */
import { describe, expect, it } from "vitest";
import { createRandomBytes } from "../../../src/crypto/random.ts";

/** Fills with bytes that count upwards, so that a byte that is given twice is seen. */
function counting() {
  let next = 0;
  let fills = 0;
  const take = createRandomBytes((bytes) => {
    fills += 1;
    for (let at = 0; at + 4 <= bytes.length; at += 4)
      new DataView(bytes.buffer).setUint32(at, (next += 1));
    return bytes;
  });
  return { take, fills: () => fills };
}

describe("random bytes", () => {
  it("are asked for by the thousand, and never given twice", () => {
    const { take, fills } = counting();
    const seen = Array.from({ length: 256 }, () => Buffer.from(take(16)).toString("hex"));
    expect(new Set(seen).size).toBe(256);
    expect(fills()).toBe(4);
  });

  it("do not change after the caller got them", () => {
    const { take } = counting();
    const first = take(8);
    const text = Buffer.from(first).toString("hex");
    take(1_000);
    take(1_000);
    expect(Buffer.from(first).toString("hex")).toBe(text);
    expect(first).toHaveLength(8);
  });

  it("are filled anew where not as many are left, also a great many at once", () => {
    const { take, fills } = counting();
    expect(take(1_000)).toHaveLength(1_000);
    expect(take(100)).toHaveLength(100);
    expect(take(5_000)).toHaveLength(5_000);
    expect(fills()).toBe(3);
  });
});
