/** The embedded engine with its thread as `npm start` runs it, and a place for its file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ledgerTexts } from "../../src/store/engines/memory-ledger/texts.ts";
import { startEmbedded, type EmbeddedEngine } from "../../src/store/engines/embedded/engine.ts";
import { ensureBuilt } from "../../src/start/build.js";

/** Built: from its source, Node would strip the types of all that a thread imports, one second for each thread. */
export const databaseThread = pathToFileURL(join(await ensureBuilt(() => {}), "thread.cjs"));

export async function startEngine(
  path: string,
  pragmas: readonly string[] = [],
): Promise<EmbeddedEngine> {
  const engine = await startEmbedded({
    path,
    thread: databaseThread,
    pragmas,
    memoryLedger: ledgerTexts,
  });
  if (!engine.ok) throw new Error(engine.error);
  return engine.value;
}

/** A folder for a database's file, and its end. */
export function givenFolder(): { path: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "sampling-router-"));
  return {
    path: join(folder, "database.sqlite"),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
