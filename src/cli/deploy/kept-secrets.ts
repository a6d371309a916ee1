/** The file of secrets without another copy, readable only by its owner. */
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";
import type { DeploymentDeps, Secrets } from "./deployment.ts";

const ownerOnly = 0o600;

/** Node doesn't unescape, so a value is quoted by a quote that it doesn't contain. Throws if every quote occurs. */
function lineOf(name: string, value: string): string {
  if (/^[\w.:/+=@,-]*$/.test(value)) return `${name}=${value}`;
  const quote = ["'", '"', "`"].find((each) => !value.includes(each));
  if (quote === undefined || /[\r\n]/.test(value))
    throw new Error(
      `${name} has a line break or every kind of quote, so it can't be written to a file of variables`,
    );
  return `${name}=${quote}${value}${quote}`;
}

export function createKeptSecrets(path: string, place: string): DeploymentDeps["kept"] {
  const read = (): Secrets => {
    try {
      return parseEnv(readFileSync(path, "utf8")) as Secrets;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return {};
      throw cause;
    }
  };
  return {
    place,
    read,
    add(secrets) {
      const lines = Object.entries({ ...read(), ...secrets }).map((each) => lineOf(...each));
      // Replaces the file, whose mode may be too open.
      const fresh = `${path}.new`;
      writeFileSync(fresh, `${lines.join("\n")}\n`, { mode: ownerOnly });
      chmodSync(fresh, ownerOnly);
      renameSync(fresh, path);
    },
  };
}
