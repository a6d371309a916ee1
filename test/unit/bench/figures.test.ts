/** The arithmetic between the turns of the bench and what is said of them. */
import { describe, expect, it } from "vitest";
import { comparisonOf, figuresOf, ratioOf } from "../../bench/figures.ts";
import { goals, verdictOf, type Goal } from "../../bench/goals.ts";
import { orderOf } from "../../bench/pairs.ts";
import { runOf, turn } from "./turns.ts";

describe("a comparison", () => {
  it("takes each ratio within a pair of turns, and the median of them", () => {
    // The machine was ten times slower in the second pair, for both: no ratio changes.
    const { ratio } = comparisonOf([
      { subject: turn({ answers: 50 }), baseline: turn({ answers: 100 }) },
      { subject: turn({ answers: 4 }), baseline: turn({ answers: 10 }) },
      { subject: turn({ answers: 30 }), baseline: turn({ answers: 100 }) },
    ]);
    expect(ratio.rps).toEqual({ median: 0.4, least: 0.3, max: 0.5 });
  });

  it("compares the p50 of the two turns of each pair", () => {
    const { ratio } = comparisonOf([
      { subject: turn({ latencies: [9, 2, 1] }), baseline: turn({ latencies: [1, 1, 9] }) },
      { subject: turn({ latencies: [8] }), baseline: turn({ latencies: [2] }) },
    ]);
    expect(ratio.p50).toEqual({ median: 3, least: 2, max: 4 });
  });

  it("has the middle of two medians where their number is even", () => {
    expect(ratioOf([4, 1, 2, 3]).median).toBe(2.5);
  });
});

describe("the figures of a subject", () => {
  it("count its answers over all turns, and CPU over all that was asked", () => {
    const figures = figuresOf([
      turn({ answers: 10, asked: 20, cpu: { server: 40, database: 10 }, memoryMib: 90 }),
      turn({ answers: 30, asked: 20, cpu: { server: 60, database: 10 }, memoryMib: 120 }),
    ]);
    expect(figures).toMatchObject({
      rps: 20,
      cpu: { server: 2.5, database: 0.5 },
      memoryMib: 120,
    });
  });

  it("have no CPU where a turn has none, and keep the first wrong answer", () => {
    const figures = figuresOf([
      turn({ cpu: { server: null, database: null } }),
      turn({ wrong: 2, firstWrong: "another model" }),
    ]);
    expect(figures).toMatchObject({ cpu: { server: null }, wrong: 2, firstWrong: "another model" });
  });
});

describe("turns", () => {
  it("come in the order ABBA", () => {
    const order = [0, 1, 2, 3].flatMap((at) => orderOf(at));
    expect(order.map((side) => side[0]).join("")).toBe("sbbssbbs");
  });
});

describe("a goal", () => {
  const goal = (ratio: Goal["ratio"], required: number, aim: number): Goal => ({
    subject: "a",
    baseline: "b",
    concurrency: 1,
    ratio,
    required,
    aim,
  });

  it.each([
    [[0.1, 0.9, 0.26], "reaches what is required"],
    [[0.1, 0.9, 0.4], "reaches the aim"],
    [[0.9, 0.1, 0.24], "misses"],
    [[0.9, 0.9], "too few runs"],
  ])("of rates %j %s", (medians, verdict) => {
    expect(verdictOf(goal("rps", 0.25, 0.4), medians)).toBe(verdict);
  });

  it.each([
    [[5, 6, 7], "reaches what is required"],
    [[3, 4, 9], "reaches the aim"],
    [[5, 6.1, 7], "misses"],
  ])("of waits %j %s", (medians, verdict) => {
    expect(verdictOf(goal("p50", 6, 4), medians)).toBe(verdict);
  });

  it("asks for less than its aim", () => {
    for (const { ratio, required, aim } of goals)
      expect(ratio === "rps" ? required < aim : required > aim).toBe(true);
    expect(runOf(0.25, 0.5, 0.4).ratio.rps.median).toBe(0.4);
  });
});
