import { describe, expect, it } from "vitest";
import { createCompositions } from "../../../src/compose/by-origin.ts";

function givenCompositions() {
  const made: string[] = [];
  const at = createCompositions((origin) => {
    made.push(origin);
    return { origin };
  });
  return { at, made };
}

describe("the composition of a process", () => {
  it("is one for each origin at which the process is asked", () => {
    const { at, made } = givenCompositions();
    const first = at("http://localhost:3000/v1/sampling?a=//b/c");
    expect(at("http://localhost:3000/mcp/a/b")).toBe(first);
    expect(at("http://localhost:3000")).toBe(first);
    expect(at("https://localhost:3000/")).not.toBe(first);
    expect(at("http://LOCALHOST/")).not.toBe(first);
    expect(made).toEqual(["http://localhost:3000", "https://localhost:3000", "http://localhost"]);
  });

  it("is given up for another one when a client sends many hosts", () => {
    const { at, made } = givenCompositions();
    const first = at("http://host-0/");
    for (let count = 1; count < 16; count += 1) at(`http://host-${count}/`);
    expect(at("http://host-0/")).toBe(first);
    at("http://host-16/");
    expect(at("http://host-0/")).not.toBe(first);
    expect(made).toHaveLength(18);
  });
});
