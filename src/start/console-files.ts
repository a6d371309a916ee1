/** The console's files in memory: they are few, and a process serves the same ones as long as it runs. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConsoleFiles } from "../domain/ports/console-files.ts";

export function readConsoleFiles(folder: string): ConsoleFiles {
  const files = new Map(
    readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]),
  );
  return { read: async (name) => files.get(name) ?? null };
}
