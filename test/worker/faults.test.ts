/** What becomes of calls whose object goes away, and of objects whose tenant does. Documented in docs/deploy.md. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { DatabaseObject } from "../../src/store/engines/durable/stub-engine.ts";
import { event, reservation, settlement, leaseMs } from "../contract/store/fixtures.ts";
import { value } from "../contract/store/open.ts";
import { givenTenant, stubOf, type GivenTenant } from "./given-tenant.ts";

/** As a deploy, a fault of the machine or a limit resets an object: everybody who waits for it hears an error. */
async function reset(given: GivenTenant): Promise<void> {
  await runInDurableObject(stubOf(given), (_, state) => state.abort("reset by a test")).catch(
    () => {},
  );
}
const ways = {
  "is evicted": (given: GivenTenant) => evictDurableObject(stubOf(given)),
  "is reset": reset,
};

const recordOf = async ({ again, who }: GivenTenant, id: string) =>
  value(await again().stores.requests.get(who.tenantId, id));
const recordsOf = async ({ again, who }: GivenTenant) =>
  value(await again().stores.requests.list(who.tenantId, {}, { cursor: null, limit: 50 })).data;

// The first question loads the class and all that it imports, which may take longer than a question's deadline.
beforeAll(
  async () => void (await (stubOf({ name: "home" }) as unknown as DatabaseObject).read([])),
);

describe.each(Object.entries(ways))(
  "an object that %s between admission and settlement",
  (_, lose) => {
    it("settles the call once after losing its memory", async () => {
      const given = await givenTenant({ requestsPerMinute: 10, concurrent: 1, usdPerDay: 1 });
      const { stores, who } = given;
      const now = Date.now();
      const reserved = reservation(who, now);
      const admission = value(await stores.ledger.admit(reserved));
      if (admission.state !== "admitted") throw new Error(admission.state);
      await lose(given);
      // The limit of one concurrent call holds without the memory that counted it.
      expect(value(await stores.ledger.admit(reservation(who, now)))).toMatchObject({
        state: "refused",
        check: { resource: "concurrent" },
      });
      const end = settlement(reserved, now, { receipt: admission.receipt });
      value(await stores.ledger.settle(end));
      await lose(given);
      value(await stores.ledger.settle(end));
      const { id } = reserved.opening;
      expect(await recordOf(given, id)).toMatchObject({ outcome: "succeeded" });
      const next = value(await stores.ledger.admit(reservation(who, now)));
      expect(next).toMatchObject({ state: "admitted" });
      const spent = next.state === "admitted" ? next.limits : [];
      // 500 of the settled call and 1,000 that the new call reserves.
      expect(spent.find(({ name }) => name === "tenant.usdPerDay")).toMatchObject({ used: 1_500 });
    });

    it("ends a call that nobody settles when the call's lease ends", async () => {
      const given = await givenTenant();
      const { stores, who } = given;
      const reserved = reservation(who, Date.now() - leaseMs - 1);
      value(await stores.ledger.admit(reserved));
      await lose(given);
      expect(await runDurableObjectAlarm(stubOf(given))).toBe(true);
      expect(await recordOf(given, reserved.opening.id)).toMatchObject({ outcome: "unknown" });
    });
  },
);

describe("an object that is reset in the middle of calls, as a deploy does", () => {
  it("admits each call once or refuses it, and never beyond the limit", async () => {
    const given = await givenTenant({ requestsPerMinute: 20 });
    const now = Date.now();
    const calls = Array.from({ length: 48 }, async (_, at) => {
      if (at % 12 === 11) await reset(given);
      return given.again().stores.ledger.admit(reservation(given.who, now));
    });
    const answers = await Promise.all(calls);
    const admitted = answers.filter((each) => each.ok && each.value.state === "admitted");
    for (const each of answers)
      if (!each.ok) expect(each.error).toMatchObject({ reason: "unavailable" });
    expect(admitted.length).toBeLessThanOrEqual(20);
    expect(admitted.length).toBeGreaterThan(0);
    const records = (await recordsOf(given)).filter(({ outcome }) => outcome === "admitted");
    // A call whose answer was lost may be admitted and unheard; its lease ends it.
    expect(records.length).toBeGreaterThanOrEqual(admitted.length);
    expect(records.length).toBeLessThanOrEqual(20);
  });
});

