/** The proxy's event splitter: every byte that is not for the router comes out again, however it came in. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { surelyHarmless } from "../../../src/mcp/json-text/message-head.ts";
import { createEventReader } from "../../../src/mcp/sse/event-data.ts";
import { createEventSplitter } from "../../../src/mcp/sse/event-splitter.ts";
import type { Segment } from "../../../src/mcp/sse/segment.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

const mayNeedRouter = (data: string): boolean => data.includes("createMessage");
const create = (maxEventBytes = 100_000) =>
  createEventSplitter({ maxEventBytes, mayNeedRouter, surelyHarmless });

/** Everything that comes out, events included, as bytes. */
const joined = (segments: readonly Segment[]): Buffer =>
  Buffer.concat(
    segments.map((segment) => (segment.kind === "oversized" ? new Uint8Array(0) : segment.bytes)),
  );

function through(chunks: readonly Uint8Array<ArrayBuffer>[], maxEventBytes?: number): Segment[] {
  const splitter = create(maxEventBytes);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

function cut(bytes: Uint8Array<ArrayBuffer>, places: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted(
    (a, b) => a - b,
  );
  return [0, ...sorted].map((from, at) => bytes.slice(from, sorted[at] ?? bytes.length));
}
const everyByte = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] =>
  [...bytes].map((byte) => Uint8Array.of(byte));

const eventsIn = (segments: readonly Segment[]) =>
  segments.flatMap((segment) =>
    segment.kind === "event" ? [{ data: segment.data, id: segment.id }] : [],
  );

/** Words without a line end. */
const words = fc
  .string({ unit: "grapheme", maxLength: 12 })
  .map((text) => text.replaceAll(/[\r\n]/g, ""));
const lineEnd = fc.constantFrom("\n", "\r", "\r\n");
const plainLine = fc.oneof(
  words.map((text) => `: ${text}`),
  words.map((text) => `data: ${text}`),
  words.map((text) => `data:${text}`),
  words.map((text) => `id: ${text}`),
  fc.nat(9_999).map((ms) => `retry: ${ms}`),
  fc.constantFrom(
    "event: message",
    "event: other",
    "data",
    "id",
    ":",
    "unknown",
    'data: {"jsonrpc":"2.0","id":1,"result":{}}',
    'data: {"result":{"text":"é€😀"}}',
  ),
);
const ownEvent = fc
  .record({ number: fc.nat(999), id: fc.option(fc.nat(99)), split: fc.boolean() })
  .map(({ number, id, split }) => [
    ...(id === null ? [] : [`id: ${id}`]),
    "event: message",
    ...(split
      ? [`data: {"method":"sampling/createMessage",`, `data: "id":${number}}`]
      : [`data: {"method":"sampling/createMessage","id":${number}}`]),
  ]);
const block = fc.oneof(
  { weight: 3, arbitrary: fc.array(plainLine, { maxLength: 4 }) },
  { weight: 1, arbitrary: ownEvent },
);
const stream = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.tuple(block, lineEnd), { maxLength: 8 }),
    fc.constantFrom("", "data: cut o", "data: x\n", ": c"),
  )
  .map(([bom, blocks, tail]) => ({
    text: `${bom ? "\uFEFF" : ""}${blocks.map(([lines, end]) => [...lines, ""].map((line) => line + end).join("")).join("")}${tail}`,
    own: blocks.flatMap(([lines]) => lines.filter((line) => line.includes("createMessage"))).length,
  }));

const reading = () =>
  createEventSplitter({
    maxEventBytes: 100_000,
    mayNeedRouter,
    surelyHarmless,
    read: createEventReader,
  });
const readThrough = (chunks: readonly Uint8Array<ArrayBuffer>[]): Segment[] => {
  const splitter = reading();
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
};
const unreadableIn = (segments: readonly Segment[]): number =>
  segments.filter(({ kind }) => kind === "unreadable").length;

