/** AWS's event streams are decoded whole and in pieces, and whatever is not one is an error. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  asEventStream,
  crc32,
  createEventDecoder,
} from "../../../../src/providers/clouds/event-stream.ts";
import { awsChunk, awsException, awsMessage } from "../../../fakes/event-stream.ts";

const bytesOf = (buffer: Buffer) => new Uint8Array(buffer);
const hex = (text: string) => bytesOf(Buffer.from(text.replaceAll(/\s/g, ""), "hex"));

/** Source: the vectors of Smithy's and aws-c-event-stream's test suites. */
const vectors = [
  ["no headers, no payload", "00000010 00000000 05c248eb 7d98c8ff", {}, ""],
  [
    "a payload alone",
    "0000001d 00000000 fd528c5a 7b27666f6f273a27626172277d c3653936",
    {},
    "{'foo':'bar'}",
  ],
  [
    "a header",
    `0000003d 00000020 07fd8396 0c 636f6e74656e742d74797065 07 0010
     6170706c69636174696f6e2f6a736f6e 7b27666f6f273a27626172277d 8d9c08b1`,
    { "content-type": "application/json" },
    "{'foo':'bar'}",
  ],
] as const;

describe("AWS's published vectors", () => {
  it.each(vectors)("%s", (_, message, headers, payload) => {
    const [event, ...more] = createEventDecoder().add(hex(message));
    expect(more).toEqual([]);
    expect(Object.fromEntries(event?.headers ?? [])).toEqual(headers);
    expect(Buffer.from(event?.payload ?? []).toString()).toBe(payload);
  });

  it("have the CRC of gzip", () => {
    expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
  });
});

const messages = fc.array(
  fc.record({
    headers: fc.dictionary(fc.string({ minLength: 1, maxLength: 9 }), fc.string({ maxLength: 20 })),
    payload: fc.uint8Array({ maxLength: 200 }),
  }),
  { maxLength: 5 },
);

/** Cuts bytes at these places. */
function* cut(bytes: Uint8Array<ArrayBuffer>, sizes: readonly number[]) {
  let at = 0;
  for (let turn = 0; at < bytes.byteLength; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    yield bytes.slice(at, at + size);
    at += size;
  }
}

describe("a stream", () => {
  it("is the same however its bytes are cut", () => {
    const sizes = fc.array(fc.nat(40), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(messages, sizes, (sent, at) => {
        const written = sent.map(({ headers, payload }) =>
          awsMessage(headers, Buffer.from(payload)),
        );
        const decoder = createEventDecoder();
        const read = [...cut(bytesOf(Buffer.concat(written)), at)].flatMap((piece) =>
          decoder.add(piece),
        );
        decoder.end();
        expect(read.map(({ payload }) => [...payload])).toEqual(
          sent.map(({ payload }) => [...payload]),
        );
        expect(read.map(({ headers }) => Object.fromEntries(headers))).toEqual(
          sent.map(({ headers }) => ({ ...headers })),
        );
      }),
    );
  });

  it("with one bit changed is an error, and gives out no wrong event", () => {
    const message = bytesOf(awsMessage({ a: "b" }, "some payload"));
    fc.assert(
      fc.property(fc.nat(message.byteLength * 8 - 1), (bit) => {
        const other = message.slice();
        other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const decoder = createEventDecoder();
        const reading = () => {
          expect(decoder.add(other)).toEqual([]);
          decoder.end();
        };
        expect(reading).toThrow(SyntaxError);
      }),
      { numRuns: 300 },
    );
  });

  it("of any bytes gives events or a SyntaxError", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 8 }), (pieces) => {
        const decoder = createEventDecoder();
        try {
          for (const piece of pieces) decoder.add(new Uint8Array(piece));
          decoder.end();
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(SyntaxError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("Bedrock's stream of Claude", () => {
  const sseOf = (...sent: Buffer[]) =>
    asEventStream(
      new Response(bytesOf(Buffer.concat(sent)), {
        headers: { "content-type": "application/vnd.amazon.eventstream" },
      }),
    );

  it("is Anthropic's", async () => {
    const event = {
      type: "message_stop",
      "amazon-bedrock-invocationMetrics": { outputTokenCount: 1 },
    };
    const response = sseOf(awsChunk({ type: "ping" }), awsChunk(event));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await response.text()).toBe(
      `event: ping\ndata: {"type":"ping"}\n\nevent: message_stop\ndata: ${JSON.stringify(event)}\n\n`,
    );
  });

  it("ends with an error in Anthropic's words", async () => {
    const text = await sseOf(awsException("throttlingException", "Too many tokens")).text();
    expect(text).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"rate_limit_error","message":"Too many tokens"}}\n\n',
    );
  });

  it("that is cut is an error", async () => {
    await expect(sseOf(awsChunk({ type: "ping" }).subarray(0, 40)).text()).rejects.toThrow(
      SyntaxError,
    );
  });
});
