/** `npm run bench -- ledger`: admission and settlement, lists and usage, in small and large tables. */
import { getTableColumns, sql } from "drizzle-orm";
import { createEnding } from "../../src/start/ending.ts";
import { createIds } from "../../src/domain/ids.ts";
import { raw } from "../../src/store/db.ts";
import { samplingRequests } from "../../src/store/schema.ts";
import {
  anotherKey,
  caller,
  reservation,
  settlement,
  type Caller,
} from "../contract/store/fixtures.ts";
import { storesOn, value } from "../contract/store/open.ts";
import {
  ledgerDatabases,
  openMeasured,
  type LedgerDatabase,
  type Measured,
} from "./ledger-databases.ts";

const singles = 200;
const concurrency = 16;
const crowdMs = 4_000;
const tenants = 1_000;
/** Of all records, the measured tenant's: it is a large one. */
const shareOfTenant = 10;
const fillSize = 250_000;
const dayMs = 86_400_000;
const limits = {
  requestsPerMinute: 1_000_000,
  tokensPerMinute: 1_000_000_000,
  concurrent: 1_000,
  usdPerDay: 100_000,
  usdPerMonth: 100_000,
};

type Say = (line: string) => void;
const ids = createIds({
  now: () => Date.now(),
  randomBytesOf: (count) => crypto.getRandomValues(new Uint8Array(count)),
});

/** As the fixtures make it, with an id of this very moment. */
function asking(who: Caller) {
  const reserved = reservation(who, Date.now());
  return { ...reserved, opening: { ...reserved.opening, id: ids.next("request") } };
}

const answered = (reserved: ReturnType<typeof asking>) =>
  settlement(reserved, Date.now(), {
    attempts: [
      {
        provider: "openai",
        model: "gpt",
        status: 200,
        retryable: false,
        credentialId: "cred_00000000000000000000000000",
        fault: null,
        billed: "yes",
        latencyMs: 900,
        retryAfterMs: null,
      },
    ],
  });

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const from = performance.now();
  const done = await work();
  return [done, performance.now() - from];
}

const medianOf = (times: number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

interface Figures {
  records: number;
  admitMs: number;
  settleMs: number;
  perSecond: number;
  listMs: number;
  filteredMs: number;
  usageMs: number;
}

async function measure({ db }: Measured, who: Caller, records: number): Promise<Figures> {
  const { ledger, requests, usage } = storesOn(db);
  const one = async (): Promise<[admitMs: number, settleMs: number]> => {
    const reserved = asking(who);
    const [admission, admitMs] = await timed(() => ledger.admit(reserved));
    const { state } = value(admission);
    if (state !== "admitted") throw new Error(`${state} and not admitted`);
    const [settled, settleMs] = await timed(() => ledger.settle(answered(reserved)));
    if (!value(settled)) throw new Error("not settled");
    return [admitMs, settleMs];
  };
  const reading = async (read: () => Promise<unknown>): Promise<number> => {
    const times: number[] = [];
    for (let count = 0; count < singles / 4; count += 1) times.push((await timed(read))[1]);
    return medianOf(times);
  };
  for (let count = 0; count < 20; count += 1) await one();
  const times: [number, number][] = [];
  for (let count = 0; count < singles; count += 1) times.push(await one());
  const until = performance.now() + crowdMs;
  const from = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (; performance.now() < until; done += 1) await one();
    }),
  );
  const perSecond = done / ((performance.now() - from) / 1_000);
  const page = { cursor: null, limit: 50 };
  const { tenantId } = who;
  const to = Date.now() + 1;
  return {
    records,
    admitMs: medianOf(times.map(([admit]) => admit)),
    settleMs: medianOf(times.map(([, settle]) => settle)),
    perSecond,
    listMs: await reading(async () => value(await requests.list(tenantId, {}, page))),
    filteredMs: await reading(async () =>
      value(await requests.list(tenantId, { from: to - dayMs, key: who.keyId }, page)),
    ),
    usageMs: await reading(async () =>
      value(
        await usage.read(tenantId, {
          from: to - 30 * dayMs,
          to,
          bucket: "hour",
          by: "model",
          limit: 2_001,
        }),
      ),
    ),
  };
}

