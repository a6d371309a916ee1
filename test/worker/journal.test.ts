/** What a call writes in an object, and what the sums say once the object has lost its memory. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { LimitedScope } from "../../src/domain/limits/limit-checks.ts";
import { ledgerTexts } from "../../src/store/engines/memory-ledger/texts.ts";
import { createObjectEngine } from "../../src/store/engines/durable/object-engine.ts";
import { raw, type Database } from "../../src/store/db.ts";
import { migrate } from "../../src/store/migrations.ts";
import {
  createStubEngine,
  type DatabaseObject,
} from "../../src/store/engines/durable/stub-engine.ts";
import { openOverEngine } from "../../src/store/over-engine.ts";
import { caller, reservation, settlement, start, type Caller } from "../contract/store/fixtures.ts";
import { nodesOfOneCall } from "../contract/store/nodes.suite.ts";
import { storesOn, value } from "../contract/store/open.ts";
import type { Stores } from "../../src/domain/ports/stores.ts";

const limits = {
  requestsPerMinute: 1_000,
  tokensPerMinute: 1e9,
  concurrent: 1_000,
  usdPerDay: 1_000,
};
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const health = [
  { credentialId: "cred_1", model: "openai/gpt", sample: { at: 1, ms: 5, tokens: 7 } },
];

type Engine = DatabaseObject & Disposable;
/** The engines that tests hold, by the name of their object. */
const held = new Map<string, Promise<Engine>>();

/** An object is evicted only while nobody holds its engine. */
async function letGo(name: string): Promise<void> {
  const engine = held.get(name);
  held.delete(name);
  (await engine)?.[Symbol.dispose]();
}
afterEach(async () => {
  for (const name of held.keys()) await letGo(name);
});

/**
 * The engine is held from one question to the next. Each call of an object's own method, such as `engine`, takes vitest's
 * plugin much longer than the question itself.
 */
function askedOf(name: string): DatabaseObject {
  const object = env.BARE.getByName(name) as unknown as { engine(): Promise<Engine> };
  const engineOf = (): Promise<Engine> => {
    const engine = held.get(name) ?? object.engine();
    held.set(name, engine);
    return engine;
  };
  return {
    read: async (statements) => (await engineOf()).read(statements),
    write: async (job) => (await engineOf()).write(job),
  };
}

async function given(name: string) {
  const stub = env.BARE.getByName(name);
  const evict = async (): Promise<void> => {
    await letGo(name);
    await evictDurableObject(stub);
  };
  const connect = () => askedOf(name);
  const db = openOverEngine(createStubEngine({ connect, wait }));
  value(await migrate(db, env.MIGRATIONS));
  const stores = storesOn(db);
  const who = await caller(stores, { tenantLimits: limits, keyLimits: limits });
  return { stub, evict, db, stores, who };
}

async function run(stores: Stores, who: Caller, at: number): Promise<void> {
  const reserved = reservation(who, start + at);
  const admission = value(await stores.ledger.admit(reserved));
  if (admission.state !== "admitted") throw new Error(admission.state);
  value(
    await stores.ledger.settle(
      settlement(reserved, start + at, {
        receipt: admission.receipt,
        chargedTokens: 60,
        health: health as never,
      }),
    ),
  );
}

// The first question loads the class and all that it imports, which may take longer than a question's deadline.
beforeAll(async () => void (await askedOf("loads").read([])));

const rowsOf = async (db: Database, text: string): Promise<unknown[]> =>
  value(await db.read((builder) => builder.all(sql.raw(text))));

describe("a call in an object", () => {
  const named = [
    { what: "no other node", nodesOf: () => [] },
    { what: "sixteen nodes", nodesOf: nodesOfOneCall },
  ];
  it.each(named)("writes four rows to be admitted and four to be settled: $what", async (about) => {
    const { stub, evict, who } = await given(`rows of ${about.what}`);
    await evict();
    const nodes = about.nodesOf(who);
    await runInDurableObject(stub, async (_, { storage }) => {
      let written = 0;
      const engine = createObjectEngine({
        storage,
        texts: ledgerTexts,
        onWritten: (rows) => (written += rows),
      });
      const stores = storesOn(
        openOverEngine({
          write: async (job) => engine.write(job),
          read: async (statements) => engine.read(statements),
        }),
      );
      for (let at = 0; at < 5; at += 1) await run(stores, who, at);
      const reserved = reservation(who, start + 5, { nodes });
      written = 0;
      const admission = value(await stores.ledger.admit(reserved));
      expect(written).toBeLessThanOrEqual(4);
      expect(written).toBeGreaterThan(0);
      if (admission.state !== "admitted") throw new Error(admission.state);
      written = 0;
      const end = settlement(reserved, start + 5, {
        receipt: admission.receipt,
        health: health as never,
      });
      value(await stores.ledger.settle(end));
      expect(written).toBeLessThanOrEqual(4);
      expect(written).toBeGreaterThan(0);
    });
  });
});

