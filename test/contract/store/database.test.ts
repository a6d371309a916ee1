/** What the seam makes of a database that is late, locked or gone, and how often it goes there. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSocketServer, type AddressInfo, type Socket } from "node:net";
import { createClient as createFileClient, type Client } from "@libsql/client";
import { createClient as createWebClient } from "@libsql/client/web";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Receipt } from "../../../src/domain/audit/record.ts";
import { createOutgoing } from "../../../src/node/outgoing.ts";
import { openLibsql, raw, type Database } from "../../../src/store/db.ts";
import { withTimeout } from "../../../src/store/engines/libsql/libsql-fetch.ts";
import { openWriteGroups } from "../../../src/store/engines/libsql/libsql-groups.ts";
import { migrate } from "../../../src/store/migrations.ts";
import { tenants } from "../../../src/store/schema.ts";
import { startSqld, type Sqld } from "../../fakes/sqld.ts";
import { readMigrations } from "../../setup/migrations.ts";
import { caller, credential, event, reservation, session, settlement, start } from "./fixtures.ts";
import { storesOn, value } from "./open.ts";
import { patient } from "../../setup/patience.ts";

const unavailable = { ok: false, error: { reason: "unavailable", retryAfterMs: 1_000 } };
const select = raw(sql`select 1 as one`);

/** ms that the work takes. */
async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const from = performance.now();
  const result = await work();
  return { result, ms: performance.now() - from };
}

describe("a database out of reach", () => {
  it("is unavailable at once when the server was killed", async () => {
    const sqld = await startSqld();
    try {
      const db = openLibsql(createWebClient({ url: sqld.url }));
      value(await migrate(db, readMigrations()));
      const who = await caller(storesOn(db));
      await sqld.kill9();
      for (const work of [
        () => storesOn(db).ledger.admit(reservation(who, start)),
        () => storesOn(db).snapshots.load(who.keyId, null, start),
        () => db.write([select]),
        () => db.read((builder) => builder.select().from(tenants)),
      ]) {
        const { result, ms } = await timed<unknown>(work);
        expect(result).toEqual(unavailable);
        expect(ms).toBeLessThan(patient(1_000));
      }
    } finally {
      await sqld.stop();
    }
  });

  describe("a database that takes the connection and never answers", () => {
    const sockets = new Set<Socket>();
    const silent = createSocketServer((socket) => {
      sockets.add(socket);
    });
    let url: string;
    beforeAll(async () => {
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    });
    afterAll(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => silent.close(resolve));
    });

    it("is unavailable when the deadline has passed, and asked once", async () => {
      let trips = 0;
      const db = openLibsql(createWebClient({ url }), {
        timeoutMs: 200,
        onRoundTrip: () => (trips += 1),
      });
      for (const work of [
        () => db.write([select]),
        () => db.read((builder) => builder.select().from(tenants)),
      ]) {
        trips = 0;
        const { result, ms } = await timed<unknown>(work);
        expect(result).toEqual(unavailable);
        expect(ms).toBeGreaterThanOrEqual(190);
        expect(ms).toBeLessThan(patient(1_000));
        expect(trips).toBe(1);
      }
    });
  });
});

