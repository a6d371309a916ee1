/** The idempotency key is read from the request and is no part of the call. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/domain/json.ts";
import { idempotencyKeyOf, withoutIdempotencyKey } from "../../../src/mcp/idempotency-key.ts";

const member = "sampling-router/idempotencyKey";
const keyOf = (header: string | null, said?: unknown) => {
  const headers = new Headers(header === null ? {} : { "Idempotency-Key": header });
  const params = said === undefined ? {} : { metadata: { [member]: said } };
  return idempotencyKeyOf(headers, params as JsonObject);
};

describe("the idempotency key", () => {
  it("is none where none was sent", () => {
    expect(keyOf(null)).toEqual({ ok: true, value: null });
    for (const metadata of [null, [], "text", { other: "k" }])
      expect(idempotencyKeyOf(new Headers(), { metadata })).toEqual({
        ok: true,
        value: null,
      });
    expect(keyOf(null, null)).toEqual({ ok: true, value: null });
    expect(keyOf("k", null)).toEqual({ ok: true, value: "k" });
    // Not what every object inherits.
    expect(idempotencyKeyOf(new Headers(), {})).toEqual({ ok: true, value: null });
  });

  it.each([
    ["the header", "k", undefined],
    ["the metadata", null, "k"],
    ["both, being the same", "k", "k"],
  ])("comes in %s", (_, header, said) => {
    expect(keyOf(header, said)).toEqual({ ok: true, value: "k" });
  });

  it.each([
    ["both, differing", "k", "other", `metadata.${member}`],
    ["a number", null, 1, `metadata.${member}`],
    ["a number beside a header", "1", 1, `metadata.${member}`],
    ["an empty one", null, "", `metadata.${member}`],
    ["an empty header", "", undefined, "Idempotency-Key"],
    ["one too long", "k".repeat(256), undefined, "Idempotency-Key"],
    ["one too long in the metadata", null, "k".repeat(256), `metadata.${member}`],
  ])("is refused: %s", (_, header, said, path) => {
    const refused = keyOf(header, said);
    expect(refused).toMatchObject({ ok: false, error: { reason: "invalid_params", path } });
    expect(JSON.stringify(refused)).not.toContain("kkk");
  });

  it("is no part of what a request asks for", () => {
    const asked = { maxTokens: 1, metadata: { a: 1 } };
    const named = { ...asked, metadata: { [member]: "k", a: 1 } };
    expect(withoutIdempotencyKey(named)).toEqual(asked);
    expect(withoutIdempotencyKey({ maxTokens: 1, metadata: { [member]: "k" } })).toEqual({
      maxTokens: 1,
    });
    expect(withoutIdempotencyKey(asked)).toBe(asked);
    for (const metadata of [null, [], "text", { other: "k" }])
      expect(withoutIdempotencyKey({ metadata })).toEqual({ metadata });
  });

  it("may have 255 characters", () => {
    expect(keyOf("k".repeat(255))).toEqual({ ok: true, value: "k".repeat(255) });
  });
});
