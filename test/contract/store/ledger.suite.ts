/** The ledger on every database. The clock is an argument, so every case is exact. */
import * as fc from "fast-check";
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { LimitCheck } from "../../../src/domain/limits/limit-checks.ts";
import type { Limits } from "../../../src/domain/choice/policy.ts";
import type { Ledger, Reservation } from "../../../src/domain/ports/ledger.ts";
import type { Database } from "../../../src/store/db.ts";
import { samplingRequests } from "../../../src/store/schema.ts";
import {
  anotherKey,
  caller,
  correction,
  decision,
  event,
  leaseMs,
  opening,
  reservation,
  revokeKey,
  session,
  settlement,
  start,
} from "./fixtures.ts";
import { givenLedger, limitsOf, second, sendingTwice, told, waitOf } from "./given-ledger.ts";
import { storesOn, value, type Backend } from "./open.ts";
import { sealAll, retain } from "./sealing.ts";

const minute = 60_000;

export const ledgerSuite = (backend: Backend): void => {
  describe("ledger", () => {
    const { world, admit, running, settle, rows, counted, record } = givenLedger(backend);

    describe("admission", () => {
      const exact: { limits: Limits; admitted: number; by: string }[] = [
        { limits: { requestsPerMinute: 3 }, admitted: 3, by: "requests" },
        { limits: { tokensPerMinute: 450 }, admitted: 4, by: "tokens" },
        { limits: { tokensPerMinute: 400 }, admitted: 4, by: "tokens" },
        { limits: { concurrent: 2 }, admitted: 2, by: "concurrent" },
      ];
      it.each(exact)("admits exactly up to $limits", async ({ limits, admitted, by }) => {
        for (const scope of ["tenant", "key"] as const) {
          const who = await caller(world.stores, { [`${scope}Limits`]: limits });
          for (let count = 0; count < admitted; count += 1)
            expect(told(await admit(who, start))).toBe("admitted");
          expect(told(await admit(who, start))).toBe(`refused by ${scope} ${by}`);
        }
      });

      it("admits everything where there is no limit", async () => {
        const who = await caller(world.stores);
        for (let count = 0; count < 5; count += 1)
          expect(await admit(who, start)).toEqual({
            state: "admitted",
            limits: [],
            blocked: [],
            rung: 0,
            receipt: expect.objectContaining({ number: count + 1 }) as unknown,
          });
      });

      it("holds tenant and key together, and names the first limit without room", async () => {
        const who = await caller(world.stores, {
          tenantLimits: { requestsPerMinute: 3 },
          keyLimits: { requestsPerMinute: 2 },
        });
        const sibling = { ...who, keyId: await anotherKey(world.stores, who.tenantId) };
        const fresh = { tenantVersion: 3 };
        expect(told(await admit(who, start, fresh))).toBe("admitted");
        expect(told(await admit(who, start, fresh))).toBe("admitted");
        expect(told(await admit(who, start, fresh))).toBe("refused by key requests");
        expect(told(await admit(sibling, start, fresh))).toBe("admitted");
        expect(told(await admit(who, start, fresh))).toBe("refused by tenant requests");
        expect(told(await admit(sibling, start, fresh))).toBe("refused by tenant requests");
      });

      it("counts a key's concurrency by that key alone, a tenant's by all of its keys", async () => {
        const who = await caller(world.stores, {
          tenantLimits: { concurrent: 3 },
          keyLimits: { concurrent: 2 },
        });
        const keyId = await anotherKey(world.stores, who.tenantId);
        const sibling = { ...who, keyId };
        const fresh = { tenantVersion: 3 };
        expect(told(await admit(who, start, fresh))).toBe("admitted");
        expect(told(await admit(who, start, fresh))).toBe("admitted");
        expect(told(await admit(who, start, fresh))).toBe("refused by key concurrent");
        expect(told(await admit(sibling, start, fresh))).toBe("admitted");
        expect(told(await admit(sibling, start, fresh))).toBe("refused by tenant concurrent");
      });

      it("counts a refused call in no limit and no scope", async () => {
        const who = await caller(world.stores, {
          tenantLimits: { requestsPerMinute: 10, tokensPerMinute: 10_000, concurrent: 10 },
          keyLimits: { requestsPerMinute: 1 },
        });
        expect(told(await admit(who, start))).toBe("admitted");
        const before = limitsOf(await admit(who, start));
        expect(limitsOf(await admit(who, start))).toEqual(before);
        expect(await counted(who.tenantId, "requests")).toBe(1);
        expect(await counted(who.tenantId, "tokens")).toBe(100);
        expect(await counted(who.keyId, "requests")).toBe(1);
        expect(before.map(({ name, remaining }) => [name, remaining])).toEqual([
          ["tenant.requestsPerMinute", 9],
          ["tenant.tokensPerMinute", 9_900],
          ["tenant.concurrent", 9],
          ["key.requestsPerMinute", 0],
        ]);
      });

      it("tells how each limit stands after it", async () => {
        const who = await caller(world.stores, {
          tenantLimits: { requestsPerMinute: 5, concurrent: 4 },
          keyLimits: { tokensPerMinute: 1_000 },
        });
        await admit(who, start);
        expect(limitsOf(await admit(who, start + 10 * second, { tokens: 300 }))).toEqual([
          {
            name: "tenant.requestsPerMinute",
            limit: 5,
            used: 2,
            remaining: 3,
            resetSeconds: 51,
            windowSeconds: 60,
          },
          {
            name: "tenant.concurrent",
            limit: 4,
            used: 2,
            remaining: 2,
            resetSeconds: 1,
            windowSeconds: 60,
          },
          {
            name: "key.tokensPerMinute",
            limit: 1_000,
            used: 400,
            remaining: 600,
            resetSeconds: 51,
            windowSeconds: 60,
          },
        ]);
      });

      it("writes the record of what it admitted", async () => {
        const who = await caller(world.stores, { tenantLimits: { requestsPerMinute: 5 } });
        const reserved = await running(who, start);
        expect(await record(who, reserved.opening.id)).toEqual({
          ...reserved.opening,
          admittedAt: start,
          version: 1,
          outcome: "admitted",
          reason: null,
          reasonDetail: null,
          decision: reserved.decision,
          attempts: [],
          reservedTokens: 100,
          usage: null,
          costMicroUsd: null,
          overshoot: false,
          model: "openai/gpt",
          timing: null,
          totalMs: null,
          overheadMs: null,
          settledAt: null,
          correction: null,
          replays: null,
          captured: false,
          content: null,
        });
      });

      it("writes the record of a refused call, with the limit that refused", async () => {
        const who = await caller(world.stores, { keyLimits: { requestsPerMinute: 1 } });
        await admit(who, start);
        const refused = reservation(who, start + second);
        await world.stores.ledger.admit(refused);
        expect(await record(who, refused.opening.id)).toMatchObject({
          id: refused.opening.id,
          who: refused.opening.who,
          outcome: "refused",
          reason: "rate_limited",
          reasonDetail: "key.requestsPerMinute",
          decision: refused.decision,
          costMicroUsd: null,
          usage: null,
          overshoot: false,
          settledAt: start + second,
        });
      });

      it("admits 10 of 64 at once under a limit of 10, from several connections", async () => {
        for (const tenantLimits of [
          { requestsPerMinute: 10 },
          { tokensPerMinute: 1_050 },
          { concurrent: 10 },
        ] satisfies Limits[]) {
          const who = await caller(world.stores, { tenantLimits });
          const ledgers: Ledger[] = [world.stores.ledger];
          while (ledgers.length < 4) ledgers.push(storesOn(await world.again()).ledger);
          const answers = await Promise.all(
            Array.from({ length: 64 }, (_, at) =>
              ledgers[at % ledgers.length]?.admit(reservation(who, start + at)),
            ),
          );
          const states = answers.map((answer) =>
            answer?.ok ? answer.value.state : answer?.error.reason,
          );
          expect(states.toSorted()).toEqual([
            ...Array.from({ length: 10 }, () => "admitted"),
            ...Array.from({ length: 54 }, () => "refused"),
          ]);
        }
      });

      it("refuses a call that no minute could hold, and names no time to wait", async () => {
        const tokens = await caller(world.stores, { tenantLimits: { tokensPerMinute: 99 } });
        const none = await caller(world.stores, { keyLimits: { requestsPerMinute: 0 } });
        expect(waitOf(await admit(tokens, start))).toBeNull();
        expect(waitOf(await admit(none, start))).toBeNull();
        // Nor does it fit when the window isn't empty.
        await admit(tokens, start, { tokens: 50 });
        expect(waitOf(await admit(tokens, start))).toBeNull();
      });

      it("says to come back in a second for a place among the concurrent ones", async () => {
        const who = await caller(world.stores, { keyLimits: { concurrent: 1 } });
        await admit(who, start);
        expect(waitOf(await admit(who, start + 20))).toBe(second);
      });
    });

    describe("time", () => {
      const waits: {
        title: string;
        limits: Limits;
        used: [ms: number, tokens: number][];
        asked: [ms: number, tokens: number];
      }[] = [
        {
          title: "one bucket",
          limits: { requestsPerMinute: 1 },
          used: [[0, 1]],
          asked: [0, 1],
        },
        {
          title: "a bucket's last millisecond",
          limits: { requestsPerMinute: 1 },
          used: [[999, 1]],
          asked: [31_234, 1],
        },
        {
          title: "the oldest of three",
          limits: { requestsPerMinute: 3 },
          used: [
            [0, 1],
            [20_500, 1],
            [40_000, 1],
          ],
          asked: [59_999, 1],
        },
        {
          title: "as many tokens as it needs",
          limits: { tokensPerMinute: 1_000 },
          used: [
            [1_100, 300],
            [5_200, 300],
            [30_300, 300],
          ],
          asked: [45_678, 650],
        },
        {
          title: "the whole window",
          limits: { tokensPerMinute: 1_000 },
          used: [
            [1_100, 300],
            [59_400, 1],
          ],
          asked: [59_500, 1_000],
        },
      ];
      it.each(waits)(
        "admits one more exactly after retryAfterMs and not before: $title",
        async ({ limits, used, asked: [ms, tokens] }) => {
          const who = await caller(world.stores, { keyLimits: limits });
          for (const [at, amount] of used) {
            const reserved = await running(who, start + at, { tokens: amount });
            await settle(reserved, start + at, { chargedTokens: amount });
          }
          const wait = waitOf(await admit(who, start + ms, { tokens }));
          expect(wait).not.toBeNull();
          const then = start + ms + (wait ?? 0);
          const early = await admit(who, then - 1, { tokens });
          expect(told(early)).toContain("refused");
          expect(waitOf(early)).toBe(1);
          expect(told(await admit(who, then, { tokens }))).toBe("admitted");
        },
      );

      it("names the wait of the same limit that the refusal names", async () => {
        const who = await caller(world.stores, {
          tenantLimits: { requestsPerMinute: 2 },
          keyLimits: { tokensPerMinute: 250 },
        });
        await admit(who, start);
        const refused = await admit(who, start + 30 * second, { tokens: 200 });
        expect(told(refused)).toBe("refused by key tokens");
        expect(waitOf(refused)).toBe(31 * second);
      });

      it("never admits more than the limit in any minute, by the true times", async () => {
        const limit = 5;
        const tokenLimit = 500;
        await fc.assert(
          fc.asyncProperty(
            fc.array(
              fc.record({
                // Requests that come in bunches around a minute, where windows go wrong.
                gapMs: fc.oneof(
                  fc.integer({ min: 0, max: 3_000 }),
                  fc.integer({ min: 14_000, max: 16_000 }),
                  fc.integer({ min: 55_000, max: 61_000 }),
                ),
                tokens: fc.integer({ min: 1, max: 300 }),
              }),
              { minLength: 10, maxLength: 30 },
            ),
            async (calls) => {
              const who = await caller(world.stores, {
                tenantLimits: { requestsPerMinute: limit },
                keyLimits: { tokensPerMinute: tokenLimit },
              });
              const admitted: { at: number; tokens: number }[] = [];
              let now = start;
              for (const { gapMs, tokens } of calls) {
                now += gapMs;
                const admission = await admit(who, now, { tokens });
                if (admission.state === "admitted") admitted.push({ at: now, tokens });
              }
              for (const first of admitted) {
                const window = admitted.filter(
                  ({ at }) => at >= first.at && at <= first.at + minute,
                );
                expect(window.length).toBeLessThanOrEqual(limit);
                const sum = window.reduce((total, { tokens }) => total + tokens, 0);
                expect(sum).toBeLessThanOrEqual(tokenLimit);
              }
            },
          ),
          { numRuns: backend.histories },
        );
      });

      it("holds the limit when a caller's clock is behind another's", async () => {
        const who = await caller(world.stores, { keyLimits: { requestsPerMinute: 2 } });
        await admit(who, start + 5 * second);
        await admit(who, start + 5 * second);
        expect(told(await admit(who, start))).toBe("refused by key requests");
      });
    });

    describe("a clock that is set back", () => {
      const hour = 60 * minute;

      it.each([
        { limits: { requestsPerMinute: 3 }, title: "requests" },
        { limits: { tokensPerMinute: 300 }, title: "tokens" },
      ])("does not block a used-up limit for the jump, and frees it once: $title", async (its) => {
        const who = await caller(world.stores, { keyLimits: its.limits });
        const spend = async (now: number) => {
          for (let count = 0; count < 3; count += 1)
            expect(told(await admit(who, now))).toBe("admitted");
          const refused = await admit(who, now);
          expect(told(refused)).toContain("refused");
          expect(waitOf(refused)).toBe(61 * second);
          expect(limitsOf(refused)).toMatchObject([{ remaining: 0, resetSeconds: 61 }]);
        };
        await spend(start);
        // The clock is set back by an hour: the minute is as empty as it was then, and full after
        // as many requests.
        await spend(start - hour);
        // With the clock where it was, what was counted there counts again.
        const again = await admit(who, start);
        expect(told(again)).toContain("refused");
        expect(waitOf(again)).toBe(61 * second);
        expect(told(await admit(who, start + 61 * second))).toBe("admitted");
      });

      it("holds a limit over a smaller jump, and names no longer wait than its window", async () => {
        const who = await caller(world.stores, { keyLimits: { requestsPerMinute: 1 } });
        await admit(who, start);
        const refused = await admit(who, start - 40 * second);
        expect(told(refused)).toContain("refused");
        expect(waitOf(refused)).toBe(61 * second);
        expect(limitsOf(refused)).toMatchObject([{ resetSeconds: 61 }]);
      });

      it("counts a place only as long as a lease can last", async () => {
        const who = await caller(world.stores, { keyLimits: { concurrent: 1 } });
        await admit(who, start);
        expect(told(await admit(who, start - minute))).toBe("refused by key concurrent");
        expect(told(await admit(who, start - hour))).toBe("admitted");
        expect(told(await admit(who, start - hour))).toBe("refused by key concurrent");
      });

      it("counts a day's money in its day", async () => {
        const day = 24 * hour;
        const midnight = Math.ceil(start / day) * day;
        const who = await caller(world.stores, { keyLimits: { usdPerDay: 0.001 } });
        expect(told(await admit(who, midnight))).toBe("admitted");
        // Nothing was spent on the day to which the clock is set back.
        expect(told(await admit(who, midnight - second))).toBe("admitted");
        const refused = await admit(who, midnight - second);
        expect(told(refused)).toBe("refused by key usd_day");
        expect(waitOf(refused)).toBe(second);
        expect(told(await admit(who, midnight))).toBe("refused by key usd_day");
      });
    });

    describe("staleness", () => {
      const untouched = async (reserved: Reservation) => {
        const { id, who } = reserved.opening;
        expect(await record({ ...who, tenantLimits: {}, keyLimits: {} }, id)).toBeNull();
        expect(await counted(who.tenantId, "requests")).toBe(0);
      };
      const limited = { tenantLimits: { requestsPerMinute: 5 } };

      it("is stale when the tenant has changed since, and leaves no row", async () => {
        const who = await caller(world.stores, limited);
        const reserved = reservation(who, start);
        value(await world.stores.tenants.update(who.tenantId, { policy: {} }, event(who.tenantId)));
        expect(told(value(await world.stores.ledger.admit(reserved)))).toBe("stale");
        await untouched(reserved);
      });

      it("is stale the moment the key is revoked", async () => {
        const who = await caller(world.stores, limited);
        const reserved = reservation(who, start);
        await revokeKey(world.stores, who);
        expect(told(value(await world.stores.ledger.admit(reserved)))).toBe("stale");
        await untouched(reserved);
      });

      it("is stale when the tenant is gone", async () => {
        const who = await caller(world.stores, limited);
        value(await world.stores.tenants.remove(who.tenantId, event(who.tenantId)));
        expect(told(await admit(who, start))).toBe("stale");
      });

      it("is stale when the session was ended", async () => {
        const who = await caller(world.stores, limited);
        const its = session(who.tenantId, who.keyId);
        value(await world.stores.sessions.create(its));
        expect(value(await world.stores.sessions.end(who.tenantId, its.id, null))).toBe(true);
        const reserved = reservation(who, start, { sessionId: its.id });
        expect(told(value(await world.stores.ledger.admit(reserved)))).toBe("stale");
        await untouched(reserved);
      });

      it("is stale when its session has expired, and does not bring it back", async () => {
        const who = await caller(world.stores, limited);
        const its = session(who.tenantId, who.keyId, { expiresAt: start });
        value(await world.stores.sessions.create(its));
        for (const now of [start, start + second])
          expect(told(await admit(who, now, { sessionId: its.id }))).toBe("stale");
        expect(value(await world.stores.sessions.get(who.tenantId, its.id))).toEqual(its);
      });

      it("is stale with another key's session, and does not touch it", async () => {
        const who = await caller(world.stores, limited);
        const keyId = await anotherKey(world.stores, who.tenantId);
        const its = session(who.tenantId, keyId);
        value(await world.stores.sessions.create(its));
        const fields = { sessionId: its.id, tenantVersion: 3 };
        expect(told(await admit(who, start + second, fields))).toBe("stale");
        expect(value(await world.stores.sessions.get(who.tenantId, its.id))).toEqual(its);
      });

      it("moves the session's expiry when it admits", async () => {
        const who = await caller(world.stores, limited);
        const its = session(who.tenantId, who.keyId, { expiresAt: start + 2 * second });
        value(await world.stores.sessions.create(its));
        const now = start + second;
        const fields = { sessionId: its.id, sessionExpiresAt: now + minute };
        expect(told(await admit(who, now, fields))).toBe("admitted");
        expect(value(await world.stores.sessions.get(who.tenantId, its.id))).toEqual({
          ...its,
          lastUsedAt: now,
          expiresAt: now + minute,
        });
      });
    });

    describe("the same batch sent twice", () => {
      const twice = () => storesOn(sendingTwice(world.db)).ledger;
      const limits = { tenantLimits: { requestsPerMinute: 5, tokensPerMinute: 1_000 } };

      it("counts an admission once", async () => {
        const who = await caller(world.stores, limits);
        const answer = value(await twice().admit(reservation(who, start)));
        expect(told(answer)).toBe("admitted");
        expect(limitsOf(answer).map(({ remaining }) => remaining)).toEqual([4, 900]);
        expect(await counted(who.tenantId, "requests")).toBe(1);
        expect(await counted(who.tenantId, "tokens")).toBe(100);
      });

      it("refuses once, even if there is room by then", async () => {
        const who = await caller(world.stores, { keyLimits: { requestsPerMinute: 1 } });
        await admit(who, start);
        const answer = value(await twice().admit(reservation(who, start)));
        expect(told(answer)).toBe("refused by key requests");
        expect(await counted(who.keyId, "requests")).toBe(1);
      });

      it("returns the unused tokens of a settlement once, and says that it settled", async () => {
        const who = await caller(world.stores, limits);
        const reserved = await running(who, start);
        const ended = settlement(reserved, start + second, { chargedTokens: 30 });
        expect(value(await twice().settle(ended))).toBe(true);
        expect(await counted(who.tenantId, "tokens")).toBe(30);
      });

      it("counts a call once that is admitted again under the same id", async () => {
        const who = await caller(world.stores, limits);
        const reserved = await running(who, start);
        expect(told(value(await world.stores.ledger.admit(reserved)))).toBe("admitted");
        expect(await counted(who.tenantId, "tokens")).toBe(100);
      });
    });

    describe("settlement", () => {
      it("gives unused tokens back to the bucket that they came from", async () => {
        const who = await caller(world.stores, { keyLimits: { tokensPerMinute: 100 } });
        const reserved = await running(who, start);
        expect(told(await admit(who, start + 30 * second, { tokens: 60 }))).toContain("refused");
        expect(await settle(reserved, start + 29 * second, { chargedTokens: 40 })).toBe(true);
        expect(told(await admit(who, start + 30 * second, { tokens: 60 }))).toBe("admitted");
        // The 40 tokens leave with the second in which they were reserved, not with the
        // settlement's.
        expect(told(await admit(who, start + 61 * second, { tokens: 41 }))).toContain("refused");
        expect(told(await admit(who, start + 61 * second, { tokens: 40 }))).toBe("admitted");
      });

      it("gives back in every scope", async () => {
        const who = await caller(world.stores, {
          tenantLimits: { tokensPerMinute: 1_000, requestsPerMinute: 10 },
          keyLimits: { tokensPerMinute: 500 },
        });
        await settle(await running(who, start), start + second, { chargedTokens: 7 });
        expect(await counted(who.tenantId, "tokens")).toBe(7);
        expect(await counted(who.keyId, "tokens")).toBe(7);
        expect(await counted(who.tenantId, "requests")).toBe(1);
      });

      it("counts once: a second settlement changes nothing", async () => {
        const who = await caller(world.stores, { keyLimits: { tokensPerMinute: 1_000 } });
        const reserved = await running(who, start);
        expect(await settle(reserved, start + second, { chargedTokens: 40 })).toBe(true);
        const settled = await record(who, reserved.opening.id);
        const again = { chargedTokens: 10, outcome: "failed", captured: "late" } as const;
        expect(await settle(reserved, start + 2 * second, again)).toBe(false);
        expect(await record(who, reserved.opening.id)).toEqual(settled);
        expect(await counted(who.keyId, "tokens")).toBe(40);
      });

      it("frees the place among the concurrent ones", async () => {
        const who = await caller(world.stores, { keyLimits: { concurrent: 1 } });
        const reserved = await running(who, start);
        expect(told(await admit(who, start + second))).toBe("refused by key concurrent");
        await settle(reserved, start + second);
        expect(told(await admit(who, start + second))).toBe("admitted");
      });

      it("charges more than was reserved, flags it, and lets it block the next", async () => {
        const who = await caller(world.stores, { keyLimits: { tokensPerMinute: 1_000 } });
        const reserved = await running(who, start);
        await settle(reserved, start + second, { chargedTokens: 1_200 });
        expect(await record(who, reserved.opening.id)).toMatchObject({ overshoot: true });
        const refused = await admit(who, start + second, { tokens: 1 });
        expect(told(refused)).toBe("refused by key tokens");
        expect(limitsOf(refused)[0]?.remaining).toBe(0);
        expect(waitOf(refused)).toBe(60 * second);
      });

      it("is no overshoot when exactly the reserved was used", async () => {
        const who = await caller(world.stores, { keyLimits: { tokensPerMinute: 1_000 } });
        const reserved = await running(who, start);
        await settle(reserved, start + second, { chargedTokens: 100 });
        expect(await record(who, reserved.opening.id)).toMatchObject({ overshoot: false });
      });

      it("is no overshoot when more tokens were used that no limit is charged for", async () => {
        const who = await caller(world.stores, { keyLimits: { usdPerDay: 1 } });
        const reserved = await running(who, start);
        await settle(reserved, start + second, { chargedTokens: 200, chargedMicroUsd: 900 });
        expect(await record(who, reserved.opening.id)).toMatchObject({ overshoot: false });
      });

      it("keeps classes of tokens, what each attempt used and cost, and that it was not believed", async () => {
        const who = await caller(world.stores);
        const reserved = await running(who, start);
        const usage = {
          inputTokens: 20,
          outputTokens: 80,
          estimated: true,
          classes: { cacheReadTokens: 12, cacheWriteHourTokens: 3, reasoningTokens: 7 },
          media: { images: 1 },
          implausible: true,
        } as const;
        const attempts = [
          {
            provider: "openai",
            model: "gpt",
            credentialId: "cred_1",
            status: 200,
            retryable: false,
            fault: null,
            billed: "yes",
            latencyMs: 1,
            retryAfterMs: null,
            usage,
            costMicroUsd: 500,
          },
        ] as const;
        await settle(reserved, start + second, { usage, attempts: [...attempts] });
        expect(await record(who, reserved.opening.id)).toMatchObject({
          version: 1,
          usage,
          attempts,
        });
      });

      it("writes how the call ended", async () => {
        const who = await caller(world.stores);
        const reserved = await running(who, start);
        const attempt = {
          provider: "anthropic",
          model: "claude",
          status: 200,
          retryable: false,
          credentialId: "cred_1",
          fault: null,
          billed: "yes",
          latencyMs: 99,
          retryAfterMs: null,
        } as const;
        await settle(reserved, start + second, {
          model: "anthropic/claude",
          attempts: [attempt],
          usage: {
            inputTokens: 21,
            outputTokens: 42,
            estimated: true,
            media: { images: 1, audioSeconds: 2.5, characters: 30 },
          },
          costMicroUsd: 77,
        });
        expect(await record(who, reserved.opening.id)).toMatchObject({
          outcome: "succeeded",
          model: "anthropic/claude",
          attempts: [attempt],
          usage: {
            inputTokens: 21,
            outputTokens: 42,
            estimated: true,
            media: { images: 1, audioSeconds: 2.5, characters: 30 },
          },
          costMicroUsd: 77,
          timing: { auth: 1, choose: 1, approve: 0, admit: 2, provider: 100 },
          totalMs: 110,
          overheadMs: 10,
          settledAt: start + second,
        });
      });

      it("keeps the chosen model when none answered", async () => {
        const who = await caller(world.stores);
        const reserved = await running(who, start);
        await settle(reserved, start + second, {
          outcome: "failed",
          reason: "provider_failed",
          reasonDetail: "all of them",
          model: null,
          usage: null,
          costMicroUsd: null,
        });
        expect(await record(who, reserved.opening.id)).toMatchObject({
          outcome: "failed",
          reason: "provider_failed",
          reasonDetail: "all of them",
          model: "openai/gpt",
          usage: null,
          costMicroUsd: null,
        });
      });

      it("settles nothing that was refused or never admitted", async () => {
        const who = await caller(world.stores, { keyLimits: { requestsPerMinute: 0 } });
        const refused = reservation(who, start);
        await world.stores.ledger.admit(refused);
        expect(await settle(refused, start, { captured: "content" })).toBe(false);
        expect(await record(who, refused.opening.id)).toMatchObject({
          outcome: "refused",
          content: null,
        });
        expect(await settle(reservation(who, start), start, { captured: "content" })).toBe(false);
        expect(await rows(sql`select * from captures`)).toEqual([]);
      });

      it("keeps captured content with the record", async () => {
        const who = await caller(world.stores);
        const reserved = await running(who, start);
        await settle(reserved, start + second, { captured: "v1.sealed" });
        expect(await record(who, reserved.opening.id)).toMatchObject({
          captured: true,
          content: "v1.sealed",
        });
        const page = await world.stores.requests.list(
          who.tenantId,
          {},
          { cursor: null, limit: 10 },
        );
        expect(value(page).data).toMatchObject([{ id: reserved.opening.id, captured: true }]);
        expect(value(page).data[0]).not.toHaveProperty("content");
      });

      it("drops captured content when retention has run out", async () => {
        const who = await caller(world.stores, { policy: { retentionDays: 1 } });
        const reserved = await running(who, start);
        await settle(reserved, start + second, { captured: "v1.sealed" });
        const day = 86_400_000;
        await sealAll(world.stores, who.tenantId);
        expect(value(await retain(world.stores, start + day))).toBe(0);
        expect(await record(who, reserved.opening.id)).toMatchObject({ content: "v1.sealed" });
        expect(value(await retain(world.stores, start + day + 1))).toBe(1);
        expect(await record(who, reserved.opening.id)).toBeNull();
        expect(await rows(sql`select * from captures`)).toEqual([]);
      });
    });

    describe("renewal of a lease", () => {
      it("keeps the call from the sweep, and its place and reservation, until the later end", async () => {
        const who = await caller(world.stores, {
          tenantLimits: { concurrent: 1 },
          keyLimits: { concurrent: 1, tokensPerMinute: 1_000 },
        });
        const reserved = await running(who, start);
        const { ledger } = world.stores;
        const [id, later] = [reserved.opening.id, start + leaseMs + 60 * second];
        value(await ledger.renew(who.tenantId, [id, "req_none"], later));
        expect(value(await ledger.sweep(later - 1))).toBe(0);
        expect(told(await admit(who, later - 1))).toBe("refused by tenant concurrent");
        // A renewal that arrives late moves nothing back.
        value(await ledger.renew(who.tenantId, [id], start + leaseMs));
        expect(value(await ledger.sweep(later - 1))).toBe(0);
        expect(value(await ledger.sweep(later))).toBe(1);
        expect(await record(who, id)).toMatchObject({ outcome: "unknown", settledAt: later });
      });

      it("belongs to a running call of the tenant alone", async () => {
        const who = await caller(world.stores);
        const other = await caller(world.stores);
        const reserved = await running(who, start);
        const { ledger } = world.stores;
        value(await ledger.renew(other.tenantId, [reserved.opening.id], start + 10 * leaseMs));
        expect(value(await ledger.sweep(start + leaseMs))).toBe(1);
        value(await ledger.renew(who.tenantId, [reserved.opening.id], start + 10 * leaseMs));
        expect(await record(who, reserved.opening.id)).toMatchObject({ outcome: "unknown" });
      });

      it("leaves the record sound, and settles as any call", async () => {
        const who = await caller(world.stores);
        const reserved = await running(who, start);
        const { ledger } = world.stores;
        value(await ledger.renew(who.tenantId, [reserved.opening.id], start + 2 * leaseMs));
        await settle(reserved, start + leaseMs + second);
        expect(await record(who, reserved.opening.id)).toMatchObject({ outcome: "succeeded" });
      });
    });

    describe("sweep", () => {
      it("turns an expired lease into unknown, charged as reserved", async () => {
        const who = await caller(world.stores, { keyLimits: { tokensPerMinute: 1_000 } });
        const reserved = await running(who, start, { reservedMicroUsd: 1_234 });
        expect(value(await world.stores.ledger.sweep(start + leaseMs - 1))).toBe(0);
        expect(value(await world.stores.ledger.sweep(start + leaseMs))).toBe(1);
        expect(value(await world.stores.ledger.sweep(start + leaseMs))).toBe(0);
        expect(await record(who, reserved.opening.id)).toMatchObject({
          outcome: "unknown",
          costMicroUsd: 1_234,
          usage: { inputTokens: 20, outputTokens: 80, estimated: true },
          settledAt: start + leaseMs,
        });
        expect(await counted(who.keyId, "tokens")).toBe(100);
      });

      it("leaves an unknown price unknown", async () => {
        const who = await caller(world.stores);
        const reserved = await running(who, start, { reservedMicroUsd: null });
        await world.stores.ledger.sweep(start + leaseMs);
        expect(await record(who, reserved.opening.id)).toMatchObject({
          outcome: "unknown",
          costMicroUsd: null,
        });
      });

      it("leaves ended calls alone", async () => {
        const who = await caller(world.stores);
        const reserved = await running(who, start);
        await settle(reserved, start + second);
        expect(value(await world.stores.ledger.sweep(start + 10 * leaseMs))).toBe(0);
        expect(await record(who, reserved.opening.id)).toMatchObject({ outcome: "succeeded" });
      });

      it("need not run for a lapsed lease to free its place", async () => {
        const who = await caller(world.stores, {
          tenantLimits: { concurrent: 1 },
          keyLimits: { concurrent: 1 },
        });
        await running(who, start);
        expect(told(await admit(who, start + leaseMs - 1))).toBe("refused by tenant concurrent");
        expect(told(await admit(who, start + leaseMs))).toBe("admitted");
      });

      it("may run twice at once", async () => {
        const who = await caller(world.stores);
        for (let count = 0; count < 5; count += 1) await running(who, start);
        const other = storesOn(await world.again()).ledger;
        const swept = await Promise.all(
          [world.stores.ledger, other].map((ledger) => ledger.sweep(start + leaseMs)),
        );
        expect(swept.map(value).reduce((sum, count) => sum + count, 0)).toBe(5);
      });
    });

    describe("prune", () => {
      it("drops the counters that no window can need, and no other", async () => {
        const who = await caller(world.stores, { keyLimits: { requestsPerMinute: 2 } });
        await admit(who, start);
        await admit(who, start + 90 * second);
        expect(value(await world.stores.ledger.prune(start + 120 * second))).toBe(0);
        expect(value(await world.stores.ledger.prune(start + 121 * second))).toBe(1);
        expect(await counted(who.keyId, "requests")).toBe(1);
        expect(told(await admit(who, start + 121 * second))).toBe("admitted");
        expect(told(await admit(who, start + 121 * second))).toBe("refused by key requests");
      });
    });

    describe("refusal before admission", () => {
      it("has its record", async () => {
        const who = await caller(world.stores);
        const its = opening(who, start);
        const { ledger } = world.stores;
        value(await ledger.refuse(its, "capability_missing", "sampling.tools", decision()));
        expect(await record(who, its.id)).toEqual({
          ...its,
          admittedAt: null,
          version: 1,
          outcome: "refused",
          reason: "capability_missing",
          reasonDetail: "sampling.tools",
          decision: decision(),
          attempts: [],
          reservedTokens: null,
          usage: null,
          costMicroUsd: null,
          overshoot: false,
          model: null,
          timing: null,
          totalMs: null,
          overheadMs: null,
          settledAt: start,
          correction: null,
          replays: null,
          captured: false,
          content: null,
        });
      });

      it("may know of no question and no decision", async () => {
        const who = await caller(world.stores);
        const its = { ...opening(who, start), asked: null };
        value(await world.stores.ledger.refuse(its, "invalid_params", "messages", null));
        expect(await record(who, its.id)).toMatchObject({ asked: null, decision: null });
      });

      it("writes one record when it is sent twice, and never over another record", async () => {
        const who = await caller(world.stores);
        const reserved = await running(who, start);
        value(await world.stores.ledger.refuse(reserved.opening, "internal", null, null));
        expect(await record(who, reserved.opening.id)).toMatchObject({ outcome: "admitted" });
      });
    });

    it("keeps in a record the feasible candidates, and counts of the others", async () => {
      const who = await caller(world.stores);
      const its = decision({
        candidates: [
          { provider: "openai", model: "gpt", score: 1 },
          { provider: "openai", model: "old", excludedBy: "retired" },
          { provider: "openai", model: "older", excludedBy: "retired" },
        ],
        excluded: { no_credential: 4 },
      });
      const reserved = await running(who, start, { decision: its });
      expect((await record(who, reserved.opening.id))?.decision).toMatchObject({
        candidates: [{ provider: "openai", model: "gpt", score: 1 }],
        excluded: { no_credential: 4, retired: 2 },
      });
    });

    it("counts what the records say, after any history", async () => {
      const step = fc.record({
        gapMs: fc.integer({ min: 0, max: 1_500 }),
        tokens: fc.integer({ min: 1, max: 400 }),
        key: fc.integer({ min: 0, max: 1 }),
        ending: fc.constantFrom("settle", "settle twice", "replay", "sweep", "run on"),
        used: fc.integer({ min: 0, max: 600 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
          const limits: Limits = { requestsPerMinute: 8, tokensPerMinute: 2_000, concurrent: 6 };
          const who = await caller(world.stores, { tenantLimits: limits, keyLimits: limits });
          const keyId = await anotherKey(world.stores, who.tenantId, limits);
          const callers = [who, { ...who, keyId }];
          const replaying = storesOn(sendingTwice(world.db)).ledger;
          let now = start;
          for (const { gapMs, tokens, key, ending, used } of steps) {
            now += gapMs;
            const ledger = ending === "replay" ? replaying : world.stores.ledger;
            const its = callers[key] ?? who;
            const leaseUntil = ending === "sweep" ? now + 1 : now + leaseMs;
            const reserved = reservation(its, now, { tokens, tenantVersion: 3, leaseUntil });
            const admission = value(await ledger.admit(reserved));
            if (admission.state !== "admitted" || ending === "run on") continue;
            if (ending === "sweep") {
              value(await ledger.sweep(now + 1));
              continue;
            }
            const ended = settlement(reserved, now, {
              chargedTokens: used,
              usage: { inputTokens: used, outputTokens: 0, estimated: false },
            });
            for (let times = ending === "settle twice" ? 2 : 1; times > 0; times -= 1)
              value(await ledger.settle(ended));
          }
          const charged = value(
            await world.db.read((builder) =>
              builder
                .select()
                .from(samplingRequests)
                .where(eq(samplingRequests.tenantId, who.tenantId)),
            ),
          ).filter(({ outcome }) => outcome !== "refused");
          const tokensOf = (row: (typeof charged)[number]): number =>
            row.outcome === "succeeded" ? (row.inputTokens ?? 0) : (row.reservedTokens ?? 0);
          for (const subject of [who.tenantId, who.keyId, keyId]) {
            const its = charged.filter((row) => [row.tenantId, row.keyId].includes(subject));
            expect(await counted(subject, "requests")).toBe(its.length);
            expect(await counted(subject, "tokens")).toBe(
              its.reduce((sum, row) => sum + tokensOf(row), 0),
            );
          }
        }),
        { numRuns: backend.histories },
      );
    });

    it("binds fewer than a Durable Object's 100 parameters with the most holds that there can be", async () => {
      const limits: Limits = {
        requestsPerMinute: 9,
        tokensPerMinute: 9_000,
        concurrent: 9,
        usdPerDay: 9,
        usdPerMonth: 99,
      };
      const who = await caller(world.stores, { tenantLimits: limits, keyLimits: limits });
      const its = session(who.tenantId, who.keyId);
      value(await world.stores.sessions.create(its));
      const most: number[] = [];
      const counting: Database = {
        ...world.db,
        write(statements) {
          most.push(...statements.map((statement) => statement.toSQL().params.length));
          return world.db.write(statements);
        },
      };
      const { ledger } = storesOn(counting);
      const expiresAt = start + minute;
      const asking = { sessionId: its.id, server: { id: "srv_1", limits } };
      const { limitChecks } = reservation(who, start, { ...asking, tokens: 1 });
      const reserved = reservation(who, start, {
        ...asking,
        idempotency: { key: "k", expiresAt },
        fallbacks: Array.from({ length: 4 }, (_, at) => ({
          limitChecks,
          decision: decision(),
          reservedTokens: 1,
          reservedMicroUsd: 1_000,
          ...(at === 3 && { shortens: true as const }),
        })),
        mayWait: true,
      });
      expect(reserved.limitChecks satisfies LimitCheck[]).toHaveLength(15);
      expect(told(value(await ledger.admit(reserved)))).toBe("admitted");
      const result = { parts: ["one", "two"], expiresAt };
      value(await ledger.settle(settlement(reserved, start, { captured: "content", result })));
      const lost = { tenantId: who.tenantId, id: "req_1", correction: correction() };
      value(await ledger.correct(lost, event(who.tenantId)));
      value(await ledger.refuse(opening(who), "internal", null, decision()));
      value(await ledger.sweep(start));
      value(await ledger.prune(start));
      expect(Math.max(...most)).toBeLessThanOrEqual(100);
    });

    it("takes one round trip for each of its steps", async () => {
      const trips: string[] = [];
      const db = await world.again({ onRoundTrip: (kind) => trips.push(kind) });
      const { ledger } = storesOn(db);
      const who = await caller(world.stores, { keyLimits: { requestsPerMinute: 2 } });
      const reserved = reservation(who, start);
      const admitted = value(await ledger.admit(reserved));
      expect(trips.splice(0)).toEqual(["write"]);
      if (admitted.state !== "admitted") throw new Error(admitted.state);
      const { receipt } = admitted;
      value(await ledger.settle(settlement(reserved, start, { receipt, captured: "content" })));
      expect(trips.splice(0)).toEqual(["write"]);
    });
  });
};