describe("a locked database", () => {
  let folder: string;
  let url: string;
  const clients: Client[] = [];
  /** `timeout: 0`: no waiting inside SQLite, since the seam's own patience is what is tried here. */
  const connect = (): Client => {
    const client = createFileClient({ url, timeout: 0 });
    clients.push(client);
    return client;
  };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "sampling-router-"));
    url = `file:${join(folder, "database.sqlite")}`;
    await connect().execute("create table t (n integer)");
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
    rmSync(folder, { recursive: true });
  });
  const insert = raw(sql`insert into t values (1)`);
  const count = async () =>
    Number((await connect().execute("select count(*) from t")).rows[0]?.[0]);

  it.each([
    ["a write", (db: Database) => db.write([insert])],
    ["a read", (db: Database) => db.read((builder) => builder.run(sql`insert into t values (1)`))],
  ])("is sent the same statements again for %s, which then happens once", async (_, work) => {
    let trips = 0;
    // A new connection each time. A `file:` connection that was refused a lock once can't commit
    // any more ("SQL statements in progress"). No connection to a server does so.
    const fresh = new Proxy(connect(), {
      get: (_target, name) => {
        const client = connect();
        const member: unknown = Reflect.get(client, name, client);
        return typeof member === "function" ? member.bind(client) : member;
      },
    });
    const db = openLibsql(fresh, { onRoundTrip: () => (trips += 1) });
    const lock = await connect().transaction("write");
    setTimeout(() => void lock.rollback(), 40);
    expect(await work(db)).toMatchObject({ ok: true });
    // How often depends on when the lock goes.
    expect(trips).toBeGreaterThan(1);
    expect(await count()).toBe(1);
  });

  it("is unavailable when it stays locked, and nothing was written", async () => {
    let trips = 0;
    const db = openLibsql(connect(), { onRoundTrip: () => (trips += 1) });
    const lock = await connect().transaction("write");
    const { result, ms } = await timed(() => db.write([insert]));
    expect(result).toEqual(unavailable);
    expect(trips).toBe(3);
    expect(ms).toBeLessThan(patient(1_000));
    await lock.rollback();
    expect(await count()).toBe(0);
  });
});

/** It answers 429, "Timed out while opening database connection", when many come at once to a slow machine. */
describe("a libSQL server that turns calls away", () => {
  let sqld: Sqld;
  let full: number;
  beforeAll(async () => {
    sqld = await startSqld();
  });
  afterAll(() => sqld.stop());
  const turning = async (request: Request): Promise<Response> => {
    if (full === 0) return fetch(request);
    full -= 1;
    return Response.json({ error: "Timed out while opening database connection" }, { status: 429 });
  };
  const connect = (writes: string, timeoutMs: number): Database => {
    const groups = openWriteGroups({ url: sqld.url, authToken: null, fetch: turning });
    return openLibsql(createWebClient({ url: sqld.url, fetch: turning }), {
      timeoutMs,
      ...(writes === "grouped" && { groups }),
    });
  };
  const count = async () => value(await connect("alone", 5_000).write([counted]))[0]?.[0]?.["n"];
  const counted = raw(sql`select count(*) as n from t`);

  describe.each(["alone", "grouped"])("writes %s", (writes) => {
    beforeEach(async () => {
      full = 0;
      const made = [raw(sql`drop table if exists t`), raw(sql`create table t (n integer)`)];
      value(await connect("alone", 5_000).write(made));
    });

    it("is sent the same again, which happens once", async () => {
      const db = connect(writes, 5_000);
      full = 4;
      expect((await db.write([raw(sql`insert into t values (1)`)])).ok).toBe(true);
      full = 4;
      value(await db.read((builder) => builder.run(sql`insert into t values (1)`)));
      expect([full, await count()]).toEqual([0, 2]);
    });

    it("is unavailable when it turns away longer than a call may take", async () => {
      full = Infinity;
      const { result, ms } = await timed(() =>
        connect(writes, 200).write([raw(sql`insert into t values (1)`)]),
      );
      full = 0;
      expect(result).toEqual(unavailable);
      expect(ms).toBeGreaterThanOrEqual(190);
      expect(await count()).toBe(0);
    });
  });
});

