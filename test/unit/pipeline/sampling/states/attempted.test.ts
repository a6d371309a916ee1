/** A call that outlasts its first lease keeps it until its providers have been called. */
import { expect, it } from "vitest";
import { longestDeadlineMs, longestLeaseMs } from "../../../../../src/domain/leases.ts";
import { err } from "../../../../../src/domain/result.ts";
import type { AttemptsMade } from "../../../../../src/pipeline/sampling/attempts/attempt.ts";
import { createAttempting } from "../../../../../src/pipeline/sampling/states/attempted.ts";
import { admittedWith, arrivalWith, observer } from "../arrivals.fixture.ts";

const made: AttemptsMade = {
  attempts: [],
  providerMs: 1,
  circuits: [],
  refusedKeys: [],
  answer: err({ reason: "cancelled" }),
};

it.each([
  ["short", longestDeadlineMs, false, []],
  ["long", 600_000, false, [`held ${longestLeaseMs}`, "attempted", "released"]],
  ["long, with a bug", 600_000, true, [`held ${longestLeaseMs}`, "attempted", "released"]],
])("a %s call", async (_, deadlineMs, throws, expected) => {
  const said: string[] = [];
  const attempting = createAttempting({
    attempt: async () => {
      if (said.length > 0) said.push("attempted");
      if (throws) throw new Error("a bug");
      return made;
    },
    streams: { begin: () => null },
    holdLease({ leaseMs }) {
      said.push(`held ${leaseMs}`);
      return () => void said.push("released");
    },
    now: () => 0,
    forget: () => {},
  });
  const admitted = admittedWith(observer().observed, arrivalWith());
  const call = { ...admitted, reserved: { ...admitted.reserved, deadlineMs } };
  await attempting(call, new AbortController().signal).catch(() => undefined);
  expect(said).toEqual(expected);
});
