import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSplitter, withData, type Block } from "../../../src/mcp/proxy/blocks.ts";

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const text = (raw: Uint8Array): string => new TextDecoder().decode(raw);

const split = (chunks: Uint8Array[]): Block[] => {
  const splitter = createSplitter();
  const blocks = chunks.flatMap((chunk) => splitter.push(chunk));
  const last = splitter.end();
  return last === null ? blocks : [...blocks, last];
};
const read = (chunks: Uint8Array[]) =>
  split(chunks).map(({ raw, data }) => ({ raw: text(raw), data }));

const stream =
  ': hi\n\nid: 1\nevent: message\ndata: {"é":"😀"}\n\ndata: a\ndata:b\ndata\r\n\r\nid: 2\rdata: c\r\rretry: 5\n\n\ndata: cut';

describe("blocks of a stream", () => {
  it("carry what the standard says", () => {
    expect(read([bytes(stream)])).toEqual([
      { raw: ": hi\n\n", data: null },
      { raw: 'id: 1\nevent: message\ndata: {"é":"😀"}\n\n', data: '{"é":"😀"}' },
      { raw: "data: a\ndata:b\ndata\r\n\r\n", data: "a\nb\n" },
      { raw: "id: 2\rdata: c\r\r", data: "c" },
      { raw: "retry: 5\n\n", data: null },
      { raw: "\n", data: null },
      { raw: "data: cut", data: null },
    ]);
  });

  it("are the same however the stream is cut, and lose no byte", () => {
    const whole = bytes(stream);
    const expected = read([whole]);
    expect(read([...whole].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
    for (let at = 0; at <= whole.length; at += 1)
      expect(read([whole.slice(0, at), whole.slice(at)])).toEqual(expected);
    const piece = fc.constantFrom("\n", "\r", "\r\n", "data:", "x", "é", ":", "id: 1");
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(60)), (pieces, cuts) => {
        const all = bytes(pieces.join(""));
        const at = [...cuts, all.length]
          .map((cut) => Math.min(cut, all.length))
          .toSorted((a, b) => a - b);
        const chunks = at.map((end, index) => all.slice(at[index - 1] ?? 0, end));
        const blocks = split(chunks);
        expect(blocks.map(({ raw }) => text(raw)).join("")).toBe(text(all));
        expect(read(chunks)).toEqual(read([all]));
      }),
      { numRuns: 500 },
    );
  });

  it("can be given other data", () => {
    const [, block] = split([bytes(stream)]);
    if (block === undefined) throw new Error("no block");
    expect(text(withData(block, '{"a":\n1}'))).toBe(
      'id: 1\nevent: message\ndata: {"a":\ndata: 1}\n\n',
    );
  });
});
