/** The claims of one admission: the first that fits is taken, and nothing is lowered that only has to wait. */
import { describe, expect, it } from "vitest";
import type { FallbackClaim } from "../../../src/domain/ports/ledger.ts";
import type { Limits } from "../../../src/domain/choice/policy.ts";
import { caller, leaseMs, reservation, start, type Caller } from "./fixtures.ts";
import { givenLedger, second, told, waitOf } from "./given-ledger.ts";
import type { Backend } from "./open.ts";

const dayMs = 86_400_000;

/** One claim of a size, with a note that tells it from the others. */
const claim = (who: Caller, at: number, { size, ...more }: { size: number; shortens?: true }) => {
  const { limitChecks, decision } = reservation(who, at, { tokens: size, microUsd: size });
  const noted = { ...decision, notes: [`claims ${size}`] };
  return {
    decision: noted,
    limitChecks,
    reservedTokens: size,
    reservedMicroUsd: size,
    ...more,
  } satisfies FallbackClaim;
};

/** A call that claims 1,000, and less where less is left. */
const ladder = (who: Caller, at = start) => ({
  tokens: 1_000,
  microUsd: 1_000,
  fallbacks: [
    ...[800, 600, 400].map((size) => claim(who, at, { size })),
    claim(who, at, { size: 100, shortens: true as const }),
  ],
});

