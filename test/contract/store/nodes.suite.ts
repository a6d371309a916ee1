/** Limits of users, groups, tags and runs: nodes for which a record has no column of its own. */
import { describe, expect, it } from "vitest";
import { calendarAt } from "../../../src/domain/calendar.ts";
import {
  limitChecksOf,
  maxNodes,
  type LimitedScope,
  type LimitScope,
} from "../../../src/domain/limits/limit-checks.ts";
import type { NodeLimits } from "../../../src/domain/limits/resources.ts";
import { limitRefusal } from "../../../src/pipeline/sampling/admission/limit-refusal.ts";
import { caller, leaseMs, reservation, start, type Caller } from "./fixtures.ts";
import { givenLedger, limitsOf, second, told, waitOf } from "./given-ledger.ts";
import { storesOn, value, type Backend } from "./open.ts";
import { sealAll } from "./sealing.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const others = ["user", "group", "tag", "run"] as const satisfies LimitScope[];

const node = (scope: LimitScope, limits: NodeLimits, name = "one"): LimitedScope => ({
  scope,
  subject: `${scope}:${name}`,
  limits,
});

/** Each limit, how many calls of 100 tokens and 1,000 micro-USD it admits, and when it has room again. */
const limited: { limits: NodeLimits; fit: number; wait: number | null }[] = [
  { limits: { requestsPerMinute: 2 }, fit: 2, wait: 61 * second },
  { limits: { tokensPerMinute: 250 }, fit: 2, wait: 61 * second },
  { limits: { usdPerMinute: 0.002 }, fit: 2, wait: 61 * second },
  { limits: { concurrent: 2 }, fit: 2, wait: second },
  // `start` is Friday, 2027-01-15T08:00:00Z.
  { limits: { requestsPerDay: 2 }, fit: 2, wait: 16 * hourMs },
  { limits: { tokensPerWeek: 200 }, fit: 2, wait: 2 * dayMs + 16 * hourMs },
  { limits: { usdPerWeek: 0.0025 }, fit: 2, wait: 2 * dayMs + 16 * hourMs },
  { limits: { requestsPerMonth: 1 }, fit: 1, wait: 16 * dayMs + 16 * hourMs },
  { limits: { requestsTotal: 2 }, fit: 2, wait: null },
  { limits: { tokensTotal: 250 }, fit: 2, wait: null },
  { limits: { usdTotal: 0.002 }, fit: 2, wait: null },
  { limits: { callsPerRun: 2 }, fit: 2, wait: null },
  { limits: { usdPerRun: 0.002 }, fit: 2, wait: null },
];

