/**
 * Reads `.env` as `init` writes it, for the package; a checkout uses the shell. Plain JavaScript, since
 * `bin.js` calls it first.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/**
 * Existing nonempty variables win.
 * @returns an error in words
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
