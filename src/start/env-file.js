/**
 * The settings in `.env`, as `init` writes that file. The package reads them for the server and for each command; a
 * checkout has its shell. Plain JavaScript, as `bin.js` is, which calls this before the server is loaded.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/**
 * Adds what the environment lacks: a variable of the environment wins, and an empty one counts as absent.
 * @returns what is wrong with the file, in a sentence; null: nothing, or there is no file
 */
export function readEnvFile(folder, environment) {
  const path = join(folder, ".env");
  let text;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    return cause.code === "ENOENT" ? null : `${path} can't be read: ${cause.code}`;
  }
  for (const [name, value] of Object.entries(parseEnv(text)))
    if ((environment[name] ?? "") === "") environment[name] = value;
  return null;
}
