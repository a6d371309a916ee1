/** The id of a request that is refused before anything has read it. */
import { expect, it } from "vitest";
import { idToRefuse } from "../../../src/mcp/json-text/ambiguous.ts";

it.each(["", "{", "[", "[[", '{"id":1', '{"id":1,"method":"x', '"', '{"method":"x","id":1}}'])(
  "has no id where the text is no JSON: %s",
  (text) => {
    expect(idToRefuse(text)).toBeNull();
  },
);

it("is the id of the only request", () => {
  expect(idToRefuse('{"method":"x","id":1}')).toBe(1);
  expect(idToRefuse('[{"method":"x","id":1},{"method":"x","id":2}]')).toBeNull();
});
