/** The fill level of a database changes with hysteresis. */
import { describe, expect, it } from "vitest";
import {
  callsThatFit,
  isTight,
  nextRoomLevel,
  roomLevel,
} from "../../../src/domain/limits/room.ts";

const at = (percent: number) => ({ usedBytes: percent, limitBytes: 100 });

describe("how full a database is", () => {
  it.each([
    [69.9, "enough"],
    [70, "filling"],
    [85, "tight"],
    [94.9, "tight"],
    [95, "full"],
    [120, "full"],
  ])("is at %d percent: %s", (percent, level) => {
    expect(roomLevel(at(percent))).toBe(level);
  });

  it("calls for early retention from 85 percent on", () => {
    expect([84.9, 85, 99].map((percent) => isTight(at(percent)))).toEqual([false, true, true]);
  });

  it("rises at once, and falls only once use is two points below the level", () => {
    expect(nextRoomLevel("enough", at(96))).toBe("full");
    expect(nextRoomLevel("full", at(93.1))).toBe("full");
    expect(nextRoomLevel("full", at(92.9))).toBe("tight");
    expect(nextRoomLevel("tight", at(83))).toBe("tight");
    expect(nextRoomLevel("tight", at(20))).toBe("enough");
  });

  it("stays told where use goes up and down around a level", () => {
    let level = nextRoomLevel("enough", at(70));
    for (const percent of [69, 70.5, 68.5, 71]) level = nextRoomLevel(level, at(percent));
    expect(level).toBe("filling");
  });
});

it.each([
  [0, 10_000_000_000, 256],
  [9_450_000_000, 10_000_000_000, 6],
  [9_499_000_000, 10_000_000_000, 0],
  [9_900_000_000, 10_000_000_000, 0],
  [0, 1_000_000, 0],
])("of %d of %d bytes fits %d calls unseen", (usedBytes, limitBytes, calls) => {
  expect(callsThatFit({ usedBytes, limitBytes })).toBe(calls);
});
