/** Copies a database to a temporary file, verifies it, and renames it. */
import { closeSync, fsyncSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { counted } from "../domain/counted.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { openLocally, type Local } from "../store/engines/embedded/local.ts";
import { createSealStore } from "../store/seals/seals.ts";
import { verifyChains, type Chains } from "./chains.ts";

export interface Contents extends Chains {
  /** by table */
  rows: Record<string, number>;
}

/** Runs SQLite's integrity check. */
export async function contentsOf(opened: Local): Promise<Result<Contents, string>> {
  const check = opened.one("pragma integrity_check");
  if (check !== "ok") return err(`it is damaged: ${String(check)}`);
  const names: unknown = JSON.parse(
    String(
      opened.one(
        "select json_group_array(name) from (select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name)",
      ),
    ),
  );
  const rows: Record<string, number> = {};
  for (const name of names as string[])
    rows[name] = Number(opened.one(`select count(*) from "${name.replaceAll('"', '""')}"`));
  const isEmpty = rows["seals"] === undefined;
  const none = { tenants: 0, seals: 0, records: 0, fault: null };
  const chains = isEmpty
    ? ok(none)
    : await verifyChains(createSealStore(opened.db, async () => {}));
  return chains.ok ? ok({ ...chains.value, rows }) : chains;
}

export const describeContents = ({ rows, seals, tenants }: Contents): string =>
  [
    counted(rows["tenants"] ?? 0, "tenant"),
    counted(rows["sampling_requests"] ?? 0, "record"),
    `${counted(seals, "seal")} of ${counted(tenants, "chain")}`,
  ].join(", ");

/** Verifies that contents are equal. */
export async function copyWhole(from: Local, path: string): Promise<Result<Contents, string>> {
  const before = await contentsOf(from);
  if (!before.ok) return before;
  from.exec(`vacuum into '${path.replaceAll("'", "''")}'`);
  const copy = openLocally(path, "reads");
  try {
    const after = await contentsOf(copy);
    if (!after.ok) return err(`the copy can't be used: ${after.error}`);
    if (JSON.stringify(after.value) !== JSON.stringify(before.value))
      return err("the copy differs from its original");
    return after;
  } finally {
    copy.close();
  }
}

function flush(path: string): void {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}

/** Durable from here on. */
export function putInPlace(fresh: string, path: string): void {
  flush(fresh);
  renameSync(fresh, path);
  // Windows can't open folders.
  if (process.platform !== "win32") flush(dirname(path));
}
