/** A process keeps one composition for each origin, and a bounded number of them. */
import { describe, expect, it } from "vitest";
import { createCompositions } from "../../../src/compose/by-origin.ts";

function givenCompositions() {
  const made: string[] = [];
  const composeAt = (origin: string) => {
    made.push(origin);
    return { origin };
  };
  const at = createCompositions(composeAt, ["https://router.test"]);
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

  it("stays while it is asked, however many hosts strangers send", () => {
    const { at } = givenCompositions();
    const asked = at("http://host-0/");
    for (let count = 1; count < 40; count += 1) {
      at(`http://host-${count}/`);
      expect(at("http://host-0/")).toBe(asked);
    }
  });

  it("stays at an origin of PUBLIC_URL, however many hosts strangers send before it is asked again", () => {
    const { at } = givenCompositions();
    const named = at("https://router.test/");
    for (let count = 0; count < 40; count += 1) at(`http://host-${count}/`);
    expect(at("https://router.test/mcp/a/b")).toBe(named);
  });

  it("is given up for another one when it was asked longest ago", () => {
    const { at, made } = givenCompositions();
    const first = at("http://host-0/");
    for (let count = 1; count <= 16; count += 1) at(`http://host-${count}/`);
    expect(at("http://host-0/")).not.toBe(first);
    expect(made).toHaveLength(18);
  });
});