describe("a tenant that is deleted", () => {
  const remove = async ({ stores, who }: GivenTenant) =>
    value(await stores.tenants.remove(who.tenantId, event(who.tenantId, "tenant.delete")));

  it("has no storage any more after the next alarm, and calls find no key", async () => {
    const given = await givenTenant();
    await remove(given);
    const { stores } = given.again();
    expect(
      value(await stores.snapshots.load(given.who.keyId, null, Date.now())).snapshot,
    ).toBeNull();
    expect(await runDurableObjectAlarm(stubOf(given))).toBe(true);
    await runInDurableObject(stubOf(given), async (_, { storage }) => {
      const tables = [
        ...storage.sql.exec(
          "select name from sqlite_master where name not like '\\_cf%' escape '\\'",
        ),
      ];
      expect(tables).toEqual([]);
      expect(await storage.getAlarm()).toBeNull();
    });
    expect(
      value(await stores.snapshots.load(given.who.keyId, null, Date.now())).snapshot,
    ).toBeNull();
  });

  it("gets nothing of a call that was admitted before and settled afterwards", async () => {
    const given = await givenTenant();
    const { stores, who } = given;
    const reserved = reservation(who, Date.now());
    const admission = value(await stores.ledger.admit(reserved));
    if (admission.state !== "admitted") throw new Error(admission.state);
    await remove(given);
    await runDurableObjectAlarm(stubOf(given));
    await stores.ledger.settle(settlement(reserved, Date.now(), { receipt: admission.receipt }));
    expect(value(await stores.ledger.admit(reservation(who, Date.now())))).toMatchObject({
      state: "stale",
    });
    await runInDurableObject(stubOf(given), (_, { storage }) => {
      expect([
        ...storage.sql.exec("select name from sqlite_master where name = 'tenants'"),
      ]).toEqual([]);
    });
  });

  it("is deleted once, though its alarm runs at the same time", async () => {
    const given = await givenTenant();
    value(await given.stores.ledger.admit(reservation(given.who, Date.now() - leaseMs - 1)));
    await Promise.all([runDurableObjectAlarm(stubOf(given)), remove(given)]);
    // The alarm before the deletion left another one, or deleted the storage itself.
    await runDurableObjectAlarm(stubOf(given));
    await runInDurableObject(stubOf(given), (_, { storage }) => {
      expect([
        ...storage.sql.exec("select name from sqlite_master where name = 'tenants'"),
      ]).toEqual([]);
    });
  });
});

describe("an object in which nothing is due", () => {
  it("has no alarm", async () => {
    const given = await givenTenant();
    // The first one delivers the tenant's first events, and the second one finds nothing to do.
    expect(await runDurableObjectAlarm(stubOf(given))).toBe(true);
    expect(await runDurableObjectAlarm(stubOf(given))).toBe(true);
    await runInDurableObject(stubOf(given), async (_, { storage }) => {
      expect(await storage.getAlarm()).toBeNull();
    });
    expect(await runDurableObjectAlarm(stubOf(given))).toBe(false);
  });

  it("has one again after a call, for its lease, seal and record", async () => {
    const given = await givenTenant();
    await runDurableObjectAlarm(stubOf(given));
    await evictDurableObject(stubOf(given));
    value(await given.stores.ledger.admit(reservation(given.who, Date.now())));
    await runInDurableObject(stubOf(given), async (_, { storage }) => {
      const alarm = await storage.getAlarm();
      expect(alarm).toBeGreaterThan(Date.now());
      expect(alarm).toBeLessThanOrEqual(Date.now() + 60_000);
    });
  });
});
