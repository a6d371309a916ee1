/** What the renewals of a stream's lease cost: writes of its row, and alarms of its tenant's Durable Object. */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { createClient } from "@libsql/client";
import { caller, reservation } from "../contract/store/fixtures.ts";
import { storesOn, value } from "../contract/store/open.ts";
import { startObjectHost } from "../bench/object-host.ts";
import { readMigrations } from "../setup/migrations.ts";
import { migrate } from "../../src/store/migrations.ts";
import type { Tenant, World } from "./world.ts";

/** Rows that a Durable Object writes for the renewal of one lease, those of indexes counted. */
export async function rowsOfRenewal(): Promise<number> {
  const { db, object, stop } = await startObjectHost();
  try {
    await migrate(db, readMigrations());
    const stores = storesOn(db);
    const who = await caller(stores);
    const now = Date.now();
    const reserved = reservation(who, now);
    value(await stores.ledger.admit(reserved));
    const renew = async (until: number) =>
      value(await stores.ledger.renew(who.tenantId, [reserved.opening.id], until));
    // The first write after an admission also writes its sums.
    await renew(now + 1_000_000);
    await object.takeWritten();
    await renew(now + 2_000_000);
    return (await object.takeWritten()).reduce((sum, rows) => sum + rows, 0);
  } finally {
    await stop();
  }
}

/** When each object's alarm comes; empty: there are no objects. */
async function alarmsIn(stateDir: string): Promise<string[]> {
  const file = readdirSync(stateDir, { recursive: true, encoding: "utf8" }).find(
    (name) => name.endsWith("metadata.sqlite") && dirname(name).endsWith("TenantDatabase"),
  );
  if (file === undefined) return [];
  const client = createClient({ url: `file:${join(stateDir, file)}` });
  try {
    const text = "select actor_id || ' ' || scheduled_time as alarm from _cf_ALARM";
    return (await client.execute(text)).rows.map(({ alarm }) => String(alarm));
  } finally {
    client.close();
  }
}

export interface LeaseCosts {
  /** Looks at leases and alarms; often enough to see each. */
  look(): Promise<void>;
  renewals(): number;
  alarms(): number;
}

export function watchLeases(
  world: Pick<World, "query">,
  { id }: Pick<Tenant, "id">,
  stateDir: string,
): LeaseCosts {
  const ends = new Map<unknown, Set<unknown>>();
  const alarms = new Set<string>();
  return {
    async look() {
      const rows = await world.query(
        "select id, lease_until from sampling_requests where tenant_id = ? and outcome = 'admitted'",
        [id],
      );
      for (const row of rows) {
        const seen = ends.get(row["id"]) ?? new Set();
        ends.set(row["id"], seen.add(row["lease_until"]));
      }
      for (const alarm of await alarmsIn(stateDir)) alarms.add(alarm);
    },
    renewals: () => [...ends.values()].reduce((sum, { size }) => sum + size - 1, 0),
    alarms: () => alarms.size,
  };
}
