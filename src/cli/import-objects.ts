/**
 * `npm run import:objects -- URL`: sends the embedded database, as `npm run restore` made it of an export of D1, to the
 * Worker `src/import-worker.ts`, which puts it into the object `home`. Ends with 1 when not all of it is there.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { counted } from "../domain/counted.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { makeEmbeddedFolder } from "../start/embedded-file.ts";
import { commandLine } from "../start/called.ts";
import { parseSettings } from "../start/settings.ts";
import { openStateDirectory } from "../start/state-directory.ts";
import { lockFile } from "../store/embedded/lock.ts";
import { openLocally, type Local } from "../store/embedded/local.ts";
import { partsOf, tablesIn } from "./import-parts.ts";
import { problemWithRemote } from "./catalogue-remote.ts";
import { answerHelp } from "./usage.ts";

const usage = `usage: ${commandLine("import:objects", "URL")}
Sends the embedded database of STATE_DIR to the import Worker at URL, with ADMIN_TOKEN. Refuses while a router runs on it.`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const answered = z.object({ rows: z.int() });
const refused = z.object({ detail: z.string() });

interface Target {
  url: string;
  token: string;
  fetch: typeof fetch;
}

/** How many rows the table has there now. */
async function send(
  { url, token, fetch: ask }: Target,
  part: object,
): Promise<Result<number, string>> {
  const answer = await ask(new URL("/import", url), {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(part),
    // A redirect could carry the token to another host.
    redirect: "manual",
  });
  const body: unknown = await answer.json().catch(() => null);
  const done = answered.safeParse(body);
  if (answer.status === 200 && done.success) return ok(done.data.rows);
  const said = refused.safeParse(body);
  return err(`${url} answered ${answer.status}${said.success ? `: ${said.data.detail}` : ""}`);
}

/** Keys go last: without them nobody can call. */
export async function importAll(source: Local, target: Target): Promise<Result<number, string>> {
  let sent = 0;
  for (const table of tablesIn(source)) {
    const expected = Number(source.one(`select count(*) from "${table}"`));
    let there = 0;
    for (const part of partsOf(source, table)) {
      const done = await send(target, part);
      if (!done.ok) return done;
      there = done.value;
      sent += part.rows.length;
    }
    if (expected > 0 && there !== expected)
      return err(
        `${table} has ${counted(there, "row")} there, and ${expected} here: the object home was in use before, so it is not what was exported`,
      );
  }
  return ok(sent);
}

async function run(): Promise<string | null> {
  const { positionals } = parseArgs({ allowPositionals: true, options: {} });
  const [url, ...more] = positionals;
  if (url === undefined || more.length > 0) return usage;
  const token = process.env["ADMIN_TOKEN"];
  const wrong = problemWithRemote(url, token);
  if (wrong !== null) return wrong;
  const settings = parseSettings(process.env);
  if (!settings.ok) return settings.error;
  const stateDir = openStateDirectory(settings.value.stateDir);
  if (!stateDir.ok) return stateDir.error;
  const path = makeEmbeddedFolder(stateDir.value);
  if (!existsSync(path)) return `there is no database at ${path}: restore the export first`;
  const lock = lockFile(path);
  if (!lock.ok) return `${lock.error}; end that server first`;
  const source = openLocally(path, "reads");
  try {
    const sent = await importAll(source, { url, token: token ?? "", fetch });
    if (!sent.ok) return sent.error;
    say(
      `The object home has ${counted(sent.value, "row")} now. Deploy the router again: npm run deploy.`,
    );
    return null;
  } finally {
    source.close();
    lock.value.release();
  }
}

if (import.meta.main) {
  answerHelp(usage);
  const fault = await run().catch((cause: unknown) =>
    cause instanceof Error ? cause.message : "it can't be read",
  );
  if (fault !== null) {
    process.stderr.write(`sampling-router: ${fault}\n`);
    process.exitCode = 1;
  }
}
