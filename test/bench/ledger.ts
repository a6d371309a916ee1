/** `npm run bench -- ledger`: admission and settlement, lists and usage, in small and large tables. */
import { getTableColumns } from "drizzle-orm";
import { createEnding, type Ending } from "../../src/start/ending.ts";
import { createIds } from "../../src/domain/tenancy/ids.ts";
import { samplingRequests } from "../../src/store/schema.ts";
import { caller, reservation, settlement, type Caller } from "../contract/store/fixtures.ts";
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
const dayMs = 86_400_000;
const maxRatio = 1.2;
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
  admitMs: number;
  settleMs: number;
  perSecond: number;
  listMs: number;
  filteredMs: number;
  usageMs: number;
}

/** A database with as many records, and its large tenant. */
interface Sized {
  measured: Measured;
  who: Caller;
  records: number;
}

async function one({ measured: { db }, who }: Sized): Promise<[admitMs: number, settleMs: number]> {
  const { ledger } = storesOn(db);
  const reserved = asking(who);
  const [admission, admitMs] = await timed(() => ledger.admit(reserved));
  const { state } = value(admission);
  if (state !== "admitted") throw new Error(`${state} and not admitted`);
  const [settled, settleMs] = await timed(() => ledger.settle(answered(reserved)));
  if (!value(settled)) throw new Error("not settled");
  return [admitMs, settleMs];
}

type Read = "listMs" | "filteredMs" | "usageMs";

function readsOf({
  measured: { db },
  who: { tenantId, keyId },
}: Sized): Record<Read, () => Promise<unknown>> {
  const { requests, usage } = storesOn(db);
  const page = { cursor: null, limit: 50 };
  const to = Date.now() + 1;
  const from = to - 30 * dayMs;
  return {
    listMs: async () => value(await requests.list(tenantId, {}, page)),
    filteredMs: async () =>
      value(await requests.list(tenantId, { from: to - dayMs, key: keyId }, page)),
    usageMs: async () =>
      value(await usage.read(tenantId, { from, to, bucket: "hour", by: "model", limit: 2_001 })),
  };
}

async function perSecond(its: Sized): Promise<number> {
  const from = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (; performance.now() < from + crowdMs; done += 1) await one(its);
    }),
  );
  return done / ((performance.now() - from) / 1_000);
}

/** In turns, so that whatever else the machine does hits all sizes alike. */
async function measure(all: readonly Sized[]): Promise<Figures[]> {
  const times = all.map(() => ({
    admitMs: [] as number[],
    settleMs: [] as number[],
    listMs: [] as number[],
    filteredMs: [] as number[],
    usageMs: [] as number[],
  }));
  for (let turn = -20; turn < singles; turn += 1)
    for (const [at, its] of all.entries()) {
      const [admitMs, settleMs] = await one(its);
      if (turn < 0) continue;
      times[at]?.admitMs.push(admitMs);
      times[at]?.settleMs.push(settleMs);
      if (turn % 4 > 0) continue;
      for (const [name, read] of Object.entries(readsOf(its)))
        times[at]?.[name as Read].push((await timed(read))[1]);
    }
  const rates: number[] = [];
  for (const its of all) rates.push(await perSecond(its));
  return times.map((its, at) => ({
    admitMs: medianOf(its.admitMs),
    settleMs: medianOf(its.settleMs),
    listMs: medianOf(its.listMs),
    filteredMs: medianOf(its.filteredMs),
    usageMs: medianOf(its.usageMs),
    perSecond: rates[at] ?? 0,
  }));
}

/** Copies of one settled record, as if they had come over the last 90 days, tenant by tenant. */
async function fill({ fill: run, atOnce }: Measured, who: Caller, to: number): Promise<void> {
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
  for (let at = 0; at < to; at += atOnce) {
    const end = Math.min(to, at + atOnce);
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
      '${who.keyId}', '', 'openai/model-' || m.value, 5, 1, 1, 0, 0, 1000, 2000, 30000, 0
    from hours, json_each('[1,2,3]') m`);

async function prepared(
  name: LedgerDatabase,
  records: number,
  about: { ending: Ending; say: Say },
): Promise<Sized> {
  const measured = await openMeasured(name, about.ending);
  const who = await caller(storesOn(measured.db), { tenantLimits: limits, keyLimits: limits });
  const its = { measured, who, records };
  for (let count = 0; count < 20; count += 1) await one(its);
  await fillUsage(measured, who);
  const empty = await measured.bytes();
  const [, ms] = await timed(() => fill(measured, who, records));
  const bytes = Math.round(((await measured.bytes()) - empty) / records);
  about.say(
    `${measured.name}: ${records} records in ${Math.round(ms / 1_000)} s, ${bytes} bytes each`,
  );
  return its;
}

async function benchOne(
  name: LedgerDatabase,
  sizes: readonly number[],
  say: Say,
): Promise<string[]> {
  const ending = createEnding();
  try {
    const all: Sized[] = [];
    for (const records of sizes) all.push(await prepared(name, records, { ending, say }));
    const figures = await measure(all);
    const shown = (ms: number) => ms.toFixed(2);
    for (const [at, its] of figures.entries())
      say(
        `${name}, ${all[at]?.records} records: admit p50 ${shown(its.admitMs)} ms, settle p50 ${shown(its.settleMs)} ms, ${Math.round(its.perSecond)} admitted and settled a second; list ${shown(its.listMs)} ms, filtered ${shown(its.filteredMs)} ms, usage of 30 days ${shown(its.usageMs)} ms`,
      );
    const ratio = (figures.at(-1)?.admitMs ?? 0) / (figures[0]?.admitMs ?? 1);
    say(`${name}: admit p50 at ${sizes.at(-1)} to ${sizes[0]}: ${ratio.toFixed(2)}`);
    return ratio > maxRatio ? [`${name}: ratio ${ratio.toFixed(2)} is above ${maxRatio}`] : [];
  } finally {
    await ending.run();
  }
}

/** @param most of the file; a million for the others */
export async function benchLedger(
  about: { databases: readonly string[]; max: number },
  say: Say,
): Promise<string[]> {
  const faults: string[] = [];
  for (const name of ledgerDatabases.filter((each) => about.databases.includes(each)))
    faults.push(
      ...(await benchOne(
        name,
        [10_000, name === "file" ? about.max : Math.min(1_000_000, about.max)],
        say,
      )),
    );
  return faults;
}
