/** An admission that was written, though its caller never got the answer. */
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { createIds } from "../../src/domain/tenancy/ids.ts";
import type { Ledger } from "../../src/domain/ports/ledger.ts";
import { err } from "../../src/domain/result.ts";
import { createEndCall } from "../../src/pipeline/sampling/settlement/end-call.ts";
import { createLostAdmissions } from "../../src/pipeline/sampling/admission/lost-admissions.ts";
import { createRelease } from "../../src/pipeline/sampling/settlement/release.ts";
import { raw } from "../../src/store/db.ts";
import { inlineBackend } from "../setup/inline-backend.ts";
import { caller, leaseMs, reservation, start } from "./store/fixtures.ts";
import { givenWorld, value } from "./store/open.ts";

describe("an admission whose answer was lost", () => {
  const world = givenWorld(inlineBackend());
  const limits = { usdPerDay: 1, tokensPerMinute: 1_000, concurrent: 1 };
  const ids = createIds({
    now: () => start,
    randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
  });
  const idempotency = { key: "aa".repeat(32), expiresAt: start + 86_400_000 };

  async function given(about: { capacity?: number } = {}) {
    const who = await caller(world.stores, { tenantLimits: limits });
    const asked = reservation(who, start, { idempotency });
    let passed = 0;
    let away = false;
    let trips = 0;
    const reach = <T>(work: () => T) => {
      trips += 1;
      return away ? err({ reason: "unavailable", retryAfterMs: 1 } as const) : work();
    };
    const { ledger: real } = world.stores;
    const ledger: Ledger = {
      ...real,
      settle: async (its) => reach(() => real.settle(its)),
      settleSwept: async (its, event) => reach(() => real.settleSwept(its, event)),
      findOpen: async (calls) => reach(() => real.findOpen(calls)),
    };
    const lost = createLostAdmissions({
      capacity: about.capacity ?? 10,
      elapsed: () => passed,
    });
    /** `at`: what happens when so many ms have passed. */
    const releasing = async (
      at: Record<number, () => Promise<unknown> | void> = {},
      admission = asked,
    ) => {
      const { opening, limitChecks } = admission;
      const release = createRelease({
        ledger,
        endCall: createEndCall({ ledger, ids }),
        lost,
        now: () => start + passed,
        async wait(ms) {
          const from = passed;
          passed += ms;
          for (const [moment, happen] of Object.entries(at))
            if (Number(moment) > from && Number(moment) <= passed) await happen();
        },
      });
      await release({ opening, limitChecks, isKeyed: true });
    };
    const admit = () => world.stores.ledger.admit(asked);
    const sweep = () => world.stores.ledger.sweep(start + leaseMs);
    const left = async () => {
      const rows = value(
        await world.db.write([
          raw(sql`select outcome, reason, cost_micro_usd from sampling_requests`),
          raw(sql`select resource, amount from counters where amount <> 0`),
          raw(sql`select request_id from idempotency`),
          raw(sql`select failed, unknown, cost_micro_usd from usage`),
        ]),
      );
      return rows.map((table) => table.map((row) => Object.values(row)));
    };
    return {
      who,
      releasing,
      admit,
      sweep,
      left,
      lost,
      passed: () => passed,
      trips: () => trips,
      goAway: () => void (away = true),
      comeBack: () => void (away = false),
    };
  }
  const nothing = [[["failed", "unavailable", 0]], [], [], [[1, 0, 0]]];
  const noTrace = [[], [], [], []];

  it("holds nothing, costs nothing and occupies no key once it is released", async () => {
    const { releasing, admit, left, passed } = await given();
    value(await admit());
    await releasing();
    expect(await left()).toEqual(nothing);
    expect(passed()).toBe(1_000);
  });

  it("is given back when it is written late", async () => {
    const { releasing, admit, left } = await given();
    await releasing({ 3_000: admit });
    expect(await left()).toEqual(nothing);
  });

  it("is charged nothing when the database was away until the sweep had been there", async () => {
    const { releasing, admit, sweep, goAway, comeBack, left } = await given();
    value(await admit());
    goAway();
    await releasing({ 600_000: sweep, 900_000: comeBack });
    expect(await left()).toEqual(nothing);
  });

  it("is charged nothing when its row was written so late that the sweep ended it", async () => {
    const { releasing, admit, sweep, left } = await given();
    await releasing({ 30_000: admit, 120_000: sweep });
    expect(await left()).toEqual(nothing);
  });

  it("is looked for a few times, and leaves no trace if it was never written", async () => {
    const { releasing, left, lost, trips } = await given();
    await releasing();
    expect(await left()).toEqual(noTrace);
    expect(lost.isEmpty()).toBe(true);
    expect(trips()).toBe(4);
  });

  it("is looked for together with all lost admissions, so that no flood of reads follows an outage", async () => {
    const { who, releasing, goAway, comeBack, lost, trips, left } = await given({ capacity: 300 });
    goAway();
    const first = releasing({ 60_000: comeBack });
    const more = Array.from({ length: 400 }, () => releasing({}, reservation(who, start)));
    await Promise.all([first, ...more]);
    expect(lost.isEmpty()).toBe(true);
    expect(trips()).toBeLessThan(20);
    expect(await left()).toEqual(noTrace);
  });

  it("is looked for by another invocation when the first one is gone", async () => {
    const { lost, passed, releasing } = await given();
    const gone = {};
    expect(lost.isLeasedBy(gone)).toBe(true);
    expect(lost.isLeasedBy({})).toBe(false);
    await releasing();
    expect(passed()).toBe(0);
    expect(lost.isEmpty()).toBe(false);
  });
});
