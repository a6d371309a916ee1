/** Server-sent events are parsed the same however the stream is chunked. */
import { array, assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { createEventReader } from "../../../src/console/live/server-events.ts";

const stream =
  'event: ready\nid: 7\ndata: {}\n\n: silence\n\nevent: begun\nid: 8\ndata: {"a":"b: c"}\n\n';

describe("a stream of server-sent events", () => {
  it("gives the same events however its text is cut", () => {
    const whole = createEventReader()(stream);
    expect(whole).toEqual([
      { kind: "ready", id: "7", data: "{}" },
      { kind: "begun", id: "8", data: '{"a":"b: c"}' },
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

  it("gives nothing of an event that is not whole", () => {
    expect(createEventReader()("event: ended\ndata: {}\n")).toEqual([]);
  });
});
