/** Ids have a prefix for each kind, sort by time, and never repeat. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createIds, idPrefixes, type IdKind } from "../../../src/domain/tenancy/ids.ts";

const randomBytesOf = (count: number) => crypto.getRandomValues(new Uint8Array(count));
const kinds = Object.keys(idPrefixes) as IdKind[];

describe("ids", () => {
  it.each(kinds)("of a %s begin with the prefix of their kind", (kind) => {
    const id = createIds({ now: Date.now, randomBytesOf }).next(kind);
    expect(id).toMatch(/^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(id.split("_")[0]).toBe(idPrefixes[kind]);
  });

  it("have another prefix for each kind", () => {
    expect(new Set(Object.values(idPrefixes)).size).toBe(kinds.length);
  });

  it("sort by time, whatever the random part", () => {
    const time = fc.integer({ min: 0, max: 2 ** 48 - 2 });
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(time, fc.integer({ min: 1, max: 10_000_000 }), byte, byte, (at, later, a, b) => {
        const made = (now: number, fill: number) =>
          createIds({
            now: () => now,
            randomBytesOf: (count) => new Uint8Array(count).fill(fill),
          }).next("request");
        expect(made(at, a) < made(at + later, b)).toBe(true);
      }),
    );
  });

  // cites: H-016
  it("never repeat within one millisecond", () => {
    const ids = createIds({ now: () => 0, randomBytesOf });
    expect(new Set(Array.from({ length: 10_000 }, () => ids.next("event"))).size).toBe(10_000);
  });

  // cites: H-016
  it("use every character equally often", () => {
    const seen = new Map<string, number>();
    for (let byte = 0; byte < 256; byte += 1) {
      const ids = createIds({
        now: () => 0,
        randomBytesOf: (count) => new Uint8Array(count).fill(byte),
      });
      const last = ids.next("key").at(-1) ?? "";
      seen.set(last, (seen.get(last) ?? 0) + 1);
    }
    expect(new Set(seen.values())).toEqual(new Set([8]));
    expect(seen.size).toBe(32);
  });
});