describe("the sums of an object", () => {
  let world: Awaited<ReturnType<typeof given>>;
  beforeAll(async () => {
    world = await given("sums");
  });
  const counted = async () => ({
    usage: await rowsOf(
      world.db,
      "select succeeded, refused, input_tokens, cost_micro_usd from usage",
    ),
    requests: await rowsOf(
      world.db,
      `select subject, sum(amount) as n from counters where resource in ('requests', 'tokens', 'usd_day')
        group by subject, resource order by 1, 2`,
    ),
    numbers: await rowsOf(world.db, "select last from record_numbers"),
    samples: await rowsOf(world.db, "select json_array_length(samples) as n from health"),
  });

  it("are complete after a loss of memory at any point", async () => {
    const { evict, stores, who, db } = world;
    const open: ReturnType<typeof reservation>[] = [];
    const receipts = new Map<string, unknown>();
    let settled = 0;
    for (let at = 0; at < 60; at += 1) {
      const reserved = reservation(who, start + at);
      const admission = value(await stores.ledger.admit(reserved));
      if (admission.state !== "admitted") throw new Error(admission.state);
      receipts.set(reserved.opening.id, admission.receipt);
      open.push(reserved);
      if (at % 7 === 0) await evict();
      // Most end, in another order than they began; three are left open.
      while (open.length > 3) {
        const [ended] = open.splice(at % open.length, 1);
        if (ended === undefined) break;
        const receipt = receipts.get(ended.opening.id) as never;
        value(
          await stores.ledger.settle(
            settlement(ended, start + at, { receipt, chargedTokens: 60, health: health as never }),
          ),
        );
        settled += 1;
        if (at % 5 === 0) await evict();
        // Another writer's statement writes the sums in the middle.
        if (at === 30) value(await db.write([raw(sql`update tenants set name = 'B'`)]));
      }
    }
    expect(settled).toBe(57);
    await evict();
    const tokens = 57 * 60 + 3 * 100;
    const micro = 57 * 500 + 3 * 1_000;
    const sums = [60, tokens, micro].map((n) => n);
    const found = await counted();
    expect(found.usage).toEqual([
      { succeeded: 57, refused: 0, input_tokens: 57 * 20, cost_micro_usd: 57 * 500 },
    ]);
    for (const subject of [who.tenantId, who.keyId])
      expect(
        (found.requests as { subject: string; n: number }[])
          .filter((row) => row.subject === subject)
          .map(({ n }) => n)
          .toSorted((a, b) => a - b),
      ).toEqual(sums.toSorted((a, b) => a - b));
    expect(found.numbers).toEqual([{ last: 60 }]);
    expect(found.samples).toEqual([{ n: expect.any(Number) as number }]);
    // Nothing is counted again.
    await evict();
    expect(await counted()).toEqual(found);
  });

  it("count a new run once, after a loss of memory too", async () => {
    const { evict, stores, who } = await given("runs");
    const begin = async (name: string) => {
      const subject = `run:${who.keyId}:${name}`;
      const nodes: LimitedScope[] = [
        { scope: "key", subject: who.keyId, limits: { newRunsPerDay: 2 }, run: subject },
        { scope: "run", subject, limits: { callsPerRun: 100 } },
      ];
      return value(await stores.ledger.admit(reservation(who, start, { nodes }))).state;
    };
    for (const name of ["one", "one", "one"]) expect(await begin(name)).toBe("admitted");
    await evict();
    for (const name of ["one", "two"]) expect(await begin(name)).toBe("admitted");
    await evict();
    expect(await begin("three")).toBe("refused");
    expect(await begin("two")).toBe("admitted");
  });

  it("count refusals with and without a record after a loss of memory", async () => {
    const { evict, stores, db } = await given("refusals");
    const who = await caller(stores, { keyLimits: { requestsPerMinute: 0 } });
    for (let at = 0; at < 105; at += 1) {
      expect(value(await stores.ledger.admit(reservation(who, start + at)))).toMatchObject({
        state: "refused",
      });
      if (at % 25 === 10 || at === 103) await evict();
    }
    await evict();
    const where = `where tenant_id = '${who.tenantId}'`;
    expect(
      await rowsOf(db, `select amount from counters ${where} and resource = 'refusals'`),
    ).toEqual([{ amount: 105 }]);
    expect(await rowsOf(db, `select sum(refused) as n from usage ${where}`)).toEqual([{ n: 105 }]);
    expect(await rowsOf(db, `select count(*) as n from sampling_requests ${where}`)).toEqual([
      { n: 100 },
    ]);
  });

  it("are written before the journal overwrites its oldest rows", async () => {
    const { evict, stores, who, db } = await given("ring");
    for (let at = 0; at < 600; at += 1) await run(stores, who, at);
    await evict();
    expect(await rowsOf(db, "select sum(succeeded) as n from usage")).toEqual([{ n: 600 }]);
    expect(await rowsOf(db, "select count(*) as n from ledger_journal where place >= 0")).toEqual([
      { n: 512 },
    ]);
  }, 60_000);
});
