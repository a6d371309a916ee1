/** A database whose ids name no object goes into `home`, and its callers go on there. */
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import worker from "../../src/import-worker.ts";
import { homeShard, shardOf } from "../../src/domain/tenancy/shards.ts";
import { openObject } from "../../src/store/durable/open-object.ts";
import { createStubEngine, type DatabaseObject } from "../../src/store/durable/stub-engine.ts";
import { migrate } from "../../src/store/migrations.ts";
import { openOverEngine } from "../../src/store/over-engine.ts";
import type { Database } from "../../src/store/db.ts";
import { caller, reservation, settlement } from "../contract/store/fixtures.ts";
import { macOf, storesOn, value } from "../contract/store/open.ts";

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const mac = await macOf(1);
const token = "of-the-tests-of-imports-of-d1";
const bindings = { ...env, ADMIN_TOKEN: token } as never;

const ask = (part: unknown, bearer = token): Promise<Response> =>
  worker.fetch(
    new Request("https://import.test/import", {
      method: "POST",
      headers: { Authorization: `Bearer ${bearer}` },
      body: JSON.stringify(part),
    }),
    bindings,
  );
const rowsOf = async (db: Database, text: string) =>
  value(await db.read((builder) => builder.all<Record<string, unknown>>(sql.raw(text))));

/** A database of its own, as one before Durable Objects is. */
async function older() {
  const stub = env.BARE.getByName("older") as unknown as { engine(): Promise<DatabaseObject> };
  const engine = await stub.engine();
  const db = openOverEngine(createStubEngine({ connect: () => engine, wait }));
  value(await migrate(db, env.MIGRATIONS));
  const stores = storesOn(db, () => {}, mac);
  const limits = { requestsPerMinute: 2, usdPerDay: 1 };
  const who = await caller(stores, { tenantLimits: limits, keyLimits: {} });
  return { db, stores, who };
}
const home = () => openObject({ namespace: env.DATABASES, wait }, homeShard, {});

beforeAll(async () => void (await rowsOf(home(), "select 1")));

describe("an import into the object home", () => {
  it("keeps ids, keys, records and counts, and imports once however often the file is sent", async () => {
    const { db, stores, who } = await older();
    const reserved = reservation(who, Date.now());
    const admission = value(await stores.ledger.admit(reserved));
    if (admission.state !== "admitted") throw new Error(admission.state);
    const { receipt } = admission;
    value(await stores.ledger.settle(settlement(reserved, Date.now(), { receipt })));
    const { tenantId, keyId } = who;
    expect(shardOf(tenantId)).toBe(homeShard);
    const usage = "select sum(succeeded) as n, sum(cost_micro_usd) as usd from usage";
    const before = await rowsOf(db, `${usage} where tenant_id = '${tenantId}'`);
    const tables = await rowsOf(
      db,
      "select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\' and name not in ('d1_migrations', 'sqlite_sequence')",
    );
    for (const { name } of [...tables, ...tables]) {
      const found = await rowsOf(db, `select * from "${String(name)}"`);
      if (found[0] === undefined) continue;
      const columns = Object.keys(found[0]);
      const rows = found.map((row) => columns.map((column) => row[column]));
      const answer = await ask({ table: name, columns, rows });
      expect({ name, status: answer.status }).toEqual({ name, status: 200 });
    }
    const there = storesOn(home(), () => {}, mac);
    expect(value(await there.keys.get(tenantId, keyId))).toEqual(
      value(await stores.keys.get(tenantId, keyId)),
    );
    const { id } = reserved.opening;
    expect(value(await there.requests.get(tenantId, id))).toEqual(
      value(await stores.requests.get(tenantId, id)),
    );
    expect(await rowsOf(home(), `${usage} where tenant_id = '${tenantId}'`)).toEqual(before);
    // One of two requests of this minute was made before.
    const states = [];
    for (let at = 0; at < 2; at += 1)
      states.push(value(await there.ledger.admit(reservation(who, Date.now()))).state);
    expect(states).toEqual(["admitted", "refused"]);
  });

  it("takes the operator's token alone", async () => {
    const part = { table: "tenants", columns: ["id"], rows: [] };
    expect((await ask(part, "somebody-else")).status).toBe(401);
    expect((await ask(part)).status).toBe(200);
  });

  it.each([
    [
      "a name that is none",
      { table: 'tenants"; drop table tenants; --', columns: ["id"], rows: [] },
    ],
    ["a column that is none", { table: "tenants", columns: ["id) --"], rows: [] }],
    ["a row that is too short", { table: "tenants", columns: ["id", "slug"], rows: [["a"]] }],
    ["a value that is no value", { table: "tenants", columns: ["id"], rows: [[{}]] }],
    ["nothing", null],
  ])("takes no part with %s", async (_, part) => {
    expect((await ask(part)).status).toBe(400);
  });

  it("answers no other path", async () => {
    const request = new Request("https://import.test/admin/v1/tenants", {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect((await worker.fetch(request, bindings)).status).toBe(404);
  });
});
