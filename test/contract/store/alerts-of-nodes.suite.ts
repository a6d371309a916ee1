/** Alerts of every node that a call may name, in each period. */
import { describe, expect, it } from "vitest";
import type { Policy } from "../../../src/domain/choice/policy.ts";
import { limitChecksOf, type LimitScope } from "../../../src/domain/limits/limit-checks.ts";
import { limitsOfNode } from "../../../src/pipeline/callers/scopes.ts";
import { calendarOf } from "../../../src/pipeline/callers/time-zones.ts";
import { caller, event, opening, start, type Caller } from "./fixtures.ts";
import { givenAlerts, minuteMs } from "./given-alerts.ts";
import { told } from "./given-ledger.ts";
import { value, type Backend } from "./open.ts";

const usdPerDay = 0.1;

export const alertsOfNodesSuite = (backend: Backend): void => {
  describe("alerts of nodes", () => {
    const { world, admit, look, alertsOf, spend } = givenAlerts(backend);
    const crossedBy = async (who: Caller) =>
      (await alertsOf(who)).filter(({ kind }) => kind === "budget_crossed");

    /** A node of a policy that allows 0.1 USD, and a call that names it. */
    const nodes: { scope: LimitScope; policy: Policy; subject: (who: Caller) => string }[] = [
      { scope: "user", policy: { perUser: { usdPerDay } }, subject: () => "user:ann" },
      {
        scope: "group",
        policy: { groups: { each: { usdPerWeek: 9 }, limits: { eng: { usdPerWeek: usdPerDay } } } },
        subject: () => "group:eng",
      },
      {
        scope: "tag",
        policy: { tags: { each: { usdTotal: usdPerDay }, limits: { "7": { usdTotal: 9 } } } },
        subject: () => "tag:a.b",
      },
      {
        scope: "tag",
        policy: { tags: { each: { usdPerMonth: 9 }, limits: { "7": { usdPerMonth: usdPerDay } } } },
        subject: () => "tag:7",
      },
      {
        scope: "run",
        policy: { runs: { usdPerRun: usdPerDay } },
        subject: ({ keyId }) => `run:${keyId}:one`,
      },
    ];
    it.each(nodes)("name a $scope once a period: $policy", async ({ scope, policy, subject }) => {
      const who = await caller(world.stores, { policy });
      const named = subject(who);
      const limits = limitsOfNode(policy, { scope, subject: named });
      const fields = { nodes: [{ scope, subject: named, limits }] };
      await spend(who, 85_000, fields);
      expect(await look()).toBe(2);
      expect(await look(start + minuteMs)).toBe(0);
      const name = `${scope}.${Object.keys(limits)[0]}`;
      const its = { name, subject: named, limit: usdPerDay, used: 0.085 };
      expect(await alertsOf(who)).toMatchObject([
        { ...its, threshold: 50 },
        { ...its, threshold: 80 },
      ]);
      const other = { nodes: [{ scope, subject: `${scope}:other`, limits }] };
      await spend(who, 49_000, other);
      expect(await look()).toBe(0);
    });

    it("say that the budget of a tag, a run or a person is empty once a call that names them does not fit", async () => {
      const policy: Policy = {
        tags: { each: { usdPerDay } },
        runs: { usdPerRun: usdPerDay },
        perUser: { usdPerDay },
      };
      const who = await caller(world.stores, { policy });
      const refuse = async (scope: "tag" | "run" | "user", name: string) => {
        const subject = scope === "run" ? `run:${who.keyId}:${name}` : `${scope}:${name}`;
        const limits = limitsOfNode(policy, { scope, subject });
        await spend(who, 90_000, { nodes: [{ scope, subject, limits }] });
        const plain = opening(who);
        const named =
          plain.asked === null || scope === "user"
            ? plain.asked
            : { ...plain.asked, [scope]: name };
        const by = scope === "user" ? { ...plain.who, user: name } : plain.who;
        const fields = {
          nodes: [{ scope, subject, limits }],
          opening: { ...plain, asked: named, who: by },
          microUsd: 20_000,
        };
        return async () => expect(told(await admit(who, start, fields))).toMatch(/^refused/);
      };
      const [night, first] = [await refuse("tag", "night"), await refuse("run", "one")];
      await refuse("tag", "noon");
      await refuse("run", "two");
      const ann = await refuse("user", "ann");
      await refuse("user", "bea");
      expect(await look()).toBe(12);
      await night();
      await first();
      await ann();
      expect(await look()).toBe(3);
      const empty = (await alertsOf(who)).filter(({ threshold }) => threshold === 100);
      expect(empty.map(({ subject }) => subject).toSorted()).toEqual([
        `run:${who.keyId}:one`,
        "tag:night",
        "user:ann",
      ]);
    });

    it("come again with the run that begins after a pause", async () => {
      const policy: Policy = { runs: { usdPerRun: usdPerDay }, alerts: { thresholds: [80] } };
      const who = await caller(world.stores, { policy });
      const subject = `run:${who.keyId}:long`;
      const fields = {
        nodes: [{ scope: "run", subject, limits: { usdPerRun: usdPerDay } } as const],
      };
      const hourMs = 60 * minuteMs;
      const spendAt = async (hours: number, amount: number) => {
        const now = start + hours * hourMs;
        await spend(who, amount, { ...fields, now });
        await look(now + minuteMs);
        return (await crossedBy(who)).length;
      };
      expect(await spendAt(0, 30_000)).toBe(0);
      expect(await spendAt(20, 30_000)).toBe(0);
      expect(await spendAt(40, 25_000)).toBe(1);
      expect(await spendAt(41, 5_000)).toBe(1);
      expect(await spendAt(70, 70_000)).toBe(1);
      expect(await spendAt(71, 20_000)).toBe(2);
      expect(await crossedBy(who)).toMatchObject([
        { threshold: 80, subject, used: 0.085, periodFrom: start },
        { threshold: 80, subject, used: 0.09, periodFrom: start + 70 * hourMs },
      ]);
    });

    it("go by the days of the tenant's time zone", async () => {
      const policy: Policy = { timeZone: "Asia/Kolkata" };
      const who = await caller(world.stores, { tenantLimits: { usdPerDay }, policy });
      const spendAt = async (now: number, amount: number) => {
        const calendar = calendarOf(policy.timeZone, now);
        const scopes = [
          { scope: "tenant", subject: who.tenantId, limits: who.tenantLimits } as const,
        ];
        const limitChecks = limitChecksOf({ now, scopes, tokens: 100, microUsd: amount, calendar });
        await spend(who, amount, { now, limitChecks });
      };
      const from = Date.UTC(2_027, 0, 14, 18, 30);
      // Another tenant's zone, of which a counter is here from before the tenant had its own.
      await caller(world.stores);
      await spend(who, 90_000, { now: from });
      await look(from);
      expect(await crossedBy(who)).toEqual([]);
      await spendAt(from + 23 * 60 * minuteMs, 60_000);
      await look(from + 23 * 60 * minuteMs);
      const next = from + 24 * 60 * minuteMs;
      await spendAt(next, 60_000);
      await look(next + minuteMs);
      const periods = (await crossedBy(who)).map(({ periodFrom, periodUntil }) => [
        periodFrom,
        periodUntil,
      ]);
      expect(periods).toEqual([
        [from, next],
        [next, next + 24 * 60 * minuteMs],
      ]);
    });

    it("look at a raised limit while it is raised", async () => {
      const until = start + 10 * minuteMs;
      const who = await caller(world.stores, { tenantLimits: { usdPerDay } });
      const raise = { subject: who.tenantId, limits: { usdPerDay: 1 }, until, reason: "a launch" };
      const policy: Policy = { limits: { usdPerDay }, raises: [raise] };
      value(await world.stores.tenants.update(who.tenantId, { policy }, event(who.tenantId)));
      await spend({ ...who, tenantLimits: { usdPerDay: 1 } }, 85_000, { tenantVersion: 3 });
      expect(await look(until - 1)).toBe(0);
      expect(await look(until)).toBe(2);
      expect(await alertsOf(who)).toMatchObject([{ limit: usdPerDay }, { limit: usdPerDay }]);
    });
  });
};
