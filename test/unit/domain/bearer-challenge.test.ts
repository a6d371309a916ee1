/** A server's challenge is bounded before a person has to read it. */
import { describe, expect, it } from "vitest";
import { bearerChallengeIn, scopesOfBoth } from "../../../src/domain/servers/bearer-challenge.ts";

const none = { error: null, metadata: null, scopes: null };

describe("a server's challenge", () => {
  it.each([
    [null, none],
    ["", none],
    ["Basic realm=x", none],
    [
      'Bearer error="insufficient_scope", scope="a b:c", resource_metadata="https://s.test/m"',
      { error: "insufficient_scope", metadata: "https://s.test/m", scopes: ["a", "b:c"] },
    ],
    ["bearer ERROR=invalid_token,scope=one", { ...none, error: "invalid_token", scopes: ["one"] }],
    // A parameter whose name only ends alike is another one.
    ['Bearer my_error="x", max_scope="y"', none],
    ['Bearer resource_metadata="a b"', none],
    ['Bearer scope=""', { ...none, scopes: [] }],
    ['Bearer scope="good \u0001bad \\bad ünfit"', { ...none, scopes: ["good"] }],
  ])("%j is read", (text, read) => {
    expect(bearerChallengeIn(text)).toEqual(read);
  });

  it("names no more scopes than a person could read", () => {
    const many = Array.from({ length: 100 }, (_, index) => `s${index}`);
    expect(bearerChallengeIn(`Bearer scope="${many.join(" ")}"`).scopes).toHaveLength(64);
    expect(scopesOfBoth(many, ["x"])).toHaveLength(64);
    expect(scopesOfBoth(["a", "b"], ["b", "c"])).toEqual(["a", "b", "c"]);
  });
});
