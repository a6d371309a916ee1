/** Content negotiation reads declared tags as its specification says, within bounds. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/domain/json.ts";
import {
  contentNegotiationKey,
  featuresOf,
  isSatisfied,
  parsePredicate,
  refusesInteraction,
} from "../../../src/domain/sampling/negotiation.ts";

const declaring = (features: unknown, version: unknown = "1.0"): JsonObject =>
  ({ extensions: { [contentNegotiationKey]: { version, features } } }) as JsonObject;
const tagsOf = (features: unknown): Record<string, string | null> =>
  Object.fromEntries(featuresOf(declaring(features)).declared);
const evaluate = (predicate: string, features: unknown): boolean | null => {
  const parsed = parsePredicate(predicate);
  return parsed === null ? null : isSatisfied(parsed, featuresOf(declaring(features)));
};

describe("what a client declares", () => {
  // cites: N-001, N-010
  it("is read as tags with and without values", () => {
    expect(tagsOf(["agent", "format=json", "verbosity=compact", "x-team", "x-tier=gold"])).toEqual({
      agent: null,
      format: "json",
      verbosity: "compact",
      "x-team": null,
      "x-tier": "gold",
    });
  });

  it.each([
    "format!=xml",
    "!",
    "",
    "a=b=c",
    "format=json=text",
    "!format=json",
    "agent\u0000",
    "agent\n",
    " agent",
    "format=json ",
    "format=xml",
    "verbosity=loud",
    "format",
    "=json",
    "format=",
    "!!agent",
    "unknown",
    "AGENT",
    "x-",
    "агент",
    "__proto__",
    "constructor",
  ])("ignores %j, records it, and is no error", (tag) => {
    const features = featuresOf(declaring([tag]));
    expect(features.declared.size + features.denied.size).toBe(0);
    expect(features.ignored).toEqual([tag.slice(0, 64)]);
  });

  it("keeps a tag that is not listed apart from one that is listed as !tag", () => {
    const silent = featuresOf(declaring(["agent"]));
    const denying = featuresOf(declaring(["agent", "!interactive"]));
    expect(refusesInteraction(silent)).toBe(false);
    expect(refusesInteraction(denying)).toBe(true);
    expect(evaluate("!interactive", ["agent"])).toBe(true);
    expect(evaluate("!interactive", ["agent", "!interactive"])).toBe(true);
    expect(evaluate("!interactive", ["interactive"])).toBe(false);
  });

  it("lets the first of two contradicting tags stand", () => {
    const features = featuresOf(declaring(["format=json", "format=text", "agent", "!agent"]));
    expect(features.declared.get("format")).toBe("json");
    expect(features.denied.size).toBe(0);
    expect(features.ignored).toEqual(["format=text", "!agent"]);
  });

  it("ignores another major version whole, and anything that is no list", () => {
    expect(featuresOf(declaring(["agent"], "2.0")).declared.size).toBe(0);
    expect(featuresOf(declaring(["agent"], "2.0")).ignored).toEqual(["version 2.0"]);
    expect(featuresOf(declaring(["agent"], "1.1")).declared.size).toBe(1);
    for (const odd of [null, "agent", { 0: "agent" }, 7])
      expect(featuresOf(declaring(odd)).declared.size).toBe(0);
    expect(featuresOf(declaring([1, null, {}, ["agent"]])).ignored).toHaveLength(4);
    expect(featuresOf({ extensions: null }).declared.size).toBe(0);
  });

  it("keeps a bounded part of an endless list", () => {
    const features = featuresOf(declaring(Array.from({ length: 10_000 }, (_, at) => `x-${at}`)));
    expect(features.declared.size).toBe(64);
    expect(features.ignored).toHaveLength(64);
  });
});

describe("a predicate", () => {
  // cites: N-005
  it.each([
    ["agent", ["agent"], true],
    ["agent", ["human"], false],
    ["!agent", ["human"], true],
    ["format=json", ["format=json"], true],
    ["format=json", ["format=text"], false],
    ["format=json", [], false],
    ["format!=xml", ["format=json"], true],
    ["format!=json", ["format=json"], false],
    ["format!=xml", [], false],
    ["format", ["format=json"], true],
    ["x-tier=gold", ["x-tier=gold"], true],
    ["x-tier!=gold", ["x-tier"], false],
  ])("%s on %j is %s", (predicate, features, expected) => {
    expect(evaluate(predicate, features)).toBe(expected);
  });

  it.each(["", "!", "!format=json", "a=b=c", "a b", "a\n", "=x", "a=", "a!=", "!!a", "a!b"])(
    "%j is none",
    (text) => expect(parsePredicate(text)).toBeNull(),
  );

  it("agrees with a naive oracle for any declaration", () => {
    const odd = fc.string({ unit: fc.constantFrom("a", "x", "-", "=", "!", "\u0001", "é", " ") });
    const tag = fc.oneof(
      fc.constantFrom("agent", "human", "format=json", "format=text", "verbosity=compact"),
      fc.constantFrom("!agent", "!interactive", "interactive", "x-a", "x-a=1", "x-a=2"),
      odd,
    );
    /** Straight from the definition, over the list of strings, with no parsing shared. */
    const oracle = (predicate: string, list: string[]): boolean => {
      const name = (text: string): string => text.replace(/^!/, "").split("=")[0] ?? "";
      const wellFormed =
        /^(!?(agent|human|mcp-capable|interactive|sampling|elicitation|roots|tasks)|format=(json|text|markdown)|verbosity=(compact|standard|verbose)|!?x-[a-zA-Z0-9][\w.-]*|x-[a-zA-Z0-9][\w.-]*=[a-zA-Z0-9][\w.+/-]*)$/;
      const valid = list.filter((text) => wellFormed.test(text) && !text.includes("\n"));
      const first = valid.filter(
        (text, at) => valid.findIndex((other) => name(other) === name(text)) === at,
      );
      const positive = first.filter((text) => !text.startsWith("!"));
      const [key = "", value] = predicate.split(/!?=/);
      if (predicate.includes("!="))
        return positive.some(
          (text) => name(text) === key && text.includes("=") && text !== `${key}=${value}`,
        );
      if (predicate.includes("=")) return positive.includes(predicate);
      if (predicate.startsWith("!"))
        return !positive.some((text) => name(text) === predicate.slice(1));
      return positive.some((text) => name(text) === predicate);
    };
    const predicate = fc.constantFrom(
      "agent",
      "!agent",
      "interactive",
      "!interactive",
      "format=json",
      "format!=json",
      "format!=xml",
      "x-a",
      "x-a=1",
      "x-a!=1",
      "!x-a",
    );
    fc.assert(
      fc.property(predicate, fc.array(tag, { maxLength: 12 }), (text, list) => {
        expect(evaluate(text, list)).toBe(oracle(text, list));
      }),
      { numRuns: 2_000 },
    );
  });
});
