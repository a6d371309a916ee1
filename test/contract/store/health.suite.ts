import { describe, expect, it } from "vitest";
import { keptSamples, type HealthChange } from "../../../src/domain/health.ts";
import { caller, credential, event, reservation, settlement, start } from "./fixtures.ts";
import { givenWorld, value, type Backend } from "./open.ts";

const answered = (at: number, ms = 100): HealthChange => ({
  credentialId: "cred_1",
  model: "openai/gpt",
  sample: { at, ms, outputTokens: 10 },
  fault: null,
});
const failed = (retryAfterMs: number | null = null): HealthChange => ({
  credentialId: "cred_1",
  model: "openai/gpt",
  sample: null,
  fault: { kind: "server", retryAfterMs },
});

export const healthSuite = (backend: Backend): void => {
  describe("health", () => {
    const world = givenWorld(backend);
    type Who = Awaited<ReturnType<typeof caller>>;

    const settleWith = async (who: Who, health: HealthChange[], now = start) => {
      const its = reservation(who, start);
      value(await world.stores.ledger.admit(its));
      const ended = settlement(its, now, { health });
      value(await world.stores.ledger.settle(ended));
      return ended;
    };
    const rowsOf = async ({ tenantId }: Who) => value(await world.stores.health.list(tenantId));

    it("keeps samples newest first, and no more than are needed", async () => {
      const who = await caller(world.stores);
      for (let count = 0; count < keptSamples + 3; count += 1)
        await settleWith(who, [answered(start + count)]);
      const [row] = await rowsOf(who);
      expect(row?.samples).toHaveLength(keptSamples);
      expect(row?.samples[0]).toEqual({ at: start + keptSamples + 2, ms: 100, outputTokens: 10 });
      expect(row?.samples.at(-1)?.at).toBe(start + 3);
    });

    it("counts faults in a row, and an answer ends the row", async () => {
      const who = await caller(world.stores);
      await settleWith(who, [failed()], start + 1);
      await settleWith(who, [failed(7_000)], start + 2);
      expect(await rowsOf(who)).toMatchObject([
        { failures: 2, failedAt: start + 2, retryAfterMs: 7_000, samples: [] },
      ]);
      await settleWith(who, [answered(start + 3)], start + 3);
      expect(await rowsOf(who)).toMatchObject([
        { failures: 0, failedAt: null, retryAfterMs: null, samples: [{ at: start + 3 }] },
      ]);
    });

    it("counts a settlement once, however often it is sent", async () => {
      const who = await caller(world.stores);
      const ended = await settleWith(who, [failed()]);
      expect(value(await world.stores.ledger.settle(ended))).toBe(false);
      expect(await rowsOf(who)).toMatchObject([{ failures: 1 }]);
    });

    it("comes with the snapshot of its tenant alone", async () => {
      const [who, other] = [await caller(world.stores), await caller(world.stores)];
      await settleWith(who, [failed()]);
      const { snapshots } = world.stores;
      const loaded = value(await snapshots.load(who.keyId, null, start));
      expect(loaded.snapshot?.health).toMatchObject([{ model: "openai/gpt", failures: 1 }]);
      expect(value(await snapshots.load(other.keyId, null, start)).snapshot?.health).toEqual([]);
    });

    it("marks a refused credential failing once, with an event and a new version", async () => {
      const who = await caller(world.stores);
      const { credentials, tenants, events, ledger } = world.stores;
      const its = credential(who.tenantId);
      value(await credentials.create(its, event(who.tenantId)));
      const before = value(await tenants.byId(who.tenantId))?.version ?? 0;
      const fail = async () => {
        const version = value(await tenants.byId(who.tenantId))?.version ?? 0;
        const reserved = reservation(who, start, { tenantVersion: version });
        value(await ledger.admit(reserved));
        const mark = { credentialId: its.id, event: event(who.tenantId, "credential.failing") };
        value(await ledger.settle(settlement(reserved, start, { failing: [mark] })));
      };
      await fail();
      await fail();
      expect(value(await credentials.get(who.tenantId, its.id))?.status).toBe("failing");
      expect(value(await tenants.byId(who.tenantId))?.version).toBe(before + 1);
      const page = { cursor: null, limit: 50 };
      const told = value(await events.list(who.tenantId, page)).data.filter(
        ({ action }) => action === "credential.failing",
      );
      expect(told).toHaveLength(1);
    });

    it("forgets what was not used for a day", async () => {
      const who = await caller(world.stores);
      await settleWith(who, [failed()], start);
      expect(value(await world.stores.health.prune(start + 86_400_000))).toBe(0);
      expect(value(await world.stores.health.prune(start + 86_400_001))).toBe(1);
    });
  });
};
