/** How a text is built is known before a parser sees it, however the text is cut. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDeeperThan } from "../../../src/domain/depth.ts";
import { messageBounds, readBody } from "../../../src/mcp/body.ts";
import { createStructureCounter, maxMembers, structureFault } from "../../../src/mcp/structure.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const many = `Has more than ${maxMembers} members and elements.`;

describe("the structure of a text", () => {
  it("has as many levels as the value that a parser makes of it, in whatever pieces it comes", () => {
    const text = fc.stringMatching(/^[[\]{}",\\a]{0,8}$/);
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "medium" },
        text,
        fc.integer(),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(text, tie("value"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(
        value,
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 1, max: 5 }),
        (made, levels, piece) => {
          const bytes = bytesOf(JSON.stringify(made));
          const counter = createStructureCounter(levels);
          let fault: string | null = null;
          for (let at = 0; at < bytes.length; at += piece)
            fault ??= counter.push(bytes.subarray(at, at + piece));
          expect(fault !== null).toBe(isDeeperThan(made, levels));
          expect(structureFault(bytes, levels)).toBe(fault);
        },
      ),
    );
  });

  it.each([
    [
      "keys of one object",
      `{${Array.from({ length: maxMembers + 1 }, (_, i) => `"k${i}":1`).join()}}`,
    ],
    ["elements", `[${"1,".repeat(maxMembers)}1]`],
    ["empty arrays", `[${"[],".repeat(maxMembers / 2)}[]]`],
    ["levels", "[".repeat(maxMembers + 1)],
  ])("has a bounded number of %s", (_, text) => {
    expect(structureFault(bytesOf(text), Infinity)).toBe(many);
  });

  it("counts nothing inside of strings", () => {
    const text = JSON.stringify({ text: '[{,"\\'.repeat(maxMembers) });
    expect(structureFault(bytesOf(text), 1)).toBeNull();
  });
});

describe("a body", () => {
  const requestOf = (body: string, headers: Record<string, string> = {}) =>
    new Request("http://x/", { method: "POST", body, headers });

  it("that declares more bytes than an endpoint takes is refused unread", async () => {
    const request = requestOf("[]", { "Content-Length": "2000" });
    const read = await readBody(request, { maxBytes: 1_000, maxLevels: 1 });
    expect(read).toEqual({
      ok: false,
      error: { reason: "payload_too_large", limitBytes: 1_000 },
    });
    expect(request.bodyUsed).toBe(false);
  });

  it.each([
    ["small", 20_000],
    ["large", 200_000],
  ])("that is nested too deep is refused: %s", async (_, levels) => {
    const body = "[".repeat(levels);
    for (const headers of [{}, { "Content-Length": String(levels) }]) {
      const read = await readBody(requestOf(body, headers), { ...messageBounds, maxLevels: 64 });
      const detail = "Nested deeper than 64 levels.";
      expect(read).toEqual({ ok: false, error: { reason: "bad_request", detail } });
    }
  });
});
