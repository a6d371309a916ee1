import { describe, expect, it, vi } from "vitest";
import { createCompositions } from "../../../src/compose/by-origin.ts";
import type { Isolate } from "../../../src/compose/isolate.ts";

const made = vi.hoisted(() => [] as (string | undefined)[]);
vi.mock("../../../src/compose/composition.ts", () => ({
  createComposition: (_: unknown, { origin }: { origin?: string }) => {
    made.push(origin);
    return { origin };
  },
}));

const compositions = () => {
  made.length = 0;
  return createCompositions({} as Isolate, { background: () => {}, upkeep: () => {} });
};

describe("the composition of a process", () => {
  it("is one for each origin at which the process is asked", () => {
    const at = compositions();
    const first = at("http://localhost:3000/v1/sampling?a=//b/c");
    expect(at("http://localhost:3000/mcp/a/b")).toBe(first);
    expect(at("http://localhost:3000")).toBe(first);
    expect(at("https://localhost:3000/")).not.toBe(first);
    expect(at("http://LOCALHOST/")).not.toBe(first);
    expect(made).toEqual(["http://localhost:3000", "https://localhost:3000", "http://localhost"]);
  });

  it("is given up for another one when a client sends many hosts", () => {
    const at = compositions();
    const first = at("http://host-0/");
    for (let count = 1; count < 16; count += 1) at(`http://host-${count}/`);
    expect(at("http://host-0/")).toBe(first);
    at("http://host-16/");
    expect(at("http://host-0/")).not.toBe(first);
    expect(made).toHaveLength(18);
  });
});
