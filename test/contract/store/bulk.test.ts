/** Admissions and settlements of many callers at once, by processes that send their writes in groups. */
import { createClient } from "@libsql/client/web";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keptSamples } from "../../../src/domain/choice/health.ts";
import type { Limits } from "../../../src/domain/choice/policy.ts";
import type { Admission } from "../../../src/domain/ports/ledger.ts";
import { openLibsql, raw, type Database } from "../../../src/store/db.ts";
import { openWriteGroups } from "../../../src/store/engines/libsql/libsql-groups.ts";
import { migrate } from "../../../src/store/migrations.ts";
import { startSqld, type Sqld } from "../../fakes/sqld.ts";
import { readMigrations } from "../../setup/migrations.ts";
import { patient } from "../../setup/patience.ts";
import { caller, reservation, session, settlement, start, type Caller } from "./fixtures.ts";
import { mac, storesOn, value } from "./open.ts";
import { sealAll } from "./sealing.ts";

const callers = 64;
const second = 1_000;

type Admitted = Extract<Admission, { state: "admitted" }>;
const isAdmitted = (admission: Admission): admission is Admitted => admission.state === "admitted";

describe("many callers at once", () => {
  let sqld: Sqld;
  let requests: number;
  /** As one more process. */
  const connect = (): Database => {
    const counting = (request: Request): Promise<Response> => {
      requests += 1;
      return fetch(request);
    };
    // The product's own limit would refuse some of the crowd on a busy machine.
    const timeoutMs = patient(5_000);
    const server = { url: sqld.url, authToken: null, fetch: counting, timeoutMs };
    return openLibsql(createClient({ url: sqld.url }), {
      groups: openWriteGroups(server),
      timeoutMs,
    });
  };
  let db: Database;
  beforeAll(async () => {
    sqld = await startSqld();
    db = connect();
    value(await migrate(db, readMigrations()));
  });
  afterAll(() => sqld.stop());

  const rows = async (query: ReturnType<typeof sql>) =>
    value(await db.write([raw(query)]))[0] ?? [];
  const counted = async (subject: string) =>
    Object.fromEntries(
      (
        await rows(sql`select resource, sum(amount) as amount from counters
          where subject = ${subject} and resource <> 'refusals' group by resource`)
      ).map((row) => [row["resource"], row["amount"]]),
    );
  /** Every caller's admission, all asked for at once. */
  const crowd = async (who: Caller, processes: readonly Database[] = [db]) =>
    Promise.all(
      processes.flatMap((process) => {
        const { ledger } = storesOn(process);
        return Array.from({ length: callers }, async () => {
          const reserved = reservation(who, start);
          return { reserved, admission: value(await ledger.admit(reserved)) };
        });
      }),
    );

  const cases: { limits: Limits; fit: number; by: string }[] = [
    { limits: { requestsPerMinute: 10 }, fit: 10, by: "requests" },
    { limits: { tokensPerMinute: 1_950 }, fit: 19, by: "tokens" },
    { limits: { concurrent: 40 }, fit: 40, by: "concurrent" },
    { limits: { usdPerDay: 0.07 }, fit: 70, by: "usd_day" },
    { limits: { usdPerMonth: 0.007 }, fit: 7, by: "usd_month" },
    {
      limits: {
        requestsPerMinute: 30,
        tokensPerMinute: 2_900,
        concurrent: 31,
        usdPerDay: 1,
        usdPerMonth: 1,
      },
      fit: 29,
      by: "tokens",
    },
  ];
  const scoped = cases.flatMap((each) => [
    { ...each, scope: "tenant" as const },
    { ...each, scope: "key" as const },
  ]);
  it.each(scoped)(
    "are admitted exactly up to $limits of the $scope, from two processes",
    async ({ limits, fit, by, scope }) => {
      const who = await caller(storesOn(db), { [`${scope}Limits`]: limits });
      const told = (await crowd(who, [db, connect()])).map(({ admission }) => admission);
      expect(told.filter(isAdmitted)).toHaveLength(fit);
      const refused = told.flatMap((each) => (each.state === "refused" ? [each] : []));
      expect(refused).toHaveLength(2 * callers - fit);
      expect(refused.filter(({ check }) => check.resource === by && check.scope === scope)).toEqual(
        refused,
      );
      const money = { usd_day: fit * 1_000, usd_month: fit * 1_000 };
      const all = { requests: fit, tokens: fit * 100, ...money };
      const subject = scope === "tenant" ? who.tenantId : who.keyId;
      const sums = await counted(subject);
      expect(all).toMatchObject(sums);
      const numbers = (
        await rows(sql`select record_number as n from sampling_requests
          where tenant_id = ${who.tenantId} order by 1`)
      ).map(({ n }) => n);
      expect(numbers).toEqual(numbers.map((_, at) => at + 1));
      expect(numbers.length).toBeGreaterThanOrEqual(Math.min(100, 2 * callers));
    },
  );

  it("say how each limit stands after all of them", async () => {
    const who = await caller(storesOn(db), {
      tenantLimits: { requestsPerMinute: 1_000 },
      keyLimits: { concurrent: 100 },
    });
    const told = await crowd(who);
    const limits = told.flatMap(({ admission }) => (isAdmitted(admission) ? admission.limits : []));
    const least = (name: string) =>
      Math.min(...limits.filter((each) => each.name === name).map(({ remaining }) => remaining));
    expect([least("tenant.requestsPerMinute"), least("key.concurrent")]).toEqual([
      1_000 - callers,
      100 - callers,
    ]);
  });

  it("end in one request each way, each call once, and with every sum as if each call came alone", async () => {
    const limits = { tokensPerMinute: 1_000_000, usdPerDay: 1 };
    const who = await caller(storesOn(db), { tenantLimits: limits });
    await storesOn(db).ledger.admit(reservation(who, start));
    for (const scope of ["model x", "model y"])
      await rows(sql`insert into circuits (tenant_id, scope, faults, updated_at)
        values (${who.tenantId}, ${scope}, '[]', ${start})`);
    requests = 0;
    // Codes that are made at once keep the callers in their order.
    const { ledger, health, usage } = storesOn(db, () => {}, { ...mac, code: async () => "code" });
    const told = await crowd(who);
    const ended = await Promise.all(
      told.map(({ reserved, admission }, at) => {
        const receipt = isAdmitted(admission) ? admission.receipt : null;
        const sample = { at: start + at, ms: 100, outputTokens: 10 };
        const its = settlement(reserved, start + second, {
          receipt,
          chargedTokens: 40,
          health: [{ credentialId: "cred_1", model: "openai/gpt", sample }],
          circuits: [{ closes: ["model x", "endpoint x"], fault: null }],
          outcome: at % 4 === 0 ? "failed" : "succeeded",
        });
        return ledger.settle(its).then((settled) => ({ its, settled: value(settled) }));
      }),
    );
    expect(ended.map(({ settled }) => settled)).toEqual(ended.map(() => true));
    expect(requests).toBeLessThanOrEqual(4);
    const again = await Promise.all(ended.map(({ its }) => ledger.settle(its)));
    expect(again.map(value)).toEqual(ended.map(() => false));
    expect(await counted(who.tenantId)).toEqual({
      tokens: 100 + callers * 40,
      usd_day: 1_000 + callers * 500,
    });
    const hour = { from: start, to: start + 3_600_000, bucket: "hour", by: "model" } as const;
    expect(value(await usage.read(who.tenantId, { ...hour, limit: 10 }))).toMatchObject([
      {
        group: "openai/gpt",
        requests: callers,
        succeeded: (callers * 3) / 4,
        failed: callers / 4,
        inputTokens: callers * 20,
        outputTokens: callers * 80,
        costMicroUsd: callers * 500,
      },
    ]);
    const circuits = value(await health.circuits(who.tenantId));
    expect(circuits.map(({ scope }) => scope)).toEqual(["model y"]);
    const [samples] = value(await health.list(who.tenantId));
    expect(samples?.samples.map(({ at }) => at)).toEqual(
      Array.from({ length: keptSamples }, (_, at) => start + callers - 1 - at),
    );
  });

  it("leave records that are sealed as sound, with texts as every database gives them back", async () => {
    const stores = storesOn(db);
    const who = await caller(stores);
    const texts = ["a\u0000b", 'quote " and \\u0000', "\ud800 half", "é 語 😀"];
    const told = await Promise.all(
      texts.map(async (tool) => {
        const plain = reservation(who, start);
        const { opening } = plain;
        const reserved = { ...plain, opening: { ...opening, who: { ...opening.who, tool } } };
        const admission = value(await stores.ledger.admit(reserved));
        return { reserved, receipt: isAdmitted(admission) ? admission.receipt : null };
      }),
    );
    await Promise.all(
      told.map(({ reserved, receipt }) =>
        stores.ledger.settle(settlement(reserved, start + second, { receipt })),
      ),
    );
    await sealAll(stores, who.tenantId);
    const records = value(
      await stores.requests.list(who.tenantId, {}, { cursor: null, limit: 10 }),
    ).data;
    expect(new Set(records.map((record) => record.who.tool))).toEqual(
      new Set(texts.map((text) => text.toWellFormed().replaceAll("\0", "\ufffd"))),
    );
    const events = value(await stores.events.list(who.tenantId, { cursor: null, limit: 10 }));
    expect(events.data.map(({ action }) => action)).not.toContain("audit.tampered");
    expect(
      await rows(sql`select id from sampling_requests where tenant_id = ${who.tenantId}
      and seal_number is null`),
    ).toEqual([]);
  });

  it("differ by session: a call whose session has ended is stale, and the other calls' sessions live on", async () => {
    const stores = storesOn(db);
    const who = await caller(stores);
    const live = session(who.tenantId, who.keyId);
    const over = session(who.tenantId, who.keyId, { expiresAt: start - 1 });
    for (const each of [live, over]) value(await stores.sessions.create(each));
    const told = await Promise.all(
      [live, over, live].map(async (its) =>
        value(
          await stores.ledger.admit(
            reservation(who, start, { sessionId: its.id, sessionExpiresAt: start + 9_999_999 }),
          ),
        ),
      ),
    );
    expect(told.map(({ state }) => state)).toEqual(["admitted", "stale", "admitted"]);
    const expiries = await rows(sql`select id, expires_at as at from sessions
      where tenant_id = ${who.tenantId} order by id`);
    expect(expiries).toEqual([
      { id: live.id, at: start + 9_999_999 },
      { id: over.id, at: start - 1 },
    ]);
  });

  it("differ by tenant version: a call that assumed an older tenant is stale", async () => {
    const stores = storesOn(db);
    const who = await caller(stores);
    const told = await Promise.all(
      [2, 1, 2].map(async (tenantVersion) =>
        value(await stores.ledger.admit(reservation(who, start, { tenantVersion }))),
      ),
    );
    expect(told.map(({ state }) => state)).toEqual(["admitted", "stale", "admitted"]);
  });
});
