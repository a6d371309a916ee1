import { describe, expect, it } from "vitest";
import type { Settlement } from "../../../src/domain/audit/record.ts";
import {
  forgottenAfterMs,
  maxFaults,
  type CircuitChange,
  type CircuitFault,
} from "../../../src/domain/choice/circuits.ts";
import { keptSamples, type HealthChange } from "../../../src/domain/choice/health.ts";
import { caller, credential, event, reservation, settlement, start } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";

const answered = (at: number, ms = 100): HealthChange => ({
  credentialId: "cred_1",
  model: "openai/gpt",
  sample: { at, ms, outputTokens: 10 },
});
const scope = "model cred_1 openai/gpt";
const fault = (at: number, retryAfterMs: number | null = null): CircuitFault => ({
  began: at - 100,
  at,
  retryAfterMs,
});
const failed = (at: number, retryAfterMs: number | null = null): CircuitChange => ({
  closes: [],
  fault: { scope, ...fault(at, retryAfterMs) },
});
const closed: CircuitChange = { closes: [scope], fault: null };

export const healthSuite = (backend: Backend): void => {
  describe("health", () => {
    const world = givenWorld(backend);
    type Who = Awaited<ReturnType<typeof caller>>;

    const settleWith = async (who: Who, fields: Partial<Settlement>, now = start) => {
      const its = reservation(who, start);
      value(await world.stores.ledger.admit(its));
      const ended = settlement(its, now, fields);
      value(await world.stores.ledger.settle(ended));
      return ended;
    };
    const circuitsOf = async ({ tenantId }: Who) =>
      value(await world.stores.health.circuits(tenantId));
    const rowsOf = async ({ tenantId }: Who) => value(await world.stores.health.list(tenantId));

    it("keeps samples newest first, and no more than are needed", async () => {
      const who = await caller(world.stores);
      for (let count = 0; count < keptSamples + 3; count += 1)
        await settleWith(who, { health: [answered(start + count)] });
      const [row] = await rowsOf(who);
      expect(row?.samples).toHaveLength(keptSamples);
      expect(row?.samples[0]).toEqual({ at: start + keptSamples + 2, ms: 100, outputTokens: 10 });
      expect(row?.samples.at(-1)?.at).toBe(start + 3);
    });

    it("keeps faults newest first, no more than are needed, and an answer removes them", async () => {
      const who = await caller(world.stores);
      await settleWith(who, { circuits: [failed(start + 1)] }, start + 1);
      await settleWith(who, { circuits: [failed(start + 2, 7_000)] }, start + 2);
      expect(await circuitsOf(who)).toMatchObject([
        {
          scope,
          faults: [fault(start + 2, 7_000), fault(start + 1)],
          probeUntil: null,
          updatedAt: start + 2,
        },
      ]);
      for (let count = 0; count < maxFaults; count += 1)
        await settleWith(who, { circuits: [failed(start + 3)] }, start + 3);
      const [row] = await circuitsOf(who);
      expect(row?.faults).toHaveLength(maxFaults);
      await settleWith(who, { circuits: [closed] }, start + 4);
      expect(await circuitsOf(who)).toEqual([]);
    });

    it("writes the results of several attempts of one call, in their order", async () => {
      const who = await caller(world.stores);
      await settleWith(who, { circuits: [failed(start), closed, failed(start + 1)] });
      expect(await circuitsOf(who)).toMatchObject([{ faults: [fault(start + 1)] }]);
    });

    it("gives no two states of a circuit the same time", async () => {
      const who = await caller(world.stores);
      const times = new Set<number>();
      for (let count = 0; count < 3; count += 1) {
        await settleWith(who, { circuits: [failed(start)] }, start);
        for (const { updatedAt } of await circuitsOf(who)) times.add(updatedAt);
      }
      expect(times.size).toBe(3);
    });

    it("counts a settlement once, however often it is sent", async () => {
      const who = await caller(world.stores);
      const ended = await settleWith(who, { circuits: [failed(start)] });
      expect(value(await world.stores.ledger.settle(ended))).toBe(false);
      expect(await circuitsOf(who)).toMatchObject([{ faults: [fault(start)] }]);
    });

    it("comes with the snapshot of its tenant alone", async () => {
      const [who, other] = [await caller(world.stores), await caller(world.stores)];
      await settleWith(who, { health: [answered(start)], circuits: [failed(start)] });
      const { snapshots } = world.stores;
      const loaded = value(await snapshots.load(who.keyId, null, start));
      expect(loaded.snapshot?.health).toMatchObject([{ model: "openai/gpt" }]);
      expect(loaded.snapshot?.circuits).toMatchObject([{ scope, faults: [fault(start)] }]);
      const others = value(await snapshots.load(other.keyId, null, start));
      expect(others.snapshot).toMatchObject({ health: [], circuits: [] });
    });

    describe("a circuit that may be tried", () => {
      const probing = (who: Who, updatedAt: number, now = start) =>
        reservation(who, now, { probes: [{ scope, updatedAt }] });
      const blockedOf = async (its: ReturnType<typeof probing>) => {
        const admitted = value(await world.stores.ledger.admit(its));
        return admitted.state === "admitted" ? admitted.blocked : admitted.state;
      };
      const open = async () => {
        const who = await caller(world.stores);
        await settleWith(who, { circuits: [failed(start)] }, start);
        return who;
      };

      it("is probed by one call, also when that call's admission is sent again", async () => {
        const who = await open();
        const first = probing(who, start);
        expect(await blockedOf(first)).toEqual([]);
        expect(await blockedOf(probing(who, start))).toEqual([scope]);
        const [row] = await circuitsOf(who);
        expect(row?.probeUntil).toBe(first.leaseUntil);
      });

      it("is free for the next call when the probing call has ended, with any outcome", async () => {
        const who = await open();
        const first = probing(who, start);
        await blockedOf(first);
        value(await world.stores.ledger.settle(settlement(first, start, { probed: true })));
        expect(await blockedOf(probing(who, start))).toEqual([]);
      });

      it("is free once the lease of a call that died is over", async () => {
        const who = await open();
        const first = probing(who, start);
        const leaseUntil = first.leaseUntil ?? 0;
        await blockedOf(first);
        expect(await blockedOf(probing(who, start, leaseUntil - 1))).toEqual([scope]);
        expect(await blockedOf(probing(who, start, leaseUntil))).toEqual([]);
      });

      it("is not tried by a call whose snapshot is older than the last fault", async () => {
        const who = await open();
        await settleWith(who, { circuits: [failed(start + 5)] }, start + 5);
        expect(await blockedOf(probing(who, start))).toEqual([scope]);
      });

      it("blocks nobody once an answer has closed it", async () => {
        const who = await open();
        await settleWith(who, { circuits: [closed] });
        expect(await blockedOf(probing(who, start))).toEqual([]);
      });

      it("stays claimed when a call that began before it opened fails late", async () => {
        const who = await open();
        await blockedOf(probing(who, start));
        await settleWith(who, { circuits: [failed(start + 5)] }, start + 5);
        const [row] = await circuitsOf(who);
        expect(row?.probeUntil).not.toBeNull();
      });
    });

    it("marks a refused credential failing once, with an event and a new version", async () => {
      const who = await caller(world.stores);
      const { credentials, tenants, events, ledger } = world.stores;
      const its = credential(who.tenantId);
      value(await credentials.create(its, event(who.tenantId)));
      const before = value(await tenants.byId(who.tenantId))?.version ?? 0;
      const fail = async (readAt: number) => {
        const version = value(await tenants.byId(who.tenantId))?.version ?? 0;
        const reserved = reservation(who, start, { tenantVersion: version });
        value(await ledger.admit(reserved));
        const told = event(who.tenantId, "credential.failing");
        const mark = { credentialId: its.id, readAt, event: told };
        value(await ledger.settle(settlement(reserved, start, { failing: [mark] })));
      };
      // This call had read the key that was replaced since.
      await fail(its.updatedAt - 1);
      expect(value(await credentials.get(who.tenantId, its.id))?.status).toBe("active");
      await fail(its.updatedAt);
      await fail(its.updatedAt);
      expect(value(await credentials.get(who.tenantId, its.id))?.status).toBe("failing");
      expect(value(await tenants.byId(who.tenantId))?.version).toBe(before + 1);
      const page = { cursor: null, limit: 50 };
      const told = value(await events.list(who.tenantId, page)).data.filter(
        ({ action }) => action === "credential.failing",
      );
      expect(told).toHaveLength(1);
    });

    it("forgets speed that was not used for a day, and circuits much earlier", async () => {
      const who = await caller(world.stores);
      await settleWith(who, { health: [answered(start)], circuits: [failed(start)] });
      const { health } = world.stores;
      expect(value(await health.prune(start + forgottenAfterMs))).toBe(0);
      expect(value(await health.prune(start + forgottenAfterMs + 1))).toBe(1);
      expect(await circuitsOf(who)).toEqual([]);
      expect(value(await health.prune(start + 86_400_000))).toBe(0);
      expect(value(await health.prune(start + 86_400_001))).toBe(1);
    });
  });
};