export const claimsSuite = (backend: Backend): void => {
  describe("claims of one admission", () => {
    const { world, admit, running, settle, counted, record } = givenLedger(backend);

    /** Money or tokens that an ended call used. */
    const spend = async (who: Caller, size: number) =>
      settle(await running(who, start, { tokens: size, microUsd: size }), start, {
        chargedTokens: size,
        chargedMicroUsd: size,
        costMicroUsd: size,
      });

    const lasting: Limits[] = [
      { usdPerDay: 0.002 },
      { usdTotal: 0.002 },
      { tokensPerDay: 2_000 },
      { usdPerDay: 0.002, usdPerMonth: 0.5, tokensPerMinute: 90_000 },
    ];
    it.each(lasting)(
      "are tried in their order, and the first that fits is taken: %j",
      async (limits) => {
        for (const [used, rung] of [
          [0, 0],
          [1_000, 0],
          [1_001, 1],
          [1_200, 1],
          [1_201, 2],
          [1_600, 3],
          [1_601, 4],
          [1_900, 4],
        ] as const) {
          const who = await caller(world.stores, { keyLimits: limits });
          if (used > 0) await spend(who, used);
          const reserved = await running(who, start, ladder(who));
          const size = [1_000, 800, 600, 400, 100][rung] ?? 0;
          const kept = await record(who, reserved.opening.id);
          expect([used, kept?.reservedTokens, kept?.decision?.notes]).toEqual([
            used,
            size,
            rung === 0 ? [] : [`claims ${size}`],
          ]);
          const resource = limits.tokensPerDay === undefined ? "usd_day" : "tokens_day";
          if (limits.usdTotal === undefined)
            expect(await counted(who.keyId, resource)).toBe(used + size);
          await settle(reserved, start, { chargedTokens: 5, chargedMicroUsd: 5 });
          if (limits.usdTotal === undefined)
            expect(await counted(who.keyId, resource)).toBe(used + 5);
        }
      },
    );

    it("that shorten the answer are tried in their order, each as far as use alone leaves too little", async () => {
      const shorter = (who: Caller) => ({
        microUsd: 1_000,
        tokens: 1_000,
        fallbacks: [500, 100].map((size) => claim(who, start, { size, shortens: true as const })),
      });
      for (const [used, size] of [
        [1_000, 1_000],
        [1_001, 500],
        [1_500, 500],
        [1_501, 100],
      ] as const) {
        const who = await caller(world.stores, { keyLimits: { usdPerDay: 0.002 } });
        await spend(who, used);
        const reserved = await running(who, start, shorter(who));
        expect((await record(who, reserved.opening.id))?.reservedTokens).toBe(size);
      }
      const who = await caller(world.stores, { keyLimits: { usdPerDay: 0.002 } });
      await spend(who, 1_200);
      const runs = await running(who, start, { microUsd: 500 });
      const asked = { ...shorter(who), mayWait: true as const };
      expect(await admit(who, start, asked)).toEqual({ state: "waits" });
      expect(await admit(who, start, shorter(who))).toMatchObject({ check: { amount: 500 } });
      await settle(runs, start, { chargedMicroUsd: 0 });
      const reserved = await running(who, start, asked);
      expect((await record(who, reserved.opening.id))?.reservedTokens).toBe(500);
    });

    it("are refused together where the least does not fit, and the refusal says what the least needs", async () => {
      const who = await caller(world.stores, { keyLimits: { usdPerDay: 0.002 } });
      await spend(who, 1_901);
      const refused = await admit(who, start, ladder(who));
      expect(refused).toMatchObject({ state: "refused", used: 1_901, check: { amount: 100 } });
      expect(waitOf(refused)).toBe(Date.UTC(2_027, 0, 16) - start);
    });

    it("need room at every node: each has to fit the tenant and the key", async () => {
      const who = await caller(world.stores, {
        tenantLimits: { usdPerDay: 0.0021 },
        keyLimits: { usdPerMonth: 0.002 },
      });
      await spend(who, 1_350);
      const reserved = await running(who, start, ladder(who));
      expect((await record(who, reserved.opening.id))?.reservedTokens).toBe(600);
    });

    it("lower nothing where only running calls are in the way: the call waits, or hears when a lease ends", async () => {
      const who = await caller(world.stores, { keyLimits: { usdPerDay: 0.002 } });
      const runs = await running(who, start - 5 * second, { microUsd: 1_250 });
      await running(who, start, { microUsd: 300 });
      const wants = { ...ladder(who), fallbacks: ladder(who).fallbacks.slice(-1) };
      expect(await admit(who, start, { ...wants, mayWait: true })).toEqual({ state: "waits" });
      const refused = await admit(who, start, wants);
      expect(told(refused)).toBe("refused by key usd_day");
      expect(refused).toMatchObject({ used: 1_550, check: { amount: 1_000 } });
      expect(waitOf(refused)).toBe(leaseMs - 5 * second);
      await settle(runs, start, { chargedMicroUsd: 40 });
      const admitted = await running(who, start, { ...wants, mayWait: true });
      expect((await record(who, admitted.opening.id))?.reservedTokens).toBe(1_000);
    });

    it("wait nowhere that the end of every running call would leave too little", async () => {
      const who = await caller(world.stores, { keyLimits: { usdPerDay: 0.002 } });
      await spend(who, 1_950);
      await running(who, start, { microUsd: 50 });
      const refused = await admit(who, start, { ...ladder(who), mayWait: true });
      expect(told(refused)).toBe("refused by key usd_day");
      expect(waitOf(refused)).toBe(Date.UTC(2_027, 0, 16) - start);
    });

    it("name the limit that is used up, where another one is only reserved", async () => {
      const who = await caller(world.stores, {
        tenantLimits: { usdPerDay: 0.002 },
        keyLimits: { usdPerMonth: 0.0019 },
      });
      const other = { ...who, keyLimits: {} };
      await spend(who, 1_000);
      await running(other, start, { microUsd: 500 });
      const refused = await admit(who, start, { microUsd: 950, mayWait: true });
      expect(told(refused)).toBe("refused by key usd_month");
    });

    it("lower nothing for a minute's tokens", async () => {
      const who = await caller(world.stores, { keyLimits: { tokensPerMinute: 2_000 } });
      await spend(who, 1_650);
      const refused = await admit(who, start, ladder(who));
      expect(refused).toMatchObject({ state: "refused", check: { amount: 400 } });
      expect(waitOf(refused)).toBe(61 * second);
      const later = await running(who, start + 61 * second, ladder(who, start + 61 * second));
      expect((await record(who, later.opening.id))?.reservedTokens).toBe(1_000);
    });

    it("wait for no request that was counted, and for no call whose lease is over", async () => {
      const who = await caller(world.stores, { keyLimits: { requestsPerDay: 1 } });
      await running(who, start);
      const counting = await admit(who, start, { mayWait: true });
      expect(told(counting)).toBe("refused by key requests_day");
      const broke = await caller(world.stores, { keyLimits: { usdPerDay: 0.001 } });
      await running(broke, start);
      const after = await admit(broke, start + leaseMs, { mayWait: true });
      expect(told(after)).toBe("refused by key usd_day");
      expect(waitOf(after)).toBe(Date.UTC(2_027, 0, 16) - start - leaseMs);
    });

    it("say at most two minutes of a lease that is longer, and no more than the window has left", async () => {
      const who = await caller(world.stores, { keyLimits: { usdPerDay: 0.001 } });
      await running(who, start, { leaseUntil: start + 150 * second });
      expect(waitOf(await admit(who, start, { microUsd: 1 }))).toBe(120 * second);
      const midnight = start - (start % dayMs) + dayMs;
      const late = await caller(world.stores, { keyLimits: { usdPerDay: 0.001 } });
      await running(late, midnight - 9 * second);
      expect(waitOf(await admit(late, midnight - 9 * second, { microUsd: 1 }))).toBe(9 * second);
    });

    it("have a code each: what a row says of its claim can't be turned into another claim", async () => {
      const who = await caller(world.stores, { keyLimits: { usdPerDay: 0.002 } });
      await spend(who, 1_300);
      const asked = reservation(who, start, ladder(who));
      const admitted = await world.stores.ledger.admit(asked);
      expect(admitted).toMatchObject({ value: { rung: 2, receipt: { reservedMicroUsd: 600 } } });
      await settle(asked, start);
      expect((await record(who, asked.opening.id))?.outcome).toBe("succeeded");
    });

    it("say of a tenant's running calls when one of them has ended", async () => {
      const who = await caller(world.stores);
      const [one, other] = [await running(who, start), await running(who, start)];
      const text = async () => {
        const found = await world.stores.ledger.runningOf([who.tenantId], start);
        return found.ok ? found.value.get(who.tenantId) : null;
      };
      const both = await text();
      expect(both).toEqual(expect.any(String));
      await settle(one, start);
      const left = await text();
      expect([both, undefined]).not.toContain(left);
      await settle(other, start);
      expect(await text()).toBeUndefined();
    });
  });
};
