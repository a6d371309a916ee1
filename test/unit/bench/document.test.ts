/** What a run of the bench writes into the docs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { marks, middleRun, sectionOf } from "../../bench/document.ts";
import { parseOptions } from "../../bench/options.ts";
import { barsOf, plotOf, stepsTo } from "../../bench/plot.ts";
import { compared, runOf } from "./turns.ts";

const selfHosted = { subject: "self-hosted", baseline: "node-pass-through", concurrency: 64 };
const options = parseOptions(["--runs", "3"]);

describe("the section", () => {
  const section = (...runs: ReturnType<typeof runOf>[]): string => {
    if (options === null) throw new Error("no options");
    return sectionOf([compared(selfHosted, ...runs)], {
      machine: { cores: 2, node: "v24" },
      others: 0.014,
      options,
      date: "2026-11-22",
      plot: "images/benchmarks.svg",
    });
  };

  it("shows the run in the middle, with the ratio of every run", () => {
    const text = section(runOf(0.5), runOf(0.1), runOf(0.29, 0.3, 0.31));
    expect(text).toContain("| the self-hosted : the node-pass-through | 64 | 30 : 100 |");
    expect(text).toContain("| 0.30 (0.29 to 0.31) |");
    expect(text).toContain("| 0.50, 0.10, 0.30 |");
  });

  it("says which goal was reached", () => {
    const goal = "rps at c=64, the self-hosted : the node-pass-through";
    expect(section(runOf(0.3), runOf(0.3), runOf(0.9))).toContain(
      `| ${goal} | 0.30 | 0.25 | 0.40 | reaches what is required |`,
    );
    expect(section(runOf(0.3))).toContain("too few runs");
  });

  it("names the machine, its noise and the command", () => {
    const text = section(runOf(0.3));
    expect(text).toContain("cores 2, node v24");
    expect(text).toContain("at most 1 %");
    expect(text).toContain("`npm run bench -- --runs 3 --write`");
  });

  it("has its place in the page", () => {
    const page = join(import.meta.dirname, "..", "..", "..", "docs", "benchmarks.md");
    expect(readFileSync(page, "utf8").match(marks)).toHaveLength(3);
  });

  it("takes the lower of two runs in the middle", () => {
    expect(middleRun([runOf(0.4), runOf(0.2)])?.ratio.rps.median).toBe(0.2);
    expect(middleRun([])).toBeUndefined();
  });
});

describe("the plot", () => {
  const all = [
    compared(selfHosted, runOf(0.2, 0.4, 0.3), runOf(0.5)),
    compared({ ...selfHosted, concurrency: 1 }, runOf(0.25)),
    compared({ ...selfHosted, baseline: "a<b&c" }, runOf(0.5)),
  ];

  it("has a bar for each pair: the median of the runs, the range of all their turns", () => {
    expect(barsOf(all, "rps", 64)).toMatchObject([
      { title: "the self-hosted", median: 0.4, least: 0.2, max: 0.5 },
      { median: 0.5, least: 0.5, max: 0.5 },
    ]);
    expect(barsOf(all, "p50", 1)).toMatchObject([{ median: 4 }]);
  });

  it("draws both panels, with names that can't break the markup", () => {
    const svg = plotOf(all);
    expect(svg.match(/class="bar"/g)).toHaveLength(3);
    expect(svg).toContain("Requests a second with 64 callers");
    expect(svg).toContain("p50 with 1 caller,");
    expect(svg).toContain("a&lt;b&amp;c");
    expect(svg).not.toContain("NaN");
  });

  it.each([
    [1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [1.01, [0, 0.5, 1, 1.5]],
    [6.2, [0, 2, 4, 6, 8]],
    [23, [0, 5, 10, 15, 20, 25]],
  ])("has a scale of round steps up to %d", (max, steps) => {
    expect(stepsTo(max)).toEqual(steps);
  });
});
