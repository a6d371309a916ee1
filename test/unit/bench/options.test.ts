/** The command line of the bench, and the subjects that it may name. */
import { describe, expect, it } from "vitest";
import { expectedSeconds, pairsOf } from "../../bench/compare.ts";
import { parseOptions, type Options } from "../../bench/options.ts";
import { parseProfileOptions } from "../../bench/profile.ts";

const parsed = (...args: string[]): Options => {
  const options = parseOptions(args);
  if (options === null) throw new Error("help was asked for");
  return options;
};

describe("the bench", () => {
  it("measures seven pairs of turns of 5 s after 10 s of warm-up, once", () => {
    const { turns, seconds, warmUpSeconds, runs, concurrencies, write } = parsed();
    expect({ turns, seconds, warmUpSeconds, runs, concurrencies, write }).toEqual({
      turns: 7,
      seconds: 5,
      warmUpSeconds: 10,
      runs: 1,
      concurrencies: [1, 64],
      write: false,
    });
  });

  it("knows every subject of its default pairs, with and without a version before", () => {
    expect(pairsOf(parsed())).toHaveLength(4);
    const pairs = pairsOf(parsed("--before", "."));
    expect(pairs.map(({ baseline }) => baseline.name)).toEqual([
      "self-hosted-before",
      "self-hosted-libsql-before",
      "worker-before",
    ]);
  });

  it("compares the pairs that are named", () => {
    const [pair, ...more] = pairsOf(parsed("--pairs", "portkey:provider"));
    expect([pair?.subject.name, pair?.baseline.name, more]).toEqual(["portkey", "provider", []]);
  });

  it.each([
    [["--pairs", "portkey"], "which is not SUBJECT:BASELINE"],
    [["--pairs", "portkey:portkey"], "which is not SUBJECT:BASELINE"],
    [["--runs", "0"], "--runs must be a number above 0"],
    [["--pairs", "portkey:nobody"], "--pairs names nobody, and there are self-hosted"],
    [["--pairs", "self-hosted:self-hosted-before"], "--pairs names self-hosted-before"],
  ])("says what is wrong with %j", (args, message) => {
    expect(() => pairsOf(parsed(...args))).toThrow(message);
  });

  it("knows how long it takes", () => {
    const options = parsed("--runs", "3", "--pairs", "portkey:provider", "--concurrency", "64");
    // 10 s of warm-up for each, 14 turns of 5 s, and the start.
    expect(expectedSeconds(options)).toBe(3 * (20 + 70 + 15));
  });
});

describe("the profile", () => {
  it("is of both hosts on their own databases, unless one is named", () => {
    const names = (...args: string[]): string[] =>
      parseProfileOptions(args).subjects.map(({ name }) => name);
    expect(names()).toEqual(["self-hosted", "worker"]);
    expect(names("worker-libsql", "--seconds", "2")).toEqual(["worker-libsql"]);
    expect(() => names("portkey")).toThrow("profile has no subject portkey; there are self-hosted");
  });
});
