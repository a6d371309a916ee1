/** Loads the console's files into memory. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConsoleFiles } from "../domain/ports/console-files.ts";

export function readConsoleFiles(folder: string): ConsoleFiles {
  const files = new Map(
    readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]),
  );
  return { read: async (name) => files.get(name) ?? null };
}
