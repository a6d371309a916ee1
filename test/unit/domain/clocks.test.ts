/** Durations are monotonic although the host's clock may be set back. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createElapsed } from "../../../src/domain/clocks.ts";

describe("the clock of durations", () => {
  it("goes on from where it was when the host's clock is set back", () => {
    let time = 5_000;
    const elapsed = createElapsed(() => time);
    const began = elapsed();
    time += 40;
    expect(elapsed() - began).toBe(40);
    time -= 3_600_000;
    expect(elapsed() - began).toBe(40);
    time += 25;
    expect(elapsed() - began).toBe(65);
  });

  it("never goes back, and misses no step forward", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e7, max: 1e4 })), (steps) => {
        let time = 0;
        const elapsed = createElapsed(() => time);
        const began = elapsed();
        for (const step of steps) {
          time += step;
          elapsed();
        }
        const forward = steps.reduce((sum, step) => sum + Math.max(0, step), 0);
        expect(elapsed() - began).toBe(forward);
      }),
    );
  });
});
