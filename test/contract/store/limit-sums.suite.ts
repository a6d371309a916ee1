/** What is used of limits, as people see it. */
import { describe, expect, it } from "vitest";
import {
  limitChecksOf,
  type LimitCheck,
  type LimitedScope,
  type LimitScope,
} from "../../../src/domain/limits/limit-checks.ts";
import { caller, leaseMs, start, waitingForAPerson, type Caller } from "./fixtures.ts";
import { givenLedger, second } from "./given-ledger.ts";
import { value, type Backend } from "./open.ts";

const limits = {
  requestsPerMinute: 10,
  tokensPerMinute: 1_000,
  concurrent: 5,
  usdPerDay: 1,
  usdPerMonth: 2,
};

const limitChecksAt = (now: number, scopes: readonly LimitedScope[]): LimitCheck[] =>
  limitChecksOf({ now, scopes, tokens: 0, microUsd: 0 });

export const limitSumsSuite = (backend: Backend): void => {
  describe("sums of limits", () => {
    const { world, admit, running, settle } = givenLedger(backend);
    const server = { id: "srv_1", limits };

    const scopesOf = ({ tenantId, keyId }: Caller): LimitedScope[] => [
      { scope: "tenant", subject: tenantId, limits },
      { scope: "key", subject: keyId, limits },
      { scope: "server", subject: server.id, limits },
    ];
    /** By scope and resource. */
    const sumsAt = async (who: Caller, now: number) => {
      const limitChecks = limitChecksAt(now, scopesOf(who));
      const sums = value(await world.stores.limits.sum(who.tenantId, limitChecks, now));
      expect(sums).toHaveLength(limitChecks.length);
      return Object.fromEntries(
        limitChecks.map(({ scope, resource }, at) => [`${scope} ${resource}`, sums[at]]),
      );
    };
    const given = () => caller(world.stores, { tenantLimits: limits, keyLimits: limits });
    const inAllScopes = (resource: string, sum: object) =>
      Object.fromEntries(["tenant", "key", "server"].map((scope) => [`${scope} ${resource}`, sum]));

    it("are empty where nothing is used", async () => {
      const who = await given();
      const sums = await sumsAt(who, start);
      expect(new Set(Object.values(sums).map((sum) => JSON.stringify(sum)))).toEqual(
        new Set([JSON.stringify({ counted: 0, reserved: 0, oldest: null })]),
      );
      expect(value(await world.stores.limits.sum(who.tenantId, [], start))).toEqual([]);
    });

    it("tell what calls that run have reserved from what ended ones used", async () => {
      const who = await given();
      const first = await running(who, start, { tokens: 100, microUsd: 1_000, server });
      const fields = { tokens: 300, microUsd: 5_000, server };
      await running(who, start + 2 * second, fields);
      const both = await sumsAt(who, start + 3 * second);
      const oldest = Math.floor(start / 1_000);
      expect(both).toMatchObject({
        ...inAllScopes("requests", { counted: 2, oldest }),
        ...inAllScopes("tokens", { counted: 400, reserved: 400, oldest }),
        ...inAllScopes("concurrent", { counted: 2 }),
        ...inAllScopes("usd_day", { counted: 6_000, reserved: 6_000 }),
        ...inAllScopes("usd_month", { counted: 6_000, reserved: 6_000 }),
      });
      await settle(first, start + 3 * second, { chargedTokens: 40, chargedMicroUsd: 200 });
      expect(await sumsAt(who, start + 4 * second)).toMatchObject({
        ...inAllScopes("requests", { counted: 2, oldest }),
        ...inAllScopes("tokens", { counted: 340, reserved: 300, oldest }),
        ...inAllScopes("concurrent", { counted: 1 }),
        ...inAllScopes("usd_day", { counted: 5_200, reserved: 5_000 }),
      });
    });

    it("count what calls that wait for a person hold as reserved, and give such calls no place", async () => {
      const who = await given();
      const fields = { ...waitingForAPerson, tokens: 100, microUsd: 1_000, server };
      const held = await running(who, start, fields);
      const waits = await sumsAt(who, start + second);
      expect(waits).toMatchObject({
        ...inAllScopes("requests", { counted: 1 }),
        ...inAllScopes("tokens", { counted: 100, reserved: 100 }),
        ...inAllScopes("concurrent", { counted: 0 }),
        ...inAllScopes("usd_day", { counted: 1_000, reserved: 1_000 }),
        ...inAllScopes("usd_month", { counted: 1_000, reserved: 1_000 }),
      });
      await settle(held, start + second, { chargedTokens: 40, chargedMicroUsd: 200 });
      expect(await sumsAt(who, start + second)).toMatchObject({
        ...inAllScopes("tokens", { counted: 40, reserved: 0 }),
        ...inAllScopes("usd_day", { counted: 200, reserved: 0 }),
      });
    });

    it("leave out what a window has left behind, and calls whose lease is over", async () => {
      const who = await given();
      await running(who, start, { server });
      const later = await sumsAt(who, start + leaseMs + 62 * second);
      expect(later).toMatchObject({
        ...inAllScopes("requests", { counted: 0, reserved: 0, oldest: null }),
        ...inAllScopes("tokens", { counted: 0, reserved: 0, oldest: null }),
        ...inAllScopes("concurrent", { counted: 0, oldest: null }),
        ...inAllScopes("usd_day", { counted: 1_000, reserved: 0 }),
      });
    });

    it("are one tenant's alone", async () => {
      const [who, other] = [await given(), await given()];
      await admit(other, start, { server });
      const sums = await sumsAt(who, start);
      expect(Object.values(sums).map((sum) => sum?.counted)).toEqual(
        Object.values(sums).map(() => 0),
      );
      const theirs = limitChecksAt(start, scopesOf(other));
      const stolen = value(await world.stores.limits.sum(who.tenantId, theirs, start));
      expect(stolen.map(({ counted }) => counted)).toEqual(theirs.map(() => 0));
    });

    it("are found of nodes of which something is counted, a page at a time", async () => {
      const [who, other] = [await given(), await given()];
      const node = (subject: string): LimitedScope => ({
        scope: subject.split(":")[0] as LimitScope,
        subject,
        limits: { requestsPerDay: 9, usdTotal: 9 },
      });
      const named = ["user:ann", "run:key_1:one", "tag:b", "tag:a", "group:eng", "user:bob"];
      for (const at of [start, start + 90_000 * second])
        await admit(who, at, { nodes: named.map(node) });
      await admit(other, start, { nodes: [node("tag:theirs")] });
      const nodesAfter = async (limit: number, after?: string) =>
        value(
          await world.stores.limits.nodes(who.tenantId, {
            limit,
            ...(after !== undefined && { after }),
          }),
        );
      const all = named.toSorted();
      expect(await nodesAfter(9)).toEqual(all);
      expect(await nodesAfter(4)).toEqual(all.slice(0, 4));
      expect(await nodesAfter(4, all[3])).toEqual(all.slice(4));
      expect(await nodesAfter(4, all.at(-1))).toEqual([]);
    });

    it("agree with what an admission says is left", async () => {
      const who = await given();
      await running(who, start, { tokens: 70, microUsd: 70, server });
      const admitted = await admit(who, start + second, { tokens: 30, microUsd: 30, server });
      if (admitted.state !== "admitted") throw new Error(admitted.state);
      const sums = Object.values(await sumsAt(who, start + second));
      expect(sums.map((sum) => sum?.counted)).toEqual(
        admitted.limits.map(({ limit, remaining }) => limit - remaining),
      );
    });
  });
};
