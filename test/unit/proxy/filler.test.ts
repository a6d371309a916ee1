/** What is written into a body that stands still changes nothing of what it says. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFiller } from "../../../src/proxy/filler.ts";
import { createEventSplitter } from "../../../src/mcp/sse/event-splitter.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The text in pieces, with whatever may be written after each. */
function filled(kind: "json" | "events", pieces: readonly Uint8Array<ArrayBuffer>[]) {
  const filler = createFiller(kind);
  const first = filler.next();
  const parts: Uint8Array[] = first === null ? [] : [first];
  let fillers = 0;
  for (const piece of pieces) {
    filler.passed(piece);
    parts.push(piece);
    const more = filler.next();
    if (more === null) continue;
    parts.push(more);
    fillers += 1;
  }
  return { text: decoder.decode(Buffer.concat(parts)), fillers };
}

const piecesOf = (text: string, size: number): Uint8Array<ArrayBuffer>[] => {
  const bytes = encoder.encode(text);
  const count = Math.ceil(bytes.byteLength / size);
  return Array.from({ length: count }, (_, at) => bytes.slice(at * size, (at + 1) * size));
};

describe("blanks in JSON", () => {
  it("change no value, wherever it is cut", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 9 }), (value, size) => {
        const { text } = filled("json", piecesOf(JSON.stringify(value), size));
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each([
    ['{"a":', true],
    ['{"a', false],
    ['{"a\\\\"', true],
    ['{"a\\"', false],
    ['{"a":12', false],
    ['{"a":tru', false],
    ["", true],
  ])("after %s: %s", (text, may) => {
    const filler = createFiller("json");
    filler.passed(encoder.encode(text));
    expect(filler.next() !== null).toBe(may);
  });

  it("are held back between a backslash and the character that it escapes", () => {
    const filler = createFiller("json");
    for (const piece of ['{"a', "\\", '"', "b"]) filler.passed(encoder.encode(piece));
    expect(filler.next()).toBeNull();
    filler.passed(encoder.encode('"'));
    expect(filler.next()).not.toBeNull();
  });
});

describe("comments in a stream", () => {
  it.each(["\n", "\r\n", "\r"])("change no event, wherever it is cut; lines end with %j", (end) => {
    const stream = ["event: message", "data: {", "data: }", "", "id: 7", "data: 2", "", ""].join(
      end,
    );
    for (let size = 1; size < 12; size += 1) {
      const { text } = filled("events", piecesOf(stream, size));
      const splitter = createEventSplitter({
        maxEventBytes: 1_000,
        mayNeedRouter: () => true,
        surelyHarmless: () => false,
      });
      const events = splitter
        .push(encoder.encode(text))
        .flatMap((segment) => (segment.kind === "event" ? [segment.data] : []));
      expect(events).toEqual(["{\n}", "2"]);
    }
  });

  it("may come before anything has been sent, and not within a line", () => {
    expect(createFiller("events").next()).not.toBeNull();
    const filler = createFiller("events");
    filler.passed(encoder.encode("data: [1,"));
    expect(filler.next()).toBeNull();
  });
});
