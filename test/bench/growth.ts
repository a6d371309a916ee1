/**
 * `node test/bench/growth.ts [records]`: one `file:` database with a million records of 1,000 tenants, the
 * largest of which has a fifth. What its hot statements take, what its indexes weigh. The file stays, for
 * a second look: `node test/bench/growth.ts 1000000 /tmp/growth.sqlite`.
 */
import { mkdtempSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { openLibsql } from "../../src/store/db.ts";
import { packDecision } from "../../src/store/rows/decisions.ts";
import { migrate } from "../../src/store/migrations.ts";
import { reservation, settlement, type Caller } from "../contract/store/fixtures.ts";
import { storesOn, value } from "../contract/store/open.ts";
import { readMigrations } from "../setup/migrations.ts";
import { retain } from "../contract/store/sealing.ts";

const records = Number(process.argv[2] ?? 1_000_000);
const path = process.argv[3] ?? join(mkdtempSync(join(tmpdir(), "growth-")), "growth.sqlite");
const tenants = 1_000;
const dayMs = 86_400_000;
const now = 1_800_000_000_000;
const first = now - 30 * dayMs;
const apartMs = (30 * dayMs) / records;

const isNew = !existsSync(path);
const client = createClient({ url: `file:${path}`, timeout: 5_000 });
const db = openLibsql(client, { timeoutMs: 600_000 });
const stores = storesOn(db);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const tenant = (at: number): string => `ten_${String(at).padStart(26, "0")}`;
const owner = (at: number): Caller => ({
  tenantId: tenant(at),
  keyId: `key_${String(at * 5).padStart(26, "0")}`,
  tenantLimits: { requestsPerMinute: 1_000, tokensPerMinute: 1_000_000, concurrent: 50 },
  keyLimits: { requestsPerMinute: 1_000, tokensPerMinute: 1_000_000, concurrent: 50 },
});

/** In the order of time, as they would come. A fifth of all is tenant 0's, three tenths are ten others'. */
const fill = (from: number, to: number): string => `
  with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to - 1}),
  r as (select i, ${first} + cast(i * ${apartMs} as integer) as at,
    case when i % 10 < 2 then 0 when i % 10 < 5 then 1 + (i / 10) % 10 else 11 + (i / 2) % ${tenants - 11} end as t,
    (i * 2654435761) % 1000 as h from n)
  insert into sampling_requests (id, tenant_id, key_id, session_id, client_name, client_version, revision,
    created_at, asked, content_sha256, outcome, reason, decision, attempts, model, limit_checks, settlement,
    lease_until, reserved_tokens, reserved_micro_usd, input_tokens, output_tokens, usage_estimated,
    cost_micro_usd, overshoot, timing, total_ms, overhead_ms, settled_at, record_number, opening_code)
  select printf('req_%026d', i), printf('ten_%026d', t), printf('key_%026d', t * 5 + h % 5),
    case when h % 2 then printf('ses_%026d', t * 1000 + i / 50000) end, 'client', '1.0', '2025-11-25',
    at, ?, hex(randomblob(32)),
    case when h < 950 then 'succeeded' when h < 980 then 'refused' when h < 995 then 'failed' else 'unknown' end,
    case when h between 950 and 979 then 'rate_limited' end, ?, ?,
    'openai/model-' || (h % 8), ?, hex(randomblob(16)), at + 75000, 100, 1000, 20 + h, 80 + h, 0, 500 + h, 0,
    ?, 1100, 12, at + 1100, i, '' from r`;

if (isNew) {
  value(await migrate(db, readMigrations()));
  // What a tenant with two providers writes: 45 feasible models, a limit or two.
  const model = reservation({ ...owner(1), keyLimits: {} }, now);
  const candidates = Array.from({ length: 45 }, (_, at) => ({
    provider: at % 2 ? "openai" : "anthropic",
    model: `claude-sonnet-4-${at}`,
    score: Math.round(1e4 / (at + 1)) / 1e4,
    axes: { cost: 0.3295, speed: 0.4773, intelligence: 0.8409 },
  }));
  const attempt = {
    provider: "openai",
    model: "model-1",
    credentialId: tenant(1).replace("ten", "cred"),
    latencyMs: 1_000,
    status: 200,
    retryable: false,
    fault: null,
    billed: "yes",
    retryAfterMs: null,
  };
  const args = [
    JSON.stringify(model.opening.asked),
    packDecision({ ...model.decision, candidates }),
    JSON.stringify([attempt]),
    JSON.stringify(model.limitChecks),
    JSON.stringify(settlement(model, now).timing),
  ];
  await client.execute(`with recursive n(i) as (select 0 union all select i + 1 from n where i < ${tenants - 1})
    insert into tenants (id, slug, name, policy, ceiling, version, created_at)
    select printf('ten_%026d', i), 'tenant-' || i, 'Tenant', '{}', '{"limits":{}}', 2, ${first} from n`);
  const started = performance.now();
  for (let from = 0; from < records; from += 50_000)
    await client.execute({ sql: fill(from, Math.min(records, from + 50_000)), args });
  say(`${records} records in ${((performance.now() - started) / 1_000).toFixed(0)} s, ${path}`);
}

const size = await client
  .execute(
    `select name, sum(pgsize) as bytes from dbstat where name like 'sampling_requests%' or name like 'sqlite_autoindex_sampling%' group by name order by 2 desc`,
  )
  .catch(() => null);
const count = Number(
  (await client.execute("select count(*) as n from sampling_requests")).rows[0]?.["n"],
);
for (const row of size?.rows ?? [])
  say(
    `${String(row["name"]).padEnd(44)} ${(Number(row["bytes"]) / count).toFixed(0).padStart(6)} bytes a record`,
  );

async function timed(
  name: string,
  work: (turn: number) => Promise<unknown>,
  turns = 15,
): Promise<void> {
  const took: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const started = performance.now();
    const result = await work(turn);
    took.push(performance.now() - started);
    if (typeof result === "object" && result !== null && "ok" in result && result.ok === false)
      say(`${name}: ${JSON.stringify(result)}`);
  }
  took.sort((a, b) => a - b);
  const at = (share: number): string =>
    (took[Math.floor(share * (took.length - 1))] ?? 0).toFixed(2);
  say(`${name.padEnd(44)} p50 ${at(0.5).padStart(9)} ms, worst ${at(1).padStart(9)} ms`);
}

