/** What a check corrects of what is known of a server. */
import { expect, it } from "vitest";
import { eraCorrection } from "../../../src/domain/servers/server-check.ts";

it.each([
  [undefined, "modern", { era: "modern", acceptsInitialize: null }],
  ["legacy", "modern", { era: "modern", acceptsInitialize: null }],
  ["modern", "modern", null],
  ["modern", "legacy", { era: null, acceptsInitialize: null }],
  ["legacy", "legacy", null],
  [undefined, "legacy", null],
  ["legacy", null, null],
  ["modern", null, null],
] as const)("known %s, found %s", (known, found, correction) => {
  expect(eraCorrection(known === undefined ? {} : { era: known }, { era: found })).toEqual(
    correction,
  );
});