export const nodesSuite = (backend: Backend): void => {
  describe("nodes of a call", () => {
    const { world, admit, running, settle, counted } = givenLedger(backend);

    /** A call that used all that it had reserved; where calls that run are counted, it runs. */
    const spend = async (
      who: Caller,
      { nodes, limits }: { nodes: LimitedScope[]; limits: NodeLimits },
    ) => {
      const reserved = await running(who, start, { nodes });
      if (limits.concurrent === undefined)
        await settle(reserved, start, { chargedTokens: 100, chargedMicroUsd: 1_000 });
    };

    it("admit exactly up to each limit, say when it has room again, and only that node is full", async () => {
      const who = await caller(world.stores);
      let at = 0;
      for (const { limits, fit, wait } of limited) {
        const scope = others[(at += 1) % others.length] ?? "tag";
        const nodes = [node(scope, limits, `${at}`)];
        for (let calls = 0; calls < fit; calls += 1) await spend(who, { nodes, limits });
        const refused = await admit(who, start, { nodes });
        expect([limits, told(refused)]).toEqual([limits, expect.stringMatching(/^refused by/)]);
        expect([limits, waitOf(refused)]).toEqual([limits, wait]);
        const another = [node(scope, limits, `${at} too`)];
        expect(told(await admit(who, start, { nodes: another }))).toBe("admitted");
      }
    });

    it("say in a refusal what is used of the node that refuses, and not of another group", async () => {
      const who = await caller(world.stores);
      const one = node("group", { usdPerDay: 0.009 }, "first");
      const other = node("group", { usdPerDay: 0.004 }, "second");
      await admit(who, start, { nodes: [one], microUsd: 3_000 });
      await admit(who, start, { nodes: [other], microUsd: 2_000 });
      const refused = await admit(who, start, { nodes: [one, other], microUsd: 3_000 });
      if (refused.state !== "refused") throw new Error(refused.state);
      expect(limitRefusal(refused.check, refused)).toMatchObject({
        node: "second",
        limitUsd: 0.004,
        usedUsd: 0.002,
      });
    });

    it("are charged what a call used, once, and no longer held when it ends", async () => {
      const who = await caller(world.stores);
      const limits = { concurrent: 1, usdPerDay: 1, tokensTotal: 10_000, usdPerMinute: 1 };
      const nodes = others.map((scope) => node(scope, limits, "charged"));
      const reserved = await running(who, start, { nodes, microUsd: 900 });
      expect(await counted("user:charged", "usd_day")).toBe(900);
      expect(told(await admit(who, start, { nodes }))).toBe("refused by user concurrent");
      await settle(reserved, start, { chargedTokens: 40, chargedMicroUsd: 500 });
      await settle(reserved, start, { chargedTokens: 40, chargedMicroUsd: 500 });
      for (const scope of others) {
        const subject = `${scope}:charged`;
        expect(await counted(subject, "usd_day")).toBe(500);
        expect(await counted(subject, "usd_minute")).toBe(500);
        expect(await counted(subject, "tokens_total")).toBe(40);
      }
      expect(told(await admit(who, start, { nodes }))).toBe("admitted");
    });

    it("forget a call's place when its lease is over", async () => {
      const who = await caller(world.stores);
      const nodes = [node("run", { concurrent: 1 })];
      await running(who, start, { nodes });
      expect(told(await admit(who, start + leaseMs - 1, { nodes }))).toMatch(/^refused/);
      expect(told(await admit(who, start + leaseMs, { nodes }))).toBe("admitted");
    });

    it("end with a run that has paused for a day, and not before, however long it went on", async () => {
      const who = await caller(world.stores);
      const nodes = [node("run", { callsPerRun: 4 }, "long")];
      const at = [0, 23 * hourMs, 46 * hourMs, 70 * hourMs].map((gap) => start + gap);
      for (const moment of at) expect(told(await admit(who, moment, { nodes }))).toBe("admitted");
      const last = start + 70 * hourMs;
      value(await world.stores.ledger.prune(last + dayMs - 1));
      expect(told(await admit(who, last + dayMs - 1, { nodes }))).toBe(
        "refused by run requests_run",
      );
      expect(told(await admit(who, last + dayMs + hourMs, { nodes }))).toBe("admitted");
      const anew = limitsOf(await admit(who, last + dayMs + hourMs, { nodes }));
      expect(anew.map(({ remaining }) => remaining)).toEqual([2]);
      value(await world.stores.ledger.prune(last + 5 * dayMs));
      expect(await counted("run:long", "requests_run")).toBe(0);
    });

    /** A call of a run, and of a key that may begin so many of them in a day. */
    const ofRun = (name: string, { keyId }: Caller, newRunsPerDay: number): LimitedScope[] => {
      const run = `run:${keyId}:${name}`;
      return [
        { scope: "key", subject: keyId, limits: { newRunsPerDay }, run },
        { scope: "run", subject: run, limits: { callsPerRun: 100 } },
      ];
    };

    it("count the runs that a key begins in a day, and not the calls of those that go on", async () => {
      const who = await caller(world.stores);
      const ask = async (run: string, at: number) =>
        told(await admit(who, at, { nodes: ofRun(run, who, 2) }));
      const full = "refused by key runs_day";
      for (const run of ["one", "one", "two", "one", "two"])
        expect(await ask(run, start)).toBe("admitted");
      const refused = await admit(who, start, { nodes: ofRun("three", who, 2) });
      expect([told(refused), waitOf(refused)]).toEqual([full, 16 * hourMs]);
      expect(await ask("one", start)).toBe("admitted");
      expect(await counted(who.keyId, "runs_day")).toBe(2);
      // On the next day "one" goes on, so two others may begin.
      const next = start + 20 * hourMs;
      for (const run of ["one", "three", "four"]) expect(await ask(run, next)).toBe("admitted");
      for (const run of ["five", "six"]) expect(await ask(run, next)).toBe(full);
      // "two" has paused for a day, so its name begins another run.
      expect(await ask("two", start + 25 * hourMs)).toBe(full);
      expect(await counted(who.keyId, "runs_day")).toBe(4);
    });

    it("begin exactly as many runs as a key may, for 64 callers of eight runs at once", async () => {
      const who = await caller(world.stores);
      const answers = await Promise.all(
        Array.from({ length: 64 }, async (_, at) => {
          const run = `r${at % 8}`;
          return [run, told(await admit(who, start, { nodes: ofRun(run, who, 5) }))] as const;
        }),
      );
      const admitted = answers.filter(([, state]) => state === "admitted");
      expect(admitted).toHaveLength(5 * 8);
      expect(new Set(admitted.map(([run]) => run)).size).toBe(5);
      expect(await counted(who.keyId, "runs_day")).toBe(5);
    });

    it("count by the day of the tenant's clocks", async () => {
      const who = await caller(world.stores);
      const berlin = (moment: number) => {
        const calendar = calendarAt(moment / 1_000, () => 3_600);
        const scopes = [node("tag", { requestsPerDay: 1 })];
        const limitChecks = limitChecksOf({
          now: moment,
          scopes,
          tokens: 1,
          microUsd: 1,
          calendar,
        });
        return admit(who, moment, { limitChecks });
      };
      const late = Date.UTC(2_027, 0, 15, 22, 59);
      expect(told(await berlin(late))).toBe("admitted");
      const refused = await berlin(late + 1);
      expect(waitOf(refused)).toBe(60_000 - 1);
      expect(told(await berlin(late + 60_000))).toBe("admitted");
    });

    it("refuse with a record that can be sealed, the operator's ceiling too", async () => {
      const who = await caller(world.stores);
      const ceiling: LimitedScope = {
        scope: "tenant",
        subject: who.tenantId,
        limits: { requestsPerMinute: 0 },
        fromCeiling: new Set(["requestsPerMinute"]),
      };
      for (const nodes of [[ceiling], ...others.map((scope) => [node(scope, { usdTotal: 0 })])])
        expect(told(await admit(who, start, { nodes }))).toMatch(/^refused/);
      await sealAll(world.stores, who.tenantId);
      const [seal] = value(
        await world.stores.seals.list(who.tenantId, { cursor: null, limit: 9 }),
      ).data;
      expect(seal).toMatchObject({ count: 5, checked: { tampered: [] } });
    });

    it("hold exactly for 64 callers of two processes at once against all that one call may name", async () => {
      const who = await caller(world.stores);
      const nodes = nodesOfOneCall(who);
      expect(nodes).toHaveLength(maxNodes);
      const processes = [world.stores, storesOn(await world.again())];
      const asked = Array.from({ length: 64 }, async (_, at) =>
        value(
          await (processes[at % 2] ?? world.stores).ledger.admit(
            reservation(who, start, { nodes }),
          ),
        ),
      );
      const admitted = (await Promise.all(asked)).filter(({ state }) => state === "admitted");
      expect(admitted).toHaveLength(17);
      for (const { subject } of nodes) expect(await counted(subject, "requests_day")).toBe(17);
    });
  });
};

/** As many nodes as a call may have; the last one has the least room. */
export const nodesOfOneCall = ({ tenantId, keyId }: Pick<Caller, "tenantId" | "keyId">) =>
  Array.from({ length: maxNodes }, (_, at): LimitedScope => {
    const limits = { requestsPerDay: at === maxNodes - 1 ? 17 : 1_000, usdPerMonth: 1_000 };
    if (at === 0) return { scope: "tenant", subject: tenantId, limits };
    if (at === 1) return { scope: "key", subject: keyId, limits };
    return { ...node(others[at % others.length] ?? "tag", limits, `${at}`) };
  });
