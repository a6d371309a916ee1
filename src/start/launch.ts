/** From settings to a router that answers; every step that was begun is in `ending`. */
import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";
import { err, ok, type Result } from "../domain/result.ts";
import { bundleWorker, readDeployment } from "./bundle.ts";
import type { Ending } from "./ending.ts";
import { lockStateDirectory } from "./lock.ts";
import { checkPort } from "./port.ts";
import { endAll } from "./processes.ts";
import { runtimeProgram, startRuntime, type Runtime } from "./runtime.ts";
import { startSchedule } from "./schedule.ts";
import { openSecrets } from "./secrets.ts";
import { checkout, type Settings } from "./settings.ts";
import { checkEmbedded } from "./soundness.ts";
import { openStateDirectory } from "./state-directory.ts";
import type { Welcome } from "./welcome.ts";

export interface Voice {
  /** to the person who waits */
  say: (line: string) => void;
  /** to the log */
  log: (line: string) => void;
}

/** Hosts, and how many more shards there are. */
function describe({ databases, embedded }: Settings): string {
  const [first] = databases;
  const home = embedded || first === undefined ? "embedded" : new URL(first.url).host;
  const others = databases.length - (embedded ? 0 : 1);
  return others === 0 ? home : `${home}, and ${others} more shard${others === 1 ? "" : "s"}`;
}

const readyWithinMs = 15_000;
const pauseMs = 50;

async function untilReady(runtime: Runtime): Promise<Result<null, string>> {
  const until = performance.now() + readyWithinMs;
  for (;;) {
    const { status, text } = await runtime.request("/health/ready", { method: "GET", headers: {} });
    if (status === 200) return ok(null);
    if (performance.now() > until)
      return err(
        `the Worker is not ready: ${status} ${text.replaceAll(/\s+/g, " ").slice(0, 300)}`,
      );
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** What there is to say of each database that another MASTER_KEY sealed. */
async function* otherMasterKeys(
  runtime: Runtime,
  { databases, embedded, passedOn }: Settings,
  { masterKey }: { masterKey: string },
): AsyncGenerator<string> {
  const { connect, nameOf } = await import("./migrations.ts");
  const { openD1, openLibsql } = await import("../store/db.ts");
  const { nameOtherMasterKey } = await import("./master-key.ts");
  const given = { masterKey, previous: passedOn["MASTER_KEY_PREVIOUS"] };
  if (embedded) {
    const db = openD1(await runtime.database());
    const line = await nameOtherMasterKey({ db, where: "the embedded database" }, given);
    if (line !== null) yield line;
  }
  for (const database of databases) {
    const client = connect(database);
    const about = { db: openLibsql(client), where: nameOf(database) };
    const line = await nameOtherMasterKey(about, given);
    client.close();
    if (line !== null) yield line;
  }
}

/** The state directory, held by this process alone, and the port free. */
async function takePlace(
  settings: Settings,
  ending: Ending,
  { say }: Voice,
): Promise<Result<string, string>> {
  const stateDir = openStateDirectory(settings.stateDir);
  if (!stateDir.ok) return stateDir;
  const lock = await lockStateDirectory(stateDir.value, settings.port);
  if (!lock.ok) return lock;
  ending.add(lock.value.release);
  // Two runtimes on one embedded database fail each other's writes, so a left one goes first.
  const stale = await endAll(runtimeProgram(stateDir.value));
  const pids = stale.pids.join(", ");
  if (!stale.ended) return err(`a runtime of an earlier start can't be ended, pid ${pids}`);
  if (pids !== "") say(`Ended the runtime of an earlier start, pid ${pids}.`);
  const port = await checkPort(settings.port);
  if (!port.ok) return port;
  const sound = settings.embedded ? await checkEmbedded(stateDir.value) : ok(null);
  return sound.ok ? stateDir : sound;
}

export async function launch(
  settings: Settings,
  ending: Ending,
  voice: Voice,
): Promise<Result<Omit<Welcome, "startedMs">, string>> {
  const { say, log } = voice;
  const { port, databases, embedded } = settings;
  // Of everything that is made from here on, the runtime's files included.
  process.umask(0o077);
  const stateDir = await takePlace(settings, ending, voice);
  if (!stateDir.ok) return stateDir;
  const secrets = openSecrets(stateDir.value, settings);
  if (!secrets.ok) return secrets;
  if (databases.length > 0 && settings.masterKey === undefined)
    say("MASTER_KEY is not set: other processes on this database need the one kept in STATE_DIR.");

  // Half a second less for whoever starts it again.
  enableCompileCache(join(stateDir.value, "cache"));
  say("Bundling the Worker…");
  const deployment = readDeployment(checkout);
  if (!deployment.ok) return deployment;
  const bundling = bundleWorker(checkout, deployment.value.main);
  // Not at the top: loading the database's packages takes longer than all the checks above.
  const { applyMigrations, migrateAll, readMigrations } = await import("./migrations.ts");
  const { openD1 } = await import("../store/db.ts");
  const migrations = readMigrations(checkout);
  const script = await bundling;
  if (!script.ok) return script;
  if (databases.length > 0) {
    say("Applying migrations…");
    const applied = await migrateAll(databases, migrations);
    if (!applied.ok) return applied;
  }

  say("Starting the Workers runtime…");
  const runtime = await startRuntime({
    port,
    stateDir: stateDir.value,
    deployment: deployment.value,
    script: script.value,
    embedded,
    log,
    values: {
      ...settings.passedOn,
      MASTER_KEY: secrets.value.masterKey,
      ADMIN_TOKEN: secrets.value.adminToken,
      ALLOW_PRIVATE_UPSTREAMS: "true",
      DEMO_PROVIDER: "true",
    },
  });
  if (!runtime.ok) return runtime;
  ending.add(runtime.value.stop);
  if (embedded) {
    say("Applying migrations…");
    const db = openD1(await runtime.value.database());
    const applied = await applyMigrations(db, migrations, "the embedded database");
    if (!applied.ok) return applied;
  }
  const ready = await untilReady(runtime.value);
  if (!ready.ok) return ready;
  for await (const line of otherMasterKeys(runtime.value, settings, secrets.value)) say(line);

  say("Preparing the demo tenant…");
  const { seed } = await import("./seed.ts");
  const { providers } = settings;
  const seeded = await seed(runtime.value, { secrets: secrets.value, providers, warn: say });
  if (!seeded.ok) return seeded;
  ending.add(startSchedule(runtime.value, { seconds: settings.scheduleSeconds, log }));
  flushCompileCache();
  return ok({
    port,
    ...seeded.value,
    adminToken: secrets.value.adminTokenGenerated ? secrets.value.adminToken : null,
    stateDir: stateDir.value,
    database: describe(settings),
  });
}
