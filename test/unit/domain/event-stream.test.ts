/** Server-sent events are parsed the same however the stream is chunked. */
import { array, assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { createEventReader, streamEnd } from "../../../src/domain/event-stream.ts";

const stream =
  'event: ready\nid: 7\ndata: {}\n\n: silence\n\nevent: started\nid: 8\ndata: {"a":"b: c"}\n\n';

describe("a stream of server-sent events", () => {
  it("gives the same events however its text is cut", () => {
    const whole = createEventReader()(stream);
    expect(whole).toEqual([
      { kind: "ready", id: "7", data: "{}" },
      { kind: "started", id: "8", data: '{"a":"b: c"}' },
    ]);
    assert(
      property(array(integer({ min: 1, max: 9 })), (sizes) => {
        const read = createEventReader();
        let from = 0;
        const found = [...sizes, stream.length].flatMap((size) => {
          const piece = stream.slice(from, from + size);
          from += size;
          return read(piece);
        });
        expect(found).toEqual(whole);
      }),
    );
  });

  it.each(["\n", "\r\n", "\r"])(
    "takes %j for the end of a line, however the text is cut",
    (end) => {
      const text = ["data: a", "data:b", "data", "", "data: c", "", ""].join(end);
      const read = createEventReader();
      expect([...text].flatMap((piece) => read(piece)).map(({ data }) => data)).toEqual([
        "a\nb\n",
        "c",
      ]);
    },
  );

  it("gives nothing of an event that is not whole, until its stream ends", () => {
    const read = createEventReader();
    expect(read("event: ended\ndata: {}")).toEqual([]);
    expect(read(streamEnd)).toEqual([{ kind: "ended", id: null, data: "{}" }]);
  });
});