describe("the event splitter, where events are read as others may", () => {
  const good = [
    'data: {"jsonrpc":"2.0","id":1,"result":{"x":"é\u2028"}}',
    'id: 7\nevent: message\ndata: {"jsonrpc":"2.0",\ndata: "method":"notifications/x"}',
    "id: 8\ndata:",
    "event: ping\ndata: 2026-11-22 12:00:00",
    "retry: 5\n: comment",
    "data",
  ];
  const bad = [
    'data: {"jsonrpc":"2.0","id":1,"method":"a","method":"createMessage"}',
    'data: {"jsonrpc":"2.0",\ndata: "id":1,"ID":2,"method":"createMessage"}',
    'event: other\ndata: {"Method":"createMessage"}',
    "data: {createMessage}",
    "data: NaN\ndata: {}",
    'data: \uFEFF{"method":"createMessage"}',
    ": createMessage\u2028",
    "id: \u0085createMessage\ndata: 1",
    'data: {"result":{},"x":"createMessage',
  ];
  const someBlock = fc.oneof(fc.constantFrom(...good), fc.constantFrom(...bad));

  it("passes every byte that all clients read alike, and no event that they don't, wherever the stream is cut", () => {
    const places = fc.array(fc.nat(600), { maxLength: 20 });
    const ends = fc.constantFrom("\n", "\r", "\r\n");
    fc.assert(
      fc.property(fc.array(someBlock, { maxLength: 6 }), ends, places, (blocks, end, cuts) => {
        const textOf = (some: readonly string[]): string =>
          some.map((each) => `${each}\n\n`.replaceAll("\n", end)).join("");
        const bytes = bytesOf(textOf(blocks));
        const kept = Buffer.from(textOf(blocks.filter((each) => !bad.includes(each))));
        const whole = readThrough([bytes]);
        const passed = whole.filter(({ kind }) => kind !== "unreadable");
        expect(joined(passed).equals(kept)).toBe(true);
        expect(unreadableIn(whole)).toBe(blocks.filter((each) => bad.includes(each)).length);
        for (const chunks of [cut(bytes, cuts), everyByte(bytes)]) {
          const inParts = readThrough(chunks);
          expect(joined(inParts).toString()).not.toMatch(/createMessage.{0,3}\r?\n\r?\n/);
          const rest = joined(inParts.filter(({ kind }) => kind !== "unreadable")).toString();
          for (const each of blocks.filter((one) => !bad.includes(one)))
            expect(rest).toContain(each.replaceAll("\n", end));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("leaves an unreadable event's plain id, and takes other data in its place", () => {
    const [segment] = readThrough([bytesOf('id: 7\nx: 1\ndata: {"id":1,"id":2}\n\n')]);
    if (segment?.kind !== "unreadable") throw new Error("readable");
    expect(decoder.decode(segment.bytes)).toBe("id: 7\ndata:\n\n");
    expect(decoder.decode(segment.whole?.withData("[]"))).toBe("id: 7\ndata: []\n\n");
  });

  it("ends an event that has begun to pass with a type that no client reads", () => {
    for (const [lines, gone] of [
      [['data: {"result":{"x":"', 'y"}', ',"result":1}\n\ndata: 1\n\n'], "\n"],
      [['data: {"result":{"x":"\n'], ""],
    ] as const) {
      const splitter = reading();
      const begun = splitter.push(bytesOf(`data: {"result":{"a":"${"x".repeat(2_000)}",`));
      expect(joined(begun).length).toBeGreaterThan(2_000);
      const out = lines.flatMap((each) => splitter.push(bytesOf(each)));
      expect(unreadableIn(out)).toBe(1);
      const ending = out.find(({ kind }) => kind === "unreadable");
      if (ending?.kind !== "unreadable") throw new Error("readable");
      expect(decoder.decode(ending.bytes)).toMatch(/^\n?event: unreadable\n\n$/);
      if (gone !== "") expect(joined(out).toString()).toContain("data: 1\n\n");
    }
  });

  it("takes the stream's unfinished end for an event, since some clients do", () => {
    const asks = 'data: {"id":1,"method":"sampling/createMessage"}';
    expect(eventsIn(readThrough([bytesOf(asks)]))).toHaveLength(1);
    expect(eventsIn(readThrough([bytesOf(`${asks}\n`)]))).toHaveLength(1);
  });

  it("hands out events of any type, since some clients look at none", () => {
    const text = 'event: ping\ndata: {"method":"sampling/createMessage"}\n\n';
    expect(eventsIn(readThrough([bytesOf(text)]))).toHaveLength(1);
  });
});

describe("the event splitter", () => {
  it("gives back every byte, whatever the stream and wherever it is cut", () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(2_000), { maxLength: 20 }), ({ text }, places) => {
        const bytes = bytesOf(text);
        const whole = Buffer.from(bytes);
        expect(joined(through([bytes])).equals(whole)).toBe(true);
        expect(joined(through(cut(bytes, places))).equals(whole)).toBe(true);
        expect(joined(through(everyByte(bytes))).equals(whole)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("finds the same whole events, wherever the stream is cut", () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(2_000), { maxLength: 20 }), ({ text, own }, places) => {
        const bytes = bytesOf(text);
        const found = eventsIn(through([bytes]));
        expect(found).toHaveLength(own);
        for (const { data } of found) expect(JSON.parse(data)).toHaveProperty("method");
        expect(eventsIn(through(cut(bytes, places)))).toEqual(found);
        expect(eventsIn(through(everyByte(bytes)))).toEqual(found);
      }),
      { numRuns: 500 },
    );
  });

  it("leaves a taken event's id with empty data, its comments and its retry", () => {
    const segment = through([
      bytesOf(
        ': c\nid: 7\nretry: 5\nevent: message\ndata: {"method":"sampling/createMessage"}\n\n',
      ),
    ]).find(({ kind }) => kind === "event");
    if (segment?.kind !== "event") throw new Error("no event");
    expect(segment.id).toBe("7");
    expect(decoder.decode(segment.rest)).toBe(": c\nid: 7\nretry: 5\ndata:\n\n");
    expect(decoder.decode(segment.withData("[]"))).toBe(
      ": c\nid: 7\nretry: 5\nevent: message\ndata: []\n\n",
    );
  });

  it("can replace an event's data by data of several lines", () => {
    const [segment] = through([bytesOf("data: [1,\ndata: createMessage]\n\n")]);
    if (segment?.kind !== "event") throw new Error("no event");
    expect(segment.data).toBe("[1,\ncreateMessage]");
    expect(decoder.decode(segment.withData("[1,\n2]"))).toBe("data: [1,\ndata: 2]\n\n");
  });

  it("reads a first line behind a byte order mark, and no other", () => {
    const marked = "\uFEFFdata: createMessage\n\n";
    expect(eventsIn(through([bytesOf(marked)]))).toHaveLength(1);
    expect(eventsIn(through(everyByte(bytesOf(marked))))).toHaveLength(1);
    expect(eventsIn(through([bytesOf(`: c\n\n${marked}`)]))).toHaveLength(0);
  });

  it("leaves nothing of a taken event without an id", () => {
    const [segment] = through([bytesOf("event: message\ndata: createMessage\n\n")]);
    expect(segment).toMatchObject({ kind: "event", id: null, rest: new Uint8Array(0) });
  });

  it("hands out no event of another type", () => {
    expect(eventsIn(through([bytesOf("event: ping\ndata: createMessage\n\n")]))).toEqual([]);
  });

  it("lets a response through while it arrives, however large", () => {
    const splitter = create(1_000);
    const head = bytesOf('id: 1\ndata: {"jsonrpc":"2.0","id":3,"result":{"text":"');
    const body = bytesOf("createMessage ".repeat(500));
    const out = [splitter.push(head), splitter.push(body), splitter.push(bytesOf('"}}\n\n'))];
    expect(out.map((segments) => joined(segments).length)).toEqual([head.length, body.length, 5]);
    expect(out.flat().every(({ kind }) => kind === "bytes")).toBe(true);
    // And the next event is an event again.
    expect(eventsIn(splitter.push(bytesOf("data: createMessage\n\n")))).toHaveLength(1);
  });

  it("knows an event's end while it passes, however its lines are cut", () => {
    const splitter = create(1_000);
    const chunks = [
      'data: {"result":"',
      'x",',
      "\n",
      "data: createMessage",
      "\r",
      "\n",
      'data: "}',
      "\n\n",
    ];
    const out = chunks.flatMap((chunk) => splitter.push(bytesOf(chunk)));
    expect(joined(out).toString()).toBe(chunks.join(""));
    expect(eventsIn(out)).toEqual([]);
    expect(splitter.isBetweenEvents()).toBe(true);
  });

  it("lets a notification through that is too large to hold, and takes out a message that may be for the router", () => {
    const long = "x".repeat(3_000);
    const notice = bytesOf(`data: {"method":"notifications/message","params":"${long}"}\n\n`);
    expect(joined(through(cut(notice, [100, 2_000]), 1_000)).equals(Buffer.from(notice))).toBe(
      true,
    );
    const ours = bytesOf(
      `data: {"id":4,"method":"sampling/createMessage","params":"${long}"}\n\ndata: after\n\n`,
    );
    const out = through(cut(ours, [100, 2_000]), 1_000);
    expect(out[0]).toMatchObject({ kind: "oversized", head: expect.stringContaining('"id":4') });
    expect(joined(out).toString()).toBe("data: after\n\n");
  });

  it("takes out an event of too many lines, whatever follows in it", () => {
    const lines = bytesOf("a\n".repeat(70_000));
    const ours = bytesOf('data: {"id":4,"method":"sampling/createMessage"}\n\ndata: after\n\n');
    const out = through([lines, ours], 1_000_000);
    expect(out[0]).toEqual({ kind: "oversized", head: "" });
    expect(eventsIn(out)).toEqual([]);
    expect(joined(out).toString()).toBe("data: after\n\n");
  });

  it("passes a comment on before anything else comes", () => {
    const splitter = create();
    expect(joined(splitter.push(bytesOf(": alive\n"))).toString()).toBe(": alive\n");
    expect(joined(splitter.push(bytesOf("\n"))).toString()).toBe("\n");
  });
});