/** Copies of one settled record, as if they had come over the last 90 days, tenant by tenant. */
async function fill({ fill: run }: Measured, who: Caller, from: number, to: number): Promise<void> {
  const columns = Object.values(getTableColumns(samplingRequests)).map(({ name }) => name);
  const first = Date.now() - 90 * dayMs;
  // By its place, a record's tenant and time: each tenant's are in the order of their ids.
  const isOurs = `n % ${shareOfTenant} = 0`;
  const changed: Record<string, string> = {
    id: `printf('req_0%025d', n)`,
    tenant_id: `case when ${isOurs} then tenant_id else printf('ten_%026d', n % ${tenants}) end`,
    created_at: `${first} + n * ${(90 * dayMs) / to}`,
  };
  const values = columns.map((name) => changed[name] ?? name);
  for (let at = from; at < to; at += fillSize) {
    const end = Math.min(to, at + fillSize);
    await run(`
      with recursive numbers(n) as (select ${at} union all select n + 1 from numbers where n < ${end - 1})
      insert into sampling_requests (${columns.join(", ")})
      select ${values.join(", ")} from numbers, (
        select * from sampling_requests where tenant_id = '${who.tenantId}' and outcome = 'succeeded'
        order by id desc limit 1)`);
  }
}

/** Ninety days of hours, three models. */
const fillUsage = ({ fill: run }: Measured, who: Caller): Promise<void> =>
  run(`
    with recursive hours(n) as (select 0 union all select n + 1 from hours where n < ${90 * 24})
    insert into usage select '${who.tenantId}', ${Math.floor(Date.now() / 3_600_000) * 3_600} - (n + 1) * 3600,
      '${who.keyId}', '', 'openai/model-' || m.value, 5, 1, 1, 0, 0, 1000, 2000, 30000
    from hours, json_each('[1,2,3]') m`);

async function benchOne(
  name: LedgerDatabase,
  sizes: readonly number[],
  say: Say,
): Promise<string[]> {
  const ending = createEnding();
  try {
    const measured = await openMeasured(name, ending);
    const stores = storesOn(measured.db);
    const who = await caller(stores, { tenantLimits: limits, keyLimits: limits });
    await anotherKey(stores, who.tenantId);
    const mine = { ...who };
    value(await measured.db.write([raw(sql`update tenants set version = 2`)]));
    await measure(measured, mine, 0);
    await fillUsage(measured, mine);
    const figures: Figures[] = [];
    let [filled, empty] = [0, await measured.bytes()];
    for (const size of sizes) {
      const [, ms] = await timed(() => fill(measured, mine, filled, size));
      const bytes = await measured.bytes();
      say(
        `${measured.name}: ${size - filled} records in ${Math.round(ms / 1_000)} s, ${Math.round((bytes - empty) / (size - filled))} bytes each`,
      );
      [filled, empty] = [size, bytes];
      const its = await measure(measured, mine, size);
      figures.push(its);
      const shown = (ms: number) => ms.toFixed(2);
      say(
        `${measured.name}, ${size} records: admit p50 ${shown(its.admitMs)} ms, settle p50 ${shown(its.settleMs)} ms, ${Math.round(its.perSecond)} admitted and settled a second; list ${shown(its.listMs)} ms, filtered ${shown(its.filteredMs)} ms, usage of 30 days ${shown(its.usageMs)} ms`,
      );
    }
    const [small, large] = [figures[0], figures.at(-1)];
    if (small === undefined || large === undefined || small === large) return [];
    const ratio = large.admitMs / small.admitMs;
    say(`${measured.name}: admit p50 at ${large.records} to ${small.records}: ${ratio.toFixed(2)}`);
    return ratio > 1.2 ? [`${measured.name}: ratio ${ratio.toFixed(2)} is above 1.2`] : [];
  } finally {
    await ending.run();
  }
}

/** @param most of the file; a million for the others */
export async function benchLedger(
  about: { databases: readonly string[]; most: number },
  say: Say,
): Promise<string[]> {
  const faults: string[] = [];
  for (const name of ledgerDatabases.filter((each) => about.databases.includes(each)))
    faults.push(
      ...(await benchOne(
        name,
        [10_000, name === "file" ? about.most : Math.min(1_000_000, about.most)],
        say,
      )),
    );
  return faults;
}
