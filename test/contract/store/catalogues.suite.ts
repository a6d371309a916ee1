import { describe, expect, it } from "vitest";
import { model } from "../../unit/domain/models.fixture.ts";
import { caller, start } from "./fixtures.ts";
import { givenWorld, storesOn, value, type Backend } from "./open.ts";

const hourMs = 3_600_000;
const at = { now: start, dueAt: start + 24 * hourMs };
const latestDue = at.dueAt + 60_000;
const slot = (seedVersion = "seed") => ({ until: start + 1_000, latestDue, seedVersion });

export const cataloguesSuite = (backend: Backend): void => {
  describe("catalogues", () => {
    const world = givenWorld(backend);
    const catalogue = (version: string, ...names: string[]) => ({
      version,
      models: names.map((name) => model(name, { synced: ["inputUsdPerMTok"] })),
    });

    it("are none before the first sync", async () => {
      const { catalogues } = world.stores;
      expect(value(await catalogues.newerThan("seed"))).toBeNull();
      expect(value(await catalogues.state())).toBeNull();
    });

    it("come back whole, and only to those that have another version", async () => {
      const { catalogues } = world.stores;
      const first = catalogue("1", "groq/openai/gpt-oss", "openai/a", "openai/b");
      value(await catalogues.replace(first, at));
      expect(value(await catalogues.newerThan("seed"))).toEqual(first);
      expect(value(await catalogues.newerThan("1"))).toBeNull();
      expect(value(await catalogues.state())).toEqual({
        version: "1",
        syncedAt: start,
        dueAt: at.dueAt,
        fault: null,
      });
    });

    it("are replaced whole: a provider that is gone leaves nothing behind", async () => {
      const { catalogues } = world.stores;
      value(await catalogues.replace(catalogue("1", "groq/x", "openai/a"), at));
      const second = catalogue("2", "openai/b");
      value(await catalogues.replace(second, at));
      expect(value(await catalogues.newerThan("1"))).toEqual(second);
    });

    it("are logged with the sync that somebody asked for", async () => {
      const { catalogues, events } = world.stores;
      const event = (id: string) => ({
        id,
        at: start,
        actor: "operator",
        action: "catalogue.sync",
        tenantId: null,
        target: "catalogue",
        detail: { state: "synced" },
      });
      value(await catalogues.replace(catalogue("1", "openai/a"), { ...at, event: event("evt_1") }));
      value(await catalogues.postpone({ dueAt: start, fault: "odd", event: event("evt_2") }));
      value(await catalogues.postpone({ dueAt: start, fault: null }));
      const { data } = value(await events.list(null, { cursor: null, limit: 10 }));
      expect(data.filter(({ action }) => action === "catalogue.sync")).toEqual([
        event("evt_2"),
        event("evt_1"),
      ]);
    });

    it("hold a thousand models with long names", async () => {
      const { catalogues } = world.stores;
      const names = Array.from({ length: 1_000 }, (_, n) => `openai/${"m".repeat(150)}${n}`);
      const large = catalogue("1", ...names);
      value(await catalogues.replace(large, at));
      expect(value(await catalogues.newerThan("seed"))?.models).toHaveLength(1_000);
    });

    it("stay when a sync is refused, and keep the reason", async () => {
      const { catalogues } = world.stores;
      const first = catalogue("1", "openai/a");
      value(await catalogues.replace(first, at));
      value(await catalogues.postpone({ dueAt: start + hourMs, fault: "shrunken" }));
      expect(value(await catalogues.newerThan("seed"))).toEqual(first);
      const state = { version: "1", syncedAt: start, dueAt: start + hourMs };
      expect(value(await catalogues.state())).toEqual({ ...state, fault: "shrunken" });
      value(await catalogues.replace(catalogue("2", "openai/a"), at));
      expect(value(await catalogues.state())).toMatchObject({ version: "2", fault: null });
    });

    it("are synced by one of all that ask", async () => {
      const others = await Promise.all([1, 2, 3].map(() => world.again()));
      const stores = [world.stores, ...others.map((db) => storesOn(db))];
      const leases = await Promise.all(
        [...stores, ...stores].map(({ catalogues }) => catalogues.claim(start, slot())),
      );
      expect(leases.map(value).filter(Boolean)).toHaveLength(1);
    });

    it("are due again when a sync was cut off, and not while it runs", async () => {
      const { catalogues } = world.stores;
      expect(value(await catalogues.claim(start, slot()))).toBe(true);
      expect(value(await catalogues.claim(start + 999, slot()))).toBe(false);
      const later = { until: start + 9_000, latestDue, seedVersion: "seed" };
      expect(value(await catalogues.claim(start + 1_000, later))).toBe(true);
      expect(value(await catalogues.claim(start + 1_000, later))).toBe(false);
    });

    it("are due at the time that the last sync named, or at once after a deployment with another seed", async () => {
      const { catalogues } = world.stores;
      expect(value(await catalogues.claim(start, slot()))).toBe(true);
      value(await catalogues.replace(catalogue("1", "openai/a"), at));
      expect(value(await catalogues.claim(at.dueAt - 1, slot()))).toBe(false);
      expect(value(await catalogues.claim(start, slot("another")))).toBe(true);
      expect(value(await catalogues.claim(start, slot("another")))).toBe(false);
    });

    it("are due where a clock that was set back had set a later time than any sync does", async () => {
      const { catalogues } = world.stores;
      expect(value(await catalogues.claim(start, slot()))).toBe(true);
      value(await catalogues.replace(catalogue("1", "openai/a"), at));
      const back = start - 100 * hourMs;
      const asked = { ...slot(), until: back + 1_000, latestDue: back + 24 * hourMs };
      expect(value(await catalogues.claim(back, asked))).toBe(true);
      expect(value(await catalogues.claim(back, asked))).toBe(false);
    });

    it("are asked about each minute without a write", async () => {
      const { catalogues } = world.stores;
      value(await catalogues.claim(start, slot()));
      const trips: string[] = [];
      const db = await world.again({ onRoundTrip: (kind) => trips.push(kind) });
      const other = storesOn(db);
      value(await other.catalogues.claim(start, slot()));
      expect(trips).toEqual(["read"]);
      trips.length = 0;
      value(await other.catalogues.newerThan("seed"));
      expect(trips).toEqual(["read"]);
    });

    it("belong to no tenant: removing one leaves them", async () => {
      const { catalogues, tenants } = world.stores;
      const first = catalogue("1", "openai/a");
      value(await catalogues.replace(first, at));
      const { tenantId } = await caller(world.stores);
      value(
        await tenants.remove(tenantId, {
          id: "evt_1",
          at: start,
          actor: "operator",
          action: "tenant.remove",
          tenantId,
          target: "t",
          detail: {},
        }),
      );
      expect(value(await catalogues.newerThan("seed"))).toEqual(first);
    });
  });
};
