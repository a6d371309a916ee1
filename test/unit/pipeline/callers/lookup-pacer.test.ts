/** Lookups of unverified keys are spaced, and callers that come too late are refused. */
import { expect, it } from "vitest";
import { ok } from "../../../../src/domain/result.ts";
import { createLookupPacer } from "../../../../src/pipeline/callers/lookup-pacer.ts";

/** Waits end at once, and say how long they were. */
function given() {
  const clock = { ms: 0 };
  const waits: number[] = [];
  const pacer = createLookupPacer({
    wait: async (ms) => void waits.push(ms),
    elapsed: () => clock.ms,
  });
  let reads = 0;
  const lookUp = (tookMs = 0) =>
    pacer.pace(async () => {
      reads += 1;
      clock.ms += tookMs;
      return ok(null);
    });
  return { clock, waits, lookUp, reads: () => reads };
}

it("begins at once where nobody else came, and else 10 ms after the one before", async () => {
  const { clock, waits, lookUp } = given();
  await Promise.all([lookUp(), lookUp(), lookUp()]);
  expect(waits).toEqual([10, 20]);
  clock.ms += 1_000;
  await lookUp();
  expect(waits).toHaveLength(2);
});

it("follows a slow database", async () => {
  const { waits, lookUp } = given();
  await lookUp(300);
  await Promise.all([lookUp(), lookUp()]);
  expect(waits).toEqual([300]);
});

it("refuses who would wait for more than five seconds, without a read, and not at once", async () => {
  const { waits, lookUp, reads } = given();
  const all = await Promise.all(Array.from({ length: 600 }, () => lookUp()));
  const refused = all.filter(({ ok: isOk }) => !isOk);
  expect([reads(), refused.length]).toEqual([501, 99]);
  expect(refused[0]).toEqual({
    ok: false,
    error: { reason: "unavailable", retryAfterMs: 5_000 },
  });
  expect(waits.filter((ms) => ms === 5_000).length).toBeGreaterThanOrEqual(99);
});
