/** A database goes away while calls run: their answers go out, and each call is settled as it ended. */
import { createClient } from "@libsql/client/web";
import { afterAll, beforeAll, expect, it } from "vitest";
import { adminOf, asking, callOnce, createTenant, until } from "../fakes/caller.ts";
import { startDatabaseRelay, type DatabaseRelay } from "../fakes/database-relay.ts";
import { startHoldingProvider, type HoldingProvider } from "../fakes/holding-provider.ts";
import { startRouter, type Router } from "../fakes/router.ts";
import { startSqld, type Sqld } from "../fakes/sqld.ts";
import { reconciled, recordsOf } from "../soak/sums.ts";

const calls = 20;
const price = { inputUsdPerMTok: 3, outputUsdPerMTok: 11 };
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let sqld: Sqld;
let relay: DatabaseRelay;
let provider: HoldingProvider;
let router: Router;

beforeAll(async () => {
  sqld = await startSqld();
  relay = await startDatabaseRelay(sqld.url);
  provider = await startHoldingProvider();
  router = await startRouter({ env: { DATABASE_URL: relay.url, SCHEDULE_SECONDS: "1" } });
}, 90_000);
afterAll(async () => {
  await router?.stop();
  await provider?.stop();
  await relay?.stop();
  await sqld?.stop();
});

const query = async (sql: string, args: string[] = []) => {
  const client = createClient({ url: sqld.url });
  const { rows, columns } = await client.execute({ sql, args });
  client.close();
  return rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])));
};

it("answers while the database is away, and charges what was used once it is back", async () => {
  const slug = "late";
  const { key } = await createTenant(router, slug, {
    provider: "openai-compatible",
    baseUrl: provider.url,
    models: [{ id: "one", ...price }],
    policy: { deadlineMs: 10_000, limits: { usdPerDay: 10, tokensPerMinute: 1_000_000 } },
  });
  const tenant = await adminOf(router, router.adminToken)("GET", `/tenants/${slug}`);
  const id = String(tenant.get("id"));
  const answers = Array.from({ length: calls }, (_, at) =>
    callOnce(router, key, asking(`Call ${at}.`)),
  );
  await until(() => (provider.waiting() === calls ? true : undefined));
  relay.goAway();
  const used = provider.answerAll();
  // Every answer comes before the database is back.
  for (const answer of await Promise.all(answers))
    expect(answer.get("result.content.text")).toBe("Yes.");
  relay.comeBack();
  const ended = async () => {
    for (let turn = 0; turn < 60; turn += 1) {
      const rows = await recordsOf({ query }, { id });
      if (rows.every(({ outcome }) => outcome !== "admitted")) return rows;
      await wait(1_000);
    }
    throw new Error("Records are open still.");
  };
  const rows = await ended();
  const counts = Map.groupBy(rows, ({ outcome }) => outcome);
  const charged = rows.reduce((sum, { microUsd }) => sum + microUsd, 0);
  const owed =
    used.inputTokens * price.inputUsdPerMTok + used.outputTokens * price.outputUsdPerMTok;
  expect({
    unknown: counts.get("unknown")?.length ?? 0,
    succeeded: counts.get("succeeded")?.length ?? 0,
    charged,
  }).toEqual({ unknown: 0, succeeded: calls, charged: owed });
  expect(await reconciled({ query }, { id }, { rates: false })).toEqual([]);
}, 120_000);
