/** Leases of streams are renewed when half is gone, all of a tenant's together. */
import { expect, it } from "vitest";
import { longestLeaseMs } from "../../../../../src/domain/leases.ts";
import { err, ok } from "../../../../../src/domain/result.ts";
import { createLeases } from "../../../../../src/pipeline/sampling/streams/leases.ts";
import { createClock } from "./clock.fixture.ts";

const never = new AbortController().signal;

function world({ isAway = () => false }: { isAway?: (at: number) => boolean } = {}) {
  const clock = createClock();
  const renewals: { at: number; tenantId: string; ids: string[]; until: number }[] = [];
  const hold = createLeases({
    now: clock.elapsed,
    after: clock.after,
    ledger: {
      async renew(tenantId, ids, until) {
        renewals.push({ at: clock.elapsed(), tenantId, ids: [...ids], until });
        return isAway(clock.elapsed()) ? err({ reason: "unavailable", retryAfterMs: 1 }) : ok(null);
      },
    },
  });
  return { clock, renewals, hold };
}
const call = (id: string, leaseMs = 80_000) => ({ tenantId: "ten_1", id, leaseMs });

it("a stream of 20 minutes is renewed in time, and no more often than every minute", async () => {
  const { clock, renewals, hold } = world();
  const release = hold(call("a"));
  await clock.run(clock.wait(1_200_000, never));
  release();
  let until = 80_000;
  for (const { at, until: next } of renewals) {
    expect(at).toBeLessThan(until);
    until = next;
  }
  expect([until > 1_200_000, renewals.length]).toEqual([true, 20]);
  expect(clock.armed()).toBe(0);
});

it("200 streams of a tenant are one statement, and a tenant's are its own", async () => {
  const { clock, renewals, hold } = world();
  const releases = Array.from({ length: 200 }, (_, at) => hold(call(`call_${at}`)));
  releases.push(hold({ ...call("other"), tenantId: "ten_2" }));
  await clock.run(clock.wait(60_000, never));
  expect(renewals.map(({ tenantId, ids }) => [tenantId, ids.length])).toEqual([
    ["ten_1", 200],
    ["ten_2", 1],
  ]);
  for (const release of releases) release();
  expect(clock.armed()).toBe(0);
});

it("is tried again while the database is away, and not once the stream has ended", async () => {
  const { clock, renewals, hold } = world({ isAway: (at) => at < 50_000 });
  const release = hold(call("a"));
  await clock.run(clock.wait(60_000, never));
  const last = renewals.at(-1);
  expect([renewals.length > 1, last?.until]).toEqual([true, Number(last?.at) + longestLeaseMs]);
  release();
  const before = renewals.length;
  await clock.run(clock.wait(600_000, never));
  expect(renewals).toHaveLength(before);
});
