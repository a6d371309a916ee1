/** A state directory as an earlier version left it: its database is an emulated D1. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const fixture = fileURLToPath(new URL("../fixtures/d1-state/", import.meta.url));

export interface D1State {
  stateDir: string;
  /** the D1 file */
  d1: string;
  /** the emulation's folder */
  folder: string;
  remove(): void;
}

export const aboutD1State = JSON.parse(readFileSync(join(fixture, "about.json"), "utf8")) as {
  masterKey: string;
  apiKey: string;
  credential: string;
  path: string;
  records: number;
};

export function givenD1State(): D1State {
  const stateDir = mkdtempSync(join(tmpdir(), "sampling-router-state-"));
  const d1 = join(stateDir, aboutD1State.path);
  mkdirSync(dirname(d1), { recursive: true });
  mkdirSync(join(stateDir, "embedded"));
  writeFileSync(d1, gunzipSync(readFileSync(join(fixture, "database.sqlite.gz"))));
  // The emulation's own, which is no database of ours.
  writeFileSync(join(dirname(d1), "metadata.sqlite"), "");
  return {
    stateDir,
    d1,
    folder: join(stateDir, "database"),
    remove: () => rmSync(stateDir, { recursive: true }),
  };
}
