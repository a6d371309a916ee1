/** What every command says to whoever asks how it is called, and to whoever names a file that is not there. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkout } from "../../src/start/settings.ts";
import { temporaryStateDir } from "../fakes/router.ts";
import { fromSource } from "../setup/from-source.ts";
import { patient } from "../setup/patience.ts";

const timeout = patient(30_000);
const { scripts } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
/** npm's name of each → its file */
const commands = Object.entries(scripts).flatMap(([name, script]) => {
  const [, file] = /^node --import \S+ (src\/cli\/\S+)$/.exec(script) ?? [];
  return file === undefined ? [] : [[name, file] as const];
});

const run = (file: string, ...args: string[]) =>
  new Promise<{ code: number; out: string; errors: string }>((resolve) => {
    // Nothing of a router is here: whoever only asks needs none.
    const STATE_DIR = join(temporaryStateDir(), "none");
    const env = { PATH: process.env["PATH"], STATE_DIR, ...fromSource };
    execFile(process.execPath, [file, ...args], { cwd: checkout, env }, (fault, out, errors) =>
      resolve({ code: fault === null ? 0 : Number(fault.code), out, errors }),
    );
  });

describe("a command of src/cli", () => {
  it.each(commands)("answers --help: npm run %s", { timeout }, async (name, file) => {
    const { code, out, errors } = await run(file, "--help");
    expect([code, errors]).toEqual([0, ""]);
    expect(out).toMatch(new RegExp(`^usage: npm run ${name}\\b.*(?:\\n +.*)*\\n[A-Z].*`));
  });
});

describe("npm run audit", () => {
  const folder = temporaryStateDir();
  const exported = join(folder, "export.ndjson");
  writeFileSync(exported, "");
  const notKeys = join(folder, "keys.json");
  writeFileSync(notKeys, "no JSON");

  it.each([
    ["an export", [join(folder, "none")], `${folder}/none can't be read: it does not exist`],
    [
      "a key file",
      [exported, "--key", join(folder, "none")],
      `--key: ${folder}/none can't be read: it does not exist`,
    ],
    [
      "keys in a file that has none",
      [exported, "--key", notKeys],
      `--key: ${notKeys} is not a JWK set of Ed25519 keys: fetch /.well-known/sampling-router/audit-keys.json from the router again`,
    ],
  ])("says in words that there is no such thing: %s", { timeout }, async (_, args, sentence) => {
    const { code, errors } = await run("src/cli/audit.ts", "verify", ...args);
    expect([code, errors]).toEqual([2, `sampling-router: ${sentence}\n`]);
  });
});
