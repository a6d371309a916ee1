/** Every rule of every wire cites a page, or the words of an endpoint's error. */
import { expect, it } from "vitest";
import { rulesOf, wires, type WireRules } from "../../../../src/domain/wires/rules.ts";
import { sourceOf } from "./sources.fixture.ts";

it("each rule has a source", () => {
  for (const wire of wires)
    for (const rule of Object.keys(rulesOf[wire]) as (keyof WireRules)[])
      expect(sourceOf(wire, rule), `${wire}.${rule}`).toMatch(
        /^(https:\/\/|error of |the router's own choice)/,
      );
});