let clock = now;
for (const [name, at] of [
  ["largest", 0],
  ["large", 3],
  ["ordinary", 500],
] as const) {
  const who = owner(at);
  const page = { cursor: null, limit: 50 };
  const { tenantId } = who;
  const list = (filter: object) => () => stores.requests.list(tenantId, filter, page);
  await timed(
    `${name}: admit and settle`,
    async () => {
      clock += 7;
      const reserved = reservation(who, clock);
      const admitted = await stores.ledger.admit(reserved);
      if (admitted.ok && admitted.value.state !== "admitted") say(admitted.value.state);
      return stores.ledger.settle(settlement(reserved, clock));
    },
    60,
  );
  await timed(`${name}: list`, list({}));
  await timed(`${name}: list, of 30 days`, list({ from: first }));
  await timed(`${name}: list, 20 days ago`, list({ from: now - 21 * dayMs, to: now - 20 * dayMs }));
  await timed(`${name}: list, outcome unknown`, list({ outcome: "unknown" }));
  await timed(`${name}: list, outcome that none has`, list({ outcome: "cancelled" }));
  await timed(`${name}: list, a model`, list({ model: "openai/model-3" }));
  await timed(`${name}: list, a model that none has`, list({ model: "openai/none" }));
  await timed(`${name}: list, a key`, list({ key: who.keyId }));
  await timed(`${name}: list, a key that has none`, list({ key: "key_none" }));
  await timed(
    `${name}: list, an old session`,
    list({ session: `ses_${String(at * 1000 + 1).padStart(26, "0")}` }),
  );
  await timed(`${name}: list, a session that has none`, list({ session: "ses_none" }));
}
await timed("sweep", () => stores.ledger.sweep(now));
await timed("prune counters", () => stores.ledger.prune(now));
await timed("prune records, none due", () => retain(stores, now), 5);
await timed("prune records, 1,000 due", () => retain(stores, now + 75 * dayMs), 3);
client.close();
