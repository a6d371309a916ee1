import { createClient } from "@libsql/client/http";
import type { Residency } from "../domain/tenancy/residency.ts";
import { isTenantDatabase } from "../domain/tenancy/tenant-databases.ts";
import type { Ids } from "../domain/tenancy/ids.ts";
import type { NoteRejected } from "../domain/tenancy/rejected-row.ts";
import type { Stores } from "../domain/ports/stores.ts";
import { createRejectedRows } from "../pipeline/rejected-rows.ts";
import { now, unreadableReport, type Isolate } from "./isolate.ts";
import { withTimeout } from "../store/engines/libsql/libsql-fetch.ts";
import { defaultTimeoutMs, openLibsql, type Database, type DatabaseOptions } from "../store/db.ts";
import { createStores } from "../store/stores.ts";

const maxPerBatch = 1_000;

function openDatabase(
  { config: { database }, host }: Isolate,
  { name, residency, ...options }: DatabaseOptions & { name: string; residency: Residency | null },
): Database {
  if (isTenantDatabase(name) && host.openTenantDatabase !== undefined)
    return host.openTenantDatabase(name, { ...options, residency });
  if (database.kind === "own") return host.openOwnDatabase(options);
  const { url, authToken } = database;
  const client = createClient({
    url,
    // The client's default of 20 is for a single caller; scheduling bounds concurrency.
    concurrency: maxPerBatch,
    ...(authToken !== null && { authToken }),
    ...(host.fetchDatabase !== undefined && {
      fetch: withTimeout(host.fetchDatabase, defaultTimeoutMs),
    }),
  });
  const groups = host.writeGroupsOf?.({ url, authToken });
  return openLibsql(client, { ...options, ...(groups !== undefined && { groups }) });
}

export function openStores(
  isolate: Isolate,
  { ids, ...options }: DatabaseOptions & { name: string; ids: Ids; residency: Residency | null },
): { db: Database; stores: Stores; rejected: NoteRejected } {
  const { config, host, auditing, rowMac, rejectedRows: memory } = isolate;
  const db = openDatabase(isolate, options);
  const rejected = createRejectedRows({
    events: () => stores.events,
    ids,
    memory,
    log: host.log,
    now,
  });
  const stores: Stores = createStores(db, {
    nonce: () => crypto.randomUUID(),
    mac: auditing.mac,
    rowMac,
    rejected,
    sessionLimits: config.sessionLimits,
    unreadable: unreadableReport(host, ids),
  });
  return { db, stores, rejected };
}
