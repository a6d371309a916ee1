/** A request that holds what one account sealed goes to the credential of that account alone. */
import { expect, it } from "vitest";
import type { Plan } from "../../../../../src/domain/choice/selection.ts";
import type { Snapshot } from "../../../../../src/domain/ports/stores.ts";
import { createPins } from "../../../../../src/domain/sampling/pins.ts";
import { pinnedTo } from "../../../../../src/pipeline/sampling/choice/pinned.ts";
import { modelOf } from "../../../../fixtures/providers/calls.ts";

const planOf = (...credentialIds: string[]): Plan =>
  ({
    choices: [{ model: modelOf("anthropic", "claude-sonnet-4-6"), credentialIds }],
  }) as unknown as Plan;
const snapshot = { credentials: [{ id: "a" }, { id: "b" }] } as unknown as Snapshot;

it("to no other one, also while it rests", () => {
  expect(pinnedTo(planOf("a", "b"), "b", snapshot)).toMatchObject({
    value: { choices: [{ credentialIds: ["b"] }] },
  });
  expect(pinnedTo(planOf("a"), "b", snapshot)).toMatchObject({
    error: { reason: "unavailable", cause: "resting", models: ["anthropic/claude-sonnet-4-6"] },
  });
});

it("but to any where the tenant no longer has it, or nobody knows whose it is", () => {
  for (const pinned of ["gone", undefined])
    expect(pinnedTo(planOf("a", "b"), pinned, snapshot)).toMatchObject({
      value: { choices: [{ credentialIds: ["a", "b"] }] },
    });
});

it("by the latest of its marks, of which only so many are remembered", () => {
  const pins = createPins(2);
  pins.note(["first", ""], "a");
  pins.note(["second"], "b");
  expect([pins.of(["first", "second", "unknown"]), pins.of([""]), pins.of([])]).toEqual([
    "b",
    null,
    null,
  ]);
  pins.note(["third"], "b");
  expect(pins.of(["first"])).toBeNull();
});
