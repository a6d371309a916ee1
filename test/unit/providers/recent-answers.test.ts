/** An endpoint counts as reachable for a second after its last answer. */
import { describe, expect, it } from "vitest";
import { createRecentAnswers } from "../../../src/providers/recent-answers.ts";

describe("recent answers", () => {
  const remembered = () => {
    const clock = { now: 5_000 };
    return { clock, of: createRecentAnswers({ now: () => clock.now, capacity: 2 }) };
  };

  it("are none before the first answer", () => {
    expect(remembered().of("a").isRecent()).toBe(false);
  });

  it("last a second", () => {
    const { clock, of } = remembered();
    of("a").answered();
    clock.now += 999;
    expect(of("a").isRecent()).toBe(true);
    clock.now += 1;
    expect(of("a").isRecent()).toBe(false);
  });

  it("end with a failure, and begin again with the next answer", () => {
    const { of } = remembered();
    of("a").answered();
    of("a").failed();
    expect(of("a").isRecent()).toBe(false);
    of("a").answered();
    expect(of("a").isRecent()).toBe(true);
  });

  it("are of one endpoint alone", () => {
    const { of } = remembered();
    of("a").answered();
    of("b").failed();
    expect(of("a").isRecent()).toBe(true);
    expect(of("b").isRecent()).toBe(false);
  });

  it("beyond the capacity are forgotten, the oldest first", () => {
    const { of } = remembered();
    for (const id of ["a", "b", "a", "c"]) of(id).answered();
    expect(["a", "b", "c"].map((id) => of(id).isRecent())).toEqual([true, false, true]);
  });
});