describe("a libSQL server that leaves a request unanswered", () => {
  const timeoutMs = 1_000;
  const outgoing = createOutgoing();
  let sqld: Sqld;
  let relay: Server;
  let url: string;
  /** How many requests are left unanswered next. */
  let unanswered: number;
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const answer = await fetch(`${sqld.url}${request.url}`, { method: "POST", body });
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(await answer.text());
  };
  beforeAll(async () => {
    sqld = await startSqld();
    relay = createServer((request, response) => {
      if (unanswered > 0) unanswered -= 1;
      else void pass(request, response);
    });
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    relay.closeAllConnections();
    await new Promise((resolve) => relay.close(resolve));
    await outgoing.close();
    await sqld.stop();
  });
  beforeEach(() => {
    unanswered = 0;
  });
  const insert = (n: number) => raw(sql`insert into t values (${n})`);
  const numbers = async (db: Database) =>
    value(await db.write([raw(sql`select n from t`)]))[0]?.map(({ n }) => n);

  it("is sent the writes that come next, in groups too", async () => {
    const { fetchDatabase: fetch } = outgoing;
    const groups = openWriteGroups({ url, authToken: null, fetch, timeoutMs });
    const db = openLibsql(createWebClient({ url }), { timeoutMs, groups });
    value(await db.write([raw(sql`create table t (n integer)`)]));
    unanswered = 1;
    const [lost, waited] = await Promise.all([db.write([insert(1)]), db.write([insert(2)])]);
    expect([lost, waited]).toEqual([unavailable, unavailable]);
    expect((await db.write([insert(3)])).ok).toBe(true);
    expect(await numbers(db)).toEqual([3]);
  });

  it("is sent what waits for one of the client's places", async () => {
    const fetch = withTimeout(outgoing.fetchDatabase, timeoutMs);
    const db = openLibsql(createWebClient({ url, fetch, concurrency: 1 }), { timeoutMs });
    unanswered = 1;
    expect(await db.read((builder) => builder.run(sql`select 1`))).toEqual(unavailable);
    expect((await db.read((builder) => builder.run(sql`select 1`))).ok).toBe(true);
  });
});

describe("round trips to the libSQL server", () => {
  let sqld: Sqld;
  let fetched: string[];
  let db: Database;
  beforeAll(async () => {
    sqld = await startSqld();
    const counting: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      fetched.push(`${request.method} ${new URL(request.url).pathname}`);
      return fetch(request);
    };
    fetched = [];
    db = openLibsql(createWebClient({ url: sqld.url, fetch: counting }));
    value(await migrate(db, readMigrations()));
  });
  afterAll(() => sqld.stop());
  beforeEach(() => {
    fetched.length = 0;
  });

  it("needs one HTTP request for the very first write of a fresh client, too", async () => {
    const fresh: string[] = [];
    const counting: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      fresh.push(new URL(request.url).pathname);
      return fetch(request);
    };
    value(await openLibsql(createWebClient({ url: sqld.url, fetch: counting })).write([select]));
    expect(fresh).toEqual(["/v2/pipeline"]);
  });

  it("needs one HTTP request for a write, an admission, a settlement and a snapshot", async () => {
    const stores = storesOn(db);
    const limits = { requestsPerMinute: 9, tokensPerMinute: 9_000, concurrent: 9 };
    const who = await caller(stores, { tenantLimits: limits, keyLimits: limits });
    const its = session(who.tenantId, who.keyId);
    value(await stores.sessions.create(its));
    let receipt: Receipt | null = null;
    const admission = async () => {
      const admitted = await stores.ledger.admit(reserved);
      if (admitted.ok && admitted.value.state === "admitted") ({ receipt } = admitted.value);
      return admitted;
    };
    const steps: Record<string, () => Promise<unknown>> = {
      write: () => db.write([select, select, select]),
      snapshot: () => stores.snapshots.load(who.keyId, its.id, start),
      admission,
      settlement: () =>
        stores.ledger.settle(settlement(reserved, start, { receipt, captured: "content" })),
      change: () => stores.credentials.create(credential(who.tenantId), event(who.tenantId)),
    };
    const reserved = reservation(who, start, { sessionId: its.id });
    for (const [step, work] of Object.entries(steps)) {
      fetched.length = 0;
      expect(await work()).toMatchObject({ ok: true });
      expect([step, ...fetched]).toEqual([step, "POST /v2/pipeline"]);
    }
  });
});
