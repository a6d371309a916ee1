/** A stream is cut into whole events, whatever the pieces in which it comes, and not a byte of it changes. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createEventBytes, dataOf, eventsIn } from "../../../src/providers/event-bytes.ts";

const encoder = new TextEncoder();
const line = fc.stringMatching(/^[ -~é€😀]{0,12}$/u);
const ending = fc.constantFrom("\n", "\r\n");
const event = fc
  .tuple(
    fc.array(
      line.filter((text) => text !== ""),
      { minLength: 1, maxLength: 3 },
    ),
    ending,
  )
  .map(([lines, end]) => lines.map((text) => text + end).join("") + end);

it("in any pieces", () => {
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 6 }),
      fc.string({ maxLength: 5 }).filter((text) => !text.includes("\n")),
      fc.array(fc.nat(40), { maxLength: 40 }),
      (events, rest, cuts) => {
        const bytes = encoder.encode(events.join("") + rest);
        const take = createEventBytes();
        const given: string[] = [];
        const places = [...cuts.map((cut) => Math.min(cut * 3, bytes.length)), bytes.length];
        let from = 0;
        for (const to of places.toSorted((a, b) => a - b)) {
          const whole = take(bytes.slice(from, to));
          from = to;
          if (whole !== null) given.push(new TextDecoder().decode(whole));
        }
        expect(given.join("")).toBe(events.join(""));
        expect(given.flatMap(eventsIn)).toEqual(events);
      },
    ),
  );
});

it("each with its data", () => {
  expect(
    ["data: a\n\n", "data:a\ndata: b\r\n\r\n", ": c\n\n", "event: x\ndata:  y\nid: 1\n\n"].map(
      dataOf,
    ),
  ).toEqual(["a", "a\nb", null, " y"]);
});

it("one that never ends is too large", () => {
  const take = createEventBytes();
  const piece = encoder.encode("x".repeat(1024 * 1024));
  expect(() => {
    for (let sent = 0; sent < 9; sent += 1) take(piece);
  }).toThrow("too large");
});
