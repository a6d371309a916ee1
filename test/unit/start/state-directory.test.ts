/** A failed start names a full disk. */
import type { StatsFs } from "node:fs";
import { describe, expect, it } from "vitest";
import { withFullDisk } from "../../../src/start/state-directory.ts";

const disk = (bavail: number) => (() => ({ bavail, bsize: 1_024 }) as StatsFs) as never;

describe("a start that failed", () => {
  it("names a full disk, whatever its step said", () => {
    expect(withFullDisk("The database does not answer", "/state", disk(12))).toBe(
      "The database does not answer\nThe disk of STATE_DIR /state is full (12 kB free): free some space, and start again.",
    );
  });

  it("says what its step said where there is room, or nobody knows", () => {
    expect(withFullDisk("a fault", "/state", disk(4_096))).toBe("a fault");
    expect(withFullDisk("a fault", "/nowhere/that/is")).toBe("a fault");
  });
});
