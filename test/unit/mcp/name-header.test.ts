/** The `Mcp-Name` header has to agree with the body. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkName } from "../../../src/mcp/rev2026/headers.ts";

const check = (value: string | null, method: string, params: Record<string, string | number>) =>
  checkName({ get: () => value }, method, params);
const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;
const refused = (missing: boolean) => ({
  ok: false,
  error: { reason: "header_mismatch", header: "Mcp-Name", missing },
});

describe("Mcp-Name", () => {
  // cites: H-030
  it("says what the body says, as it is or encoded", () => {
    expect(check("ask", "tools/call", { name: "ask" }).ok).toBe(true);
    expect(check(" ask ", "prompts/get", { name: "ask" }).ok).toBe(true);
    expect(check("file:///x", "resources/read", { uri: "file:///x" }).ok).toBe(true);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        expect(check(base64(name), "tools/call", { name }).ok).toBe(true);
      }),
    );
  });

  it.each([
    ["another name", "tell", { name: "ask" }],
    ["another case", "Ask", { name: "ask" }],
    ["another name, encoded", base64("tell"), { name: "ask" }],
    ["base64 that is none", "=?base64?a$b?=", { name: "ask" }],
    ["base64 of no text", "=?base64?/w==?=", { name: "\ufffd" }],
    ["the encoded text itself", base64("ask"), { name: base64("ask") }],
  ])("is refused with %s", (_, value, params) => {
    expect(check(value, "tools/call", params)).toEqual(refused(false));
  });

  it("is demanded where there is a name, and nowhere else", () => {
    expect(check(null, "tools/call", { name: "ask" })).toEqual(refused(true));
    expect(check(null, "tools/call", { name: 5 }).ok).toBe(true);
    expect(check(null, "tools/list", { name: "ask" }).ok).toBe(true);
    expect(check("whatever", "toString", {}).ok).toBe(true);
  });
});
