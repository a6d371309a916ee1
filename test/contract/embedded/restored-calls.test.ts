/** A call that was running in a backup ends at the restore, and its record stays authentic. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { verifyCodes } from "../../../src/domain/audit/evidence.ts";
import { endLeases } from "../../../src/store/ledger/end-leases.ts";
import { migrate } from "../../../src/store/migrations.ts";
import { openOverEngine } from "../../../src/store/over-engine.ts";
import { startEngine } from "../../setup/engine.ts";
import { readMigrations } from "../../setup/migrations.ts";
import { caller, reservation, start } from "../store/fixtures.ts";
import { mac, storesOn, value } from "../store/open.ts";

let undo: (() => Promise<void>) | null = null;
afterEach(async () => {
  await undo?.();
  undo = null;
});

it("ends calls with their first lease and with a renewed one, soundly", async () => {
  const folder = mkdtempSync(join(tmpdir(), "restored-calls-"));
  const engine = await startEngine(join(folder, "router.sqlite"));
  undo = async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  };
  const db = openOverEngine(engine);
  value(await migrate(db, readMigrations()));
  const { ledger, seals, ...stores } = storesOn(db);
  const who = await caller({ ledger, seals, ...stores });
  const [first, renewed] = [reservation(who, start), reservation(who, start)];
  for (const each of [first, renewed]) value(await ledger.admit(each));
  value(await ledger.renew(who.tenantId, [renewed.opening.id], start + 100_000));
  expect(value(await endLeases(db, { mac, nonce: () => crypto.randomUUID(), now: start }))).toBe(2);
  const { records } = value(await seals.waiting(who.tenantId, start + 3_600_000, 10));
  expect(records.map(({ record }) => record.outcome)).toEqual(["unknown", "unknown"]);
  const verdicts = await Promise.all(records.map(({ evidence }) => verifyCodes(mac, evidence)));
  expect(verdicts.map(({ state }) => state)).toEqual(["sound", "sound"]);
});
