/** What a call asks for is hashed and measured as its JSON is, and others work meanwhile. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { primitives } from "../../../../../src/crypto/primitives.ts";
import { createDigestContent } from "../../../../../src/pipeline/sampling/request/request-content.ts";

const read = async (content: Record<string, string>) => {
  let pauses = 0;
  const pause = async (): Promise<void> => void (pauses += 1);
  const of = createDigestContent({ ...primitives, pause });
  return { content: await of(content), pauses };
};

describe("what a call asks for", () => {
  it("is hashed as JSON.stringify writes it", async () => {
    for (const value of [{}, { a: "é😀" }, { a: "\n".repeat(200_000), b: "é".repeat(100_000) }]) {
      const text = JSON.stringify(value);
      const { content } = await read(value);
      expect(content).toMatchObject({
        sha256: createHash("sha256").update(text).digest("hex"),
        bytes: Buffer.byteLength(text),
        characters: text.length,
      });
      expect(content.text()).toBe(text);
    }
  });

  it("gives way while it is read, where it is large", async () => {
    expect((await read({ a: "a".repeat(60_000) })).pauses).toBe(0);
    expect((await read({ a: "a".repeat(1_000_000) })).pauses).toBeGreaterThan(10);
  });
});
