/** What a start says of records that a damaged write-ahead log has lost. */
import { randomFillSync } from "node:crypto";
import { closeSync, copyFileSync, openSync, statSync, truncateSync, writeSync } from "node:fs";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findLostRecords, keepRecordMark } from "../../../src/start/lost-records.ts";
import type { EmbeddedEngine } from "../../../src/store/engines/embedded/engine.ts";
import { readRecordMark } from "../../../src/store/engines/embedded/record-mark.ts";
import { openOverEngine } from "../../../src/store/over-engine.ts";
import { createTenantStore } from "../../../src/store/tenants/tenants.ts";
import { givenFolder, startEngine } from "../../setup/engine.ts";
import { prepare, startVictim } from "../../soak/embedded/victim.ts";
import { event } from "../store/fixtures.ts";
import { value } from "../store/open.ts";

/** Of the file, so that all of it is in the log. */
const noCheckpoint = "wal_autocheckpoint = 0";

const overwrite = (path: string, from: number): void => {
  const file = openSync(path, "r+");
  writeSync(file, randomFillSync(Buffer.alloc(statSync(path).size - from)), 0, undefined, from);
  closeSync(file);
};

describe("records that a crash has lost", () => {
  let folder: ReturnType<typeof givenFolder>;
  let crashed: ReturnType<typeof givenFolder>;
  let engine: EmbeddedEngine;
  let tenantId: string;
  beforeEach(async () => {
    folder = givenFolder();
    const who = await prepare(folder.path);
    ({ tenantId } = who);
    const about = { path: folder.path, who, callers: 4, log: null, pragmas: [noCheckpoint] };
    const victim = await startVictim(about);
    await expect
      .poll(() => marked(folder.path), { timeout: 60_000, interval: 20 })
      .toBeGreaterThan(0);
    await victim.kill9();
    // Of its own: libsql may still have this process's file open, and would read the log with that file's index.
    crashed = givenFolder();
    for (const end of ["", "-wal", ".records.json"])
      copyFileSync(`${folder.path}${end}`, `${crashed.path}${end}`);
  }, 90_000);
  afterEach(async () => {
    await engine.close();
    folder.remove();
    crashed.remove();
  });
  const marked = (path: string): number => readRecordMark(path)[tenantId] ?? 0;
  const lost = async () => {
    engine = await startEngine(crashed.path);
    return findLostRecords(engine, crashed.path);
  };
  const inDatabase = async (): Promise<number> => {
    const query = sql`select coalesce(max(record_number), 0) as last from sampling_requests`;
    const [row] = value(
      await openOverEngine(engine).read((builder) => builder.all<{ last: number }>(query)),
    );
    return row?.last ?? 0;
  };

  it("are none where the log is sound", async () => {
    expect(await lost()).toBeNull();
    expect(await inDatabase()).toBeGreaterThanOrEqual(marked(crashed.path));
  });

  it.each([
    ["has garbage from a frame on", (wal: string) => overwrite(wal, statSync(wal).size >> 2)],
    ["is cut off", (wal: string) => truncateSync(wal, statSync(wal).size >> 2)],
    ["is empty", (wal: string) => truncateSync(wal, 0)],
  ])("are counted, with the number before them, where the log %s", async (_, damage) => {
    damage(`${crashed.path}-wal`);
    const found = await lost();
    const after = await inDatabase();
    const missing = marked(crashed.path) - after;
    expect(missing).toBeGreaterThan(0);
    expect(found?.entry).toEqual({
      event: "database.records_lost",
      missing,
      tenants: [{ tenantId, slug: tenantId.replace("_", "-"), after, missing }],
    });
    expect(found?.line).toContain(
      `lost ${missing} record${missing === 1 ? "" : "s"} that the last run had written: after record ${after} of tenant ${tenantId.replace("_", "-")}.`,
    );
  });

  it("are reported by one start, and not by the next one", async () => {
    truncateSync(`${crashed.path}-wal`, 0);
    expect(await lost()).not.toBeNull();
    const stop = keepRecordMark(engine, crashed.path);
    await expect.poll(() => marked(crashed.path), { timeout: 15_000 }).toBe(0);
    await stop();
    expect(await findLostRecords(engine, crashed.path)).toBeNull();
  });

  it("are not those of a tenant that was deleted within the mark's second", async () => {
    engine = await startEngine(crashed.path);
    const tenants = createTenantStore(openOverEngine(engine));
    value(await tenants.remove(tenantId, event(tenantId, "tenant.delete")));
    expect(await findLostRecords(engine, crashed.path)).toBeNull();
  });
});
