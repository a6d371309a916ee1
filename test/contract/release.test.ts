/** An admission that was written, though nobody heard of it. */
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { createIds } from "../../src/domain/ids.ts";
import { createEndCall } from "../../src/pipeline/end-call.ts";
import { createRelease } from "../../src/pipeline/release.ts";
import type { Reserved } from "../../src/pipeline/admit.ts";
import { raw } from "../../src/store/db.ts";
import { fileBackend } from "../setup/file-database.ts";
import { caller, reservation, start } from "./store/fixtures.ts";
import { givenWorld, value } from "./store/open.ts";

describe("an admission whose answer was lost", () => {
  const world = givenWorld(fileBackend());
  const limits = { usdPerDay: 1, tokensPerMinute: 1_000, concurrent: 1 };
  const ids = createIds({
    now: () => start,
    randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
  });
  const idempotency = { key: "aa".repeat(32), expiresAt: start + 86_400_000 };

  async function given() {
    const who = await caller(world.stores, { tenantLimits: limits });
    const asked = reservation(who, start, { idempotency });
    const reserved: Reserved = {
      steps: [],
      maxAttempts: 4,
      probes: [],
      resting: [],
      holds: asked.holds,
      tokens: asked.reservedTokens,
      microUsd: asked.reservedMicroUsd,
      deadlineMs: 1,
    };
    const pauses: number[] = [];
    const releasing = (late: (pauses: number) => Promise<unknown> = async () => null) =>
      createRelease({
        endCall: createEndCall({ ledger: world.stores.ledger, ids }),
        now: () => start,
        async wait(ms) {
          pauses.push(ms);
          await late(pauses.length);
        },
      })({ opening: asked.opening, reserved, isKeyed: true });
    const admit = () => world.stores.ledger.admit(asked);
    const left = async () => {
      const rows = value(
        await world.db.write([
          raw(sql`select outcome, reason, cost_micro_usd from sampling_requests`),
          raw(sql`select resource, amount from counters where amount <> 0`),
          raw(sql`select request_id from idempotency`),
        ]),
      );
      return rows.map((table) => table.map((row) => Object.values(row)));
    };
    return { pauses, releasing, admit, left };
  }

  it("holds nothing, costs nothing and occupies no key once it is released", async () => {
    const { pauses, releasing, admit, left } = await given();
    value(await admit());
    expect(await releasing()).toBe(true);
    expect(await left()).toEqual([[["failed", "unavailable", 0]], [], []]);
    expect(pauses).toHaveLength(1);
  });

  it("is found when it is written late", async () => {
    const { releasing, admit, left } = await given();
    expect(await releasing(async (pauses) => (pauses === 2 ? value(await admit()) : null))).toBe(
      true,
    );
    expect(await left()).toEqual([[["failed", "unavailable", 0]], [], []]);
  });

  it("is looked for within the time that work may outlive its response, and leaves no trace if it never was", async () => {
    const { pauses, releasing, left } = await given();
    expect(await releasing()).toBe(false);
    expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(25_000);
    expect(await left()).toEqual([[], [], []]);
  });
});
