/** Bytes into messages, whatever the bytes and however they are cut. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messageBounds, readBody } from "../../../src/mcp/body.ts";
import { errorMessage, parseEnvelope, resultMessage } from "../../../src/mcp/jsonrpc.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const parse = (value: unknown) => parseEnvelope(encode(JSON.stringify(value)));

/** Texts whose characters take one to four bytes, so that cuts fall inside of them. */
const text = fc.string({
  unit: fc.constantFrom("a", '"', "\\", "é", "€", "漢", "👩‍🔬", "\u2028", "\u0000"),
});
const id = fc.oneof(fc.maxSafeInteger(), text);
const params = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.array(text)));
const message = fc.oneof(
  fc.record({ jsonrpc: fc.constant("2.0"), id, method: text, params }),
  fc.record({ jsonrpc: fc.constant("2.0"), method: text, params }),
  fc.record({ jsonrpc: fc.constant("2.0"), id, result: params }),
);

/** A body that arrives in pieces of the given sizes, and then the rest at once. */
function requestOf(bytes: Uint8Array, sizes: readonly number[]): Request {
  let at = 0;
  const pieces = [...sizes, bytes.length].map((size) => bytes.slice(at, (at += size)));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) if (piece.length > 0) controller.enqueue(piece);
      controller.close();
    },
  });
  // Node wants `duplex` for a streamed body, and its types don't know it.
  return new Request("http://x/", { method: "POST", body, duplex: "half" } as RequestInit);
}

describe("a body", () => {
  it("means the same however it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(message, fc.array(message, { maxLength: 4 })),
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 }),
        async (value, sizes) => {
          const whole = encode(JSON.stringify(value));
          const read = await readBody(requestOf(whole, sizes), messageBounds);
          expect(read).toEqual({ ok: true, value: whole });
          expect(read.ok && parseEnvelope(read.value)).toEqual(parseEnvelope(whole));
        },
      ),
    );
  });

  it("means the same when every byte comes alone, also within a character", async () => {
    const value = { jsonrpc: "2.0", id: "漢👩‍🔬", method: "ping", params: { é: "€\u2028" } };
    const whole = encode(JSON.stringify(value));
    const read = await readBody(
      requestOf(
        whole,
        Array.from(whole, () => 1),
      ),
      messageBounds,
    );
    expect(read.ok && parseEnvelope(read.value)).toEqual({
      ok: true,
      value: {
        batch: false,
        messages: [
          {
            ok: true,
            value: { kind: "request", id: value.id, method: "ping", params: value.params },
          },
        ],
      },
    });
  });

  it("that ends inside a character is no JSON", () => {
    const whole = encode('{"jsonrpc":"2.0","method":"漢');
    for (const cut of [1, 2])
      expect(parseEnvelope(whole.slice(0, -cut))).toEqual({
        ok: false,
        error: { reason: "parse_error" },
      });
  });

  it.each([
    ["a byte that begins nothing", [0xff]],
    ["half a character", [0xe6, 0xbc]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["half a surrogate pair", [0xed, 0xa0, 0x80]],
  ])("is no JSON with %s in a text, rather than another text", (_, bytes) => {
    const [before, after] = ['{"jsonrpc":"2.0","method":"', '"}'].map(encode);
    const whole = new Uint8Array([...(before ?? []), ...bytes, ...(after ?? [])]);
    expect(parseEnvelope(whole)).toEqual({ ok: false, error: { reason: "parse_error" } });
  });

  it("that is missing is an empty one", async () => {
    const read = await readBody(new Request("http://x/", { method: "POST" }), messageBounds);
    expect(read).toEqual({ ok: true, value: new Uint8Array() });
  });
});

describe("an envelope", () => {
  it("is read or refused, and never throws, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const { ok } = parseEnvelope(bytes);
        expect(typeof ok).toBe("boolean");
      }),
    );
  });

  it("is read or refused, and never throws, whatever the JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const parsed = parse(value);
        if (!parsed.ok) expect(parsed.error.reason).toBe("invalid_request");
      }),
    );
  });

  it("is read or refused, and never throws, with one byte of it changed", () => {
    fc.assert(
      fc.property(message, fc.nat(), fc.integer({ min: 0, max: 255 }), (value, at, byte) => {
        const bytes = encode(JSON.stringify(value));
        bytes[at % bytes.length] = byte;
        expect(() => parseEnvelope(bytes)).not.toThrow();
      }),
    );
  });

  it("is refused however deep it is nested", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const)
      for (const depth of [66, 1_000, 200_000]) {
        const bytes = encode(`${open.repeat(depth)}1${close.repeat(depth)}`);
        expect(parseEnvelope(bytes)).toMatchObject({ ok: false });
      }
  });

  it("keeps the id, the method and the params of every message, in order", () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 50 }), (values) => {
        const parsed = parse(values);
        const expected = values.map((value) =>
          "method" in value
            ? {
                kind: "id" in value ? "request" : "notification",
                ...("id" in value ? { id: value.id } : {}),
                method: value.method,
                params: JSON.parse(JSON.stringify(value.params)) as unknown,
              }
            : { kind: "response" },
        );
        expect(parsed.ok && parsed.value.batch).toBe(true);
        const got = parsed.ok ? parsed.value.messages.map((one) => one.ok && one.value) : [];
        expect(got).toEqual(expected);
      }),
    );
  });

  it("is refused as a batch of none and as a batch without end", () => {
    const one = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect(parse([])).toMatchObject({ ok: false, error: { reason: "invalid_request" } });
    expect(parse(Array.from({ length: 50 }, () => one)).ok).toBe(true);
    expect(parse(Array.from({ length: 51 }, () => one)).ok).toBe(false);
  });

  it("says which message of a batch is wrong by its id, where it has one", () => {
    const parsed = parse([
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "1.0", id: "two", method: "ping" },
      { jsonrpc: "2.0", id: 1.5, method: "ping" },
      7,
    ]);
    const ids = parsed.ok
      ? parsed.value.messages.map((one) => (one.ok ? "fine" : one.error.id))
      : [];
    expect(ids).toEqual(["fine", "two", null, null]);
  });

  it("takes `__proto__` for a key like any other", () => {
    const parsed = parseEnvelope(
      encode('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"polluted":true}}}'),
    );
    expect(parsed.ok).toBe(true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("an answer", () => {
  it("survives the wire with its id and its result", () => {
    fc.assert(
      fc.property(id, params, (requestId, result) => {
        const wire = JSON.stringify(resultMessage(requestId, result));
        expect(JSON.parse(wire)).toEqual(
          JSON.parse(JSON.stringify({ jsonrpc: "2.0", id: requestId, result })),
        );
        expect(parseEnvelope(encode(wire))).toMatchObject({
          ok: true,
          value: { messages: [{ ok: true, value: { kind: "response" } }] },
        });
      }),
    );
  });

  it("has no id where none is known, and never null", () => {
    expect(errorMessage(null, { reason: "parse_error" }, -32700, "req_0")).toEqual({
      jsonrpc: "2.0",
      error: {
        code: -32700,
        message: "Parse error",
        data: { reason: "parse_error", requestId: "req_0", retryable: false },
      },
    });
  });
});
