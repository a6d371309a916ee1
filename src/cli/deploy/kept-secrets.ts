/** The file with the secrets of which the operator has no other copy. Only its owner may read it. */
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";
import type { DeploymentDeps, Secrets } from "./deployment.ts";

const ownerOnly = 0o600;

/** Node reads no escapes, so a value stands in the first kind of quotes that it doesn't contain. Throws without one. */
function lineOf(name: string, value: string): string {
  if (/^[\w.:/+=@,-]*$/.test(value)) return `${name}=${value}`;
  const quote = ["'", '"', "`"].find((each) => !value.includes(each));
  if (quote === undefined || /[\r\n]/.test(value))
    throw new Error(
      `${name} has a line end or every kind of quote: no file of variables can hold it`,
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
      // A new file in the old one's place: the old one may be readable by others, and a full disk keeps it as it is.
      const fresh = `${path}.new`;
      writeFileSync(fresh, `${lines.join("\n")}\n`, { mode: ownerOnly });
      chmodSync(fresh, ownerOnly);
      renameSync(fresh, path);
    },
  };
}
