/** The embedded engine as a store's database. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bookTexts } from "../../src/store/books/texts.ts";
import { startEmbedded, type EmbeddedEngine } from "../../src/store/embedded/engine.ts";
import { openOverEngine } from "../../src/store/over-engine.ts";
import { lastingBackend, type Backend } from "../contract/store/open.ts";
import { readMigrations } from "./migrations.ts";

export const databaseThread = new URL("../../src/store/embedded/thread.ts", import.meta.url);

export async function startEngine(
  path: string,
  pragmas: readonly string[] = [],
): Promise<EmbeddedEngine> {
  const engine = await startEmbedded({ path, thread: databaseThread, pragmas, books: bookTexts });
  if (!engine.ok) throw new Error(engine.error);
  return engine.value;
}

/** One engine for all tests of a file; its database is emptied before each. */
export const embeddedBackend = (engine: () => EmbeddedEngine): Backend =>
  lastingBackend({
    name: "embedded engine",
    migrations: readMigrations(),
    connect: (options) => ({ db: openOverEngine(engine(), options), close: async () => {} }),
  });

/** A folder for a database's file, and its end. */
export function givenFolder(): { path: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "sampling-router-"));
  return {
    path: join(folder, "database.sqlite"),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
