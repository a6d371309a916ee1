/** `npm run bench -- directory`: an operator's lists over many tenants, each with a database of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { createPlacementStore } from "../../src/store/directory/placements.ts";
import { createDeliveryStore } from "../../src/store/directory/deliveries.ts";
import type { Delivery } from "../../src/domain/ports/outbox.ts";
import { openLibsql } from "../../src/store/db.ts";
import { migrate } from "../../src/store/migrations.ts";
import { storesOn, value } from "../contract/store/open.ts";
import { readMigrations } from "../setup/migrations.ts";
import { machine } from "./machine.ts";

type Say = (line: string) => void;

export const typicalTenants = 100_000;
/** tenants that were used in each hour of the last day; each by two models */
const busyTenants = 1_000;
const hours = 24;
const eventsOfTenant = 5;
const repeats = 30;
const maxMs = 100;
const hourMs = 3_600_000;

/** As the ids of tenants with databases of their own look; they sort by the number. */
const idOf = (number: string): string =>
  `'ten_' || printf('%026d', ${number}) || 'tn' || printf('%020d', ${number})`;
const databaseOf = (number: string): string => `'tn' || printf('%020d', ${number})`;
const numbers = (count: number): string =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;

const figures =
  "succeeded, failed, refused, cancelled, unknown, input_tokens, output_tokens, cost_micro_usd";

const fillings = (tenants: number, firstHour: number): string[] => [
  `${numbers(tenants)} insert into placements (slug, tenant_id, database, name, created_at, state)
    select 'tenant-' || i, ${idOf("i")}, ${databaseOf("i")}, 'Tenant ' || i, i, 'active' from n`,
  `${numbers(tenants)} insert into admin_events (id, at, actor, action, tenant_id, target, detail, delivered)
    select 'evt_' || printf('%026d', i * ${eventsOfTenant} + e.value), i, 'operator', 'key.create', ${idOf("i")},
      'key', '{"name":"made by the bench"}', 1
    from n cross join json_each('[${Array.from({ length: eventsOfTenant }, (_, at) => at).join(",")}]') e`,
  `${numbers(busyTenants)} insert into delivered_usage (hour, tenant_id, model, ${figures})
    select ${firstHour} + h.value * 3600, ${idOf("i * " + Math.floor(tenants / busyTenants))}, m.value,
      90, 1, 2, 0, 0, 1000, 500, 4000
    from n cross join json_each('[${Array.from({ length: hours }, (_, at) => at).join(",")}]') h
      cross join json_each('["openai/gpt-5","anthropic/claude"]') m`,
  `insert into usage_totals (width, at, model, ${figures})
    select w.value, hour / w.value * w.value, model, sum(succeeded), sum(failed), sum(refused), sum(cancelled),
      sum(unknown), sum(input_tokens), sum(output_tokens), sum(cost_micro_usd)
    from delivered_usage cross join json_each('[3600,86400]') w group by 1, 2, 3`,
];

/** What a minute of one busy tenant brings. */
const minuteOf = (version: number, tenantId: string, hour: number): Delivery => ({
  version,
  events: [],
  tenants: [],
  deleted: [],
  hours: [{ tenantId, hour }],
  usage: ["openai/gpt-5", "anthropic/claude"].map((model) => ({
    tenantId,
    hour,
    model,
    succeeded: version,
    failed: 0,
    refused: 0,
    cancelled: 0,
    unknown: 0,
    inputTokens: 1,
    outputTokens: 1,
    costMicroUsd: 1,
  })),
  latencies: [],
  auditKeys: [],
  since: null,
});

interface Took {
  ms: number;
  /** of this process's CPU: the database is in it, and what else the machine does is not */
  cpuMs: number;
}

async function timesOf(work: (at: number) => Promise<{ ok: boolean }>): Promise<Took[]> {
  const times: Took[] = [];
  for (let at = 0; at < repeats; at += 1) {
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    const done = await work(at);
    const { user, system } = process.cpuUsage(cpu);
    times.push({ ms: performance.now() - began, cpuMs: (user + system) / 1_000 });
    if (!done.ok) throw new Error("refused");
  }
  return times;
}

const medianOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

export async function benchDirectory(tenants: number, say: Say): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "router-directory-"));
  const client = createClient({ url: `file:${join(folder, "database.sqlite")}`, timeout: 5_000 });
  try {
    await client.execute("pragma synchronous = off");
    const db = openLibsql(client, { timeoutMs: 60_000 });
    value(await migrate(db, readMigrations()));
    const now = Date.now();
    const firstHour = (Math.floor(now / hourMs) - hours + 1) * 3_600;
    for (const statement of fillings(tenants, firstHour)) await client.execute(statement);
    const { usage, events } = storesOn(db);
    const placements = createPlacementStore(db);
    const deliveries = createDeliveryStore(db);
    const middle = String(
      (await client.execute(`select ${idOf(String(tenants / 2))} as id`)).rows[0]?.["id"],
    );
    const [busiest] = (
      await client.execute("select tenant_id, max(hour) as hour from delivered_usage")
    ).rows;
    const tenantId = String(busiest?.["tenant_id"]);
    const database = tenantId.slice(30);
    const page = { cursor: null, limit: 50 };
    const to = now + 1;
    const day = { from: now - hours * hourMs, to, bucket: "hour", limit: 2_001 } as const;
    const month = { from: now - 30 * hours * hourMs, to, bucket: "day", limit: 2_001 } as const;
    const asked: [string, (at: number) => Promise<{ ok: boolean }>][] = [
      ["GET /tenants, first page of 50", () => placements.list(page)],
      ["GET /tenants, a page in the middle", () => placements.list({ ...page, cursor: middle })],
      ["GET /tenants, a page of 200", () => placements.list({ ...page, limit: 200 })],
      ["one slug", () => placements.bySlug(`tenant-${tenants / 2}`)],
      ["GET /events, first page of 50", () => events.list(null, page)],
      ["GET /usage?by=model, 24 hours", () => usage.readAll({ ...day, by: "model" })],
      ["GET /usage?by=model, 30 days", () => usage.readAll({ ...month, by: "model" })],
      [
        "GET /usage?by=tenant, the last hour",
        () => usage.readAll({ ...day, from: now, by: "tenant" }),
      ],
      [
        "GET /usage?by=tenant, a day by the day",
        () => usage.readAll({ ...month, from: day.from, by: "tenant" }),
      ],
      [
        "one delivery of a tenant's minute",
        (at) =>
          deliveries.enter(
            { database: database, now },
            minuteOf(at + 2, tenantId, Number(busiest?.["hour"])),
          ),
      ],
    ];
    say(JSON.stringify(machine()));
    say(
      `${tenants} tenants, ${eventsOfTenant * tenants} events, ${busyTenants} tenants with usage in each of ${hours} hours; ms, medians of ${repeats} runs`,
    );
    const slow: string[] = [];
    for (const [title, work] of asked) {
      const times = await timesOf(work);
      const cpuMs = medianOf(times.map((took) => took.cpuMs));
      const ms = medianOf(times.map((took) => took.ms));
      say(
        `  ${title.padEnd(42)}CPU ${cpuMs.toFixed(1).padStart(7)}  elapsed ${ms.toFixed(1).padStart(7)}`,
      );
      if (cpuMs > maxMs) slow.push(`${title}: ${cpuMs.toFixed(1)} ms of CPU, of ${maxMs}`);
    }
    return slow;
  } finally {
    client.close();
    rmSync(folder, { recursive: true });
  }
}
