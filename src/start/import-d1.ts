/**
 * A state directory of a version that kept its database in an emulated D1. The first start of this version
 * takes that file over. The file is copied and never opened, so the old version finds it unchanged. Nothing
 * stands in the new place before all of the copy does, so a start that is killed in between begins anew.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { err, ok, type Result } from "../domain/result.ts";
import { openLocally, type Local } from "../store/embedded/local.ts";
import { copyWhole, putInPlace, type Contents } from "./whole-copy.ts";

export interface Imported extends Contents {
  /** the file that was taken over, and stays */
  from: string;
}

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".sqlite"))
        .map((name) => join(folder, name))
    : [];

/** With what its runtime has not yet taken into the file. */
function copyOf(path: string, folder: string): string {
  const copy = join(folder, "d1.sqlite");
  for (const end of ["", "-wal"]) {
    rmSync(`${copy}${end}`, { force: true });
    if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, `${copy}${end}`);
  }
  rmSync(`${copy}-shm`, { force: true });
  return copy;
}

const isOurs = (opened: Local): boolean =>
  opened.one("select count(*) from sqlite_master where name = 'd1_migrations'") === 1;

/** Tables of the emulation's own. */
function dropEmulation(opened: Local): void {
  const next = (): unknown =>
    opened.one(
      "select name from sqlite_master where type = 'table' and name like '\\_cf\\_%' escape '\\'",
    );
  for (let name = next(); typeof name === "string"; name = next())
    opened.exec(`drop table "${name.replaceAll('"', '""')}"`);
}

async function importFrom(
  from: string,
  { folder, path }: { folder: string; path: string },
): Promise<Result<Imported | null, string>> {
  let opened: Local;
  try {
    opened = openLocally(copyOf(from, folder), "writes");
  } catch (cause) {
    return err(
      `${from} can't be taken over: ${cause instanceof Error ? cause.message : "damaged"}`,
    );
  }
  try {
    if (!isOurs(opened)) return ok(null);
    dropEmulation(opened);
    const fresh = join(folder, "fresh.sqlite");
    rmSync(fresh, { force: true });
    const copied = await copyWhole(opened, fresh);
    if (!copied.ok) return err(`${from} can't be taken over: ${copied.error}`);
    putInPlace(fresh, path);
    return ok({ ...copied.value, from });
  } finally {
    opened.close();
  }
}

/**
 * null: there is nothing to take over, or the database is there already.
 * @param folder the emulation's, in the state directory
 * @param path where the database of this version is
 */
export async function importD1(paths: {
  folder: string;
  path: string;
}): Promise<Result<Imported | null, string>> {
  const { folder, path } = paths;
  const work = join(dirname(path), "importing");
  rmSync(work, { recursive: true, force: true });
  if (existsSync(path)) return ok(null);
  const files = filesIn(folder);
  if (files.length === 0) return ok(null);
  mkdirSync(work, { recursive: true, mode: 0o700 });
  try {
    for (const from of files) {
      const imported = await importFrom(from, { folder: work, path });
      if (!imported.ok || imported.value !== null) return imported;
    }
    return ok(null);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
