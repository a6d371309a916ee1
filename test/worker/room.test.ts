/** What becomes of a tenant whose object fills, and the way back. The objects of these tests are full at 1 MB. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { DurableObjectState } from "@cloudflare/workers-types";
import type { Policy } from "../../src/domain/choice/policy.ts";
import type { Room } from "../../src/domain/limits/room.ts";
import { roomOfObject } from "../../src/store/engines/durable/open-object.ts";
import type { DatabaseObject } from "../../src/store/engines/durable/stub-engine.ts";
import { event, reservation, settlement } from "../contract/store/fixtures.ts";
import { value } from "../contract/store/open.ts";
import { givenTenant, type GivenTenant } from "./given-tenant.ts";

const mb = 1_000_000;
const full = { reason: "unavailable", retryAfterMs: 60_000, cause: "full" };

const stubOf = ({ name }: GivenTenant) => env.SMALL.getByName(name);
type Sql = DurableObjectState["storage"]["sql"];
const within = <T>(given: GivenTenant, act: (sql: Sql) => T): Promise<T> =>
  runInDurableObject(stubOf(given), (_, { storage }) => act(storage.sql));
const alarm = (given: GivenTenant) => runDurableObjectAlarm(stubOf(given));

/** Runs `add` until so much of the object is used. */
const fillTo = (given: GivenTenant, share: number, add: (sql: Sql, at: number) => void) =>
  within(given, (sql) => {
    for (let at = 0; sql.databaseSize < share * mb; at += 1) add(sql, at);
  });
/** Captured content, the oldest first. */
const contents =
  ({ who }: GivenTenant, batch: string) =>
  (sql: Sql, at: number) =>
    sql.exec(
      "insert into captures (request_id, tenant_id, sealed) values (?, ?, ?)",
      `req_${batch}${String(at).padStart(4, "0")}`,
      who.tenantId,
      "x".repeat(4_000),
    );
/** What no retention deletes. */
const ballast = (sql: Sql) => {
  sql.exec("create table if not exists ballast (bytes text)");
  sql.exec("insert into ballast values (?)", "x".repeat(8_000));
};
const count = (given: GivenTenant, table: string) =>
  within(given, (sql) => Number(sql.exec(`select count(*) as n from ${table}`).one()["n"]));
const share = (given: GivenTenant) => within(given, (sql) => sql.databaseSize / mb);

async function eventsOf({ stores, who }: GivenTenant) {
  const page = value(await stores.events.list(who.tenantId, { cursor: null, limit: 50 }));
  const found = page.data.filter(({ action }) => action.startsWith("storage."));
  return found.toSorted((a, b) => a.at - b.at);
}
const actionsOf = async (given: GivenTenant) => (await eventsOf(given)).map(({ action }) => action);

async function admit({ stores, who }: GivenTenant, at = Date.now()) {
  const reserved = reservation(who, at);
  const admission = value(await stores.ledger.admit(reserved));
  if (admission.state !== "admitted") throw new Error(admission.state);
  return { reserved, receipt: admission.receipt };
}
/** A call that has ended, by default so long ago that the next alarm seals its record. */
async function call(given: GivenTenant, at = Date.now() - 600_000): Promise<string> {
  const { reserved, receipt } = await admit(given, at);
  value(await given.stores.ledger.settle(settlement(reserved, at, { receipt })));
  return reserved.opening.id;
}
const results =
  ({ who }: GivenTenant) =>
  (sql: Sql, at: number) =>
    sql.exec(
      "insert into results (tenant_id, request_id, part, sealed, expires_at) values (?, ?, 0, ?, 9e15)",
      who.tenantId,
      `req_${at}`,
      "x".repeat(8_000),
    );
const given = () => givenTenant({ concurrent: 100 }, env.SMALL);

beforeAll(
  async () => void (await (env.SMALL.getByName("loads") as unknown as DatabaseObject).read([])),
);

describe("an object that fills", () => {
  it("sends one alert at each level, and one when there is room again", async () => {
    const filling = await given();
    await fillTo(filling, 0.72, ballast);
    await alarm(filling);
    value(await filling.stores.events.append(event(filling.who.tenantId)));
    await alarm(filling);
    expect(await eventsOf(filling)).toMatchObject([
      {
        action: "storage.filling",
        actor: "router",
        target: filling.who.tenantId,
        detail: { from: "enough", limitBytes: mb },
      },
    ]);
    await within(filling, (sql) => sql.exec("drop table ballast"));
    value(await filling.stores.events.append(event(filling.who.tenantId)));
    await alarm(filling);
    expect(await actionsOf(filling)).toEqual(["storage.filling", "storage.enough"]);
  });

  it("alerts the operator too", async () => {
    const filling = await given();
    await fillTo(filling, 0.72, ballast);
    await alarm(filling);
    const home = await runInDurableObject(env.DATABASES.getByName("home"), (_, { storage }) => [
      ...storage.sql.exec(
        "select action from admin_events where tenant_id = ? and action = 'storage.filling'",
        filling.who.tenantId,
      ),
    ]);
    expect(home).toHaveLength(1);
  });
});

describe("an object that is tight", () => {
  it("deletes the oldest captured content before its time, and no more than it must", async () => {
    const tight = await given();
    await call(tight);
    await fillTo(tight, 0.87, contents(tight, "a"));
    const before = await count(tight, "captures");
    await alarm(tight);
    const left = await within(tight, (sql) => [
      ...sql.exec("select min(request_id) as oldest, count(*) as n from captures"),
    ]);
    expect(left[0]).toMatchObject({ oldest: expect.not.stringMatching("req_a0000") });
    expect(Number(left[0]?.["n"])).toBeGreaterThan(0);
    expect(await share(tight)).toBeLessThan(0.85);
    expect(await count(tight, "sampling_requests")).toBe(1);
    // Of so small an object one deletion is a large part, so the next level is told of at once.
    const contentsGone = before - Number(left[0]?.["n"]);
    expect(await eventsOf(tight)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: "storage.tight" }),
        expect.objectContaining({ action: "storage.deleted", detail: { contents: contentsGone } }),
      ]),
    );
  });

  it("deletes sealed records last, and none that runs or has no seal yet", async () => {
    const tight = await given();
    await call(tight);
    const unsealed = await call(tight, Date.now());
    const running = (await admit(tight)).reserved.opening.id;
    await fillTo(tight, 0.86, ballast);
    await fillTo(tight, 0.9, contents(tight, "a"));
    await fillTo(tight, 0.93, results(tight));
    await alarm(tight);
    expect(await count(tight, "captures")).toBe(0);
    expect(await count(tight, "results")).toBe(0);
    const left = await within(tight, (sql) => [
      ...sql.exec("select id from sampling_requests order by id"),
    ]);
    expect(left.map(({ id }) => id)).toEqual([unsealed, running].toSorted());
    const told = (await eventsOf(tight)).filter(({ action }) => action === "storage.deleted");
    expect(told.map(({ detail }) => detail)).toMatchObject([{ records: 1 }]);
  });
});

describe("the order of early deletion", () => {
  /** Filled with both kinds, each alone enough to make room. */
  async function tightWith(earlyDeletion: Policy["earlyDeletion"]) {
    const tight = await given();
    const { rowsWritten } = await within(tight, (sql) =>
      sql.exec(
        "update tenants set policy = json_set(policy, '$.earlyDeletion', json(?))",
        JSON.stringify(earlyDeletion),
      ),
    );
    expect(rowsWritten).toBeGreaterThan(0);
    await call(tight);
    await fillTo(tight, 0.7, contents(tight, "a"));
    await fillTo(tight, 0.87, results(tight));
    const [captures, kept] = [await count(tight, "captures"), await count(tight, "results")];
    await alarm(tight);
    return {
      contents: captures - (await count(tight, "captures")),
      results: kept - (await count(tight, "results")),
      records: 1 - (await count(tight, "sampling_requests")),
    };
  }

  it("is the tenant's own", async () => {
    const first = await tightWith(["results", "contents", "records"]);
    expect(first).toMatchObject({ contents: 0, records: 0 });
    expect(first.results).toBeGreaterThan(0);
    const other = await tightWith(["contents"]);
    expect(other).toMatchObject({ results: 0, records: 0 });
    expect(other.contents).toBeGreaterThan(0);
  });

  it("deletes nothing that the tenant does not name", async () => {
    expect(await tightWith([])).toEqual({ contents: 0, results: 0, records: 0 });
    expect(await tightWith(["records"])).toEqual({ contents: 0, results: 0, records: 1 });
  });
});

describe("how full an object is", () => {
  it("can be read from outside of the object, with the bound", async () => {
    const filling = await given();
    await fillTo(filling, 0.5, ballast);
    const objects = { namespace: env.SMALL, wait: async () => {} };
    const room = value((await roomOfObject(objects, filling.name)?.()) as never) as Room;
    expect(room).toEqual({ usedBytes: expect.any(Number), limitBytes: mb });
    expect(room.usedBytes / mb).toBe(await share(filling));
  });

  it("can't be read for the home database", () => {
    expect(roomOfObject({ namespace: env.SMALL, wait: async () => {} }, "home")).toBeNull();
  });
});

describe("an object that is full", () => {
  it("refuses new calls, and does everything else", async () => {
    const filled = await given();
    const { reserved, receipt } = await admit(filled);
    await fillTo(filled, 0.96, ballast);
    const { stores, who } = filled;
    const refused = await stores.ledger.admit(reservation(who, Date.now()));
    expect(refused).toEqual({ ok: false, error: full });
    // A call that would try a circuit is decided by the ledger's own statements.
    const probes = [{ scope: "openai/gpt", since: 1, until: Date.now() + 1_000 }];
    const trying = reservation(who, Date.now(), { probes } as never);
    expect(await stores.ledger.admit(trying)).toEqual({ ok: false, error: full });
    value(await stores.ledger.settle(settlement(reserved, Date.now(), { receipt })));
    const { id } = reserved.opening;
    expect(value(await stores.requests.get(who.tenantId, id))).toMatchObject({
      outcome: "succeeded",
    });
    await alarm(filled);
    expect(await actionsOf(filled)).toEqual(["storage.full"]);
  });

  it("admits calls again once retention made room", async () => {
    const filled = await given();
    await fillTo(filled, 0.96, contents(filled, "a"));
    const { stores, who } = filled;
    expect(await stores.ledger.admit(reservation(who, Date.now()))).toMatchObject({ ok: false });
    await alarm(filled);
    await call(filled);
    expect(await share(filled)).toBeLessThan(0.86);
  });

  it("can be deleted", async () => {
    const filled = await given();
    await fillTo(filled, 0.96, ballast);
    const { stores, who } = filled;
    value(await stores.tenants.remove(who.tenantId, event(who.tenantId, "tenant.delete")));
    await alarm(filled);
    expect(await share(filled)).toBeLessThan(0.1);
  });
});
