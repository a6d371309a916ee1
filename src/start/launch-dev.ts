/** Starts the Worker in the Workers runtime; steps are undone by `ending`. */
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { ok, type Result } from "../domain/result.ts";
import { keptConsole, keptWorker, readDeployment } from "./bundle.ts";
import { writeConsole } from "./console-build.js";
import type { Ending } from "./ending.ts";
import { homeDatabase } from "../domain/tenancy/database-names.ts";
import { takePlace, type Voice } from "./place.ts";
import { startRuntime, type Runtime } from "./runtime.ts";
import { noteScheduleRun } from "./schedule-run.ts";
import { startSchedule } from "./schedule.ts";
import { openSecrets, type Secrets } from "./secrets.ts";
import { checkout, type Settings } from "./settings.ts";
import type { Welcome } from "./welcome.ts";

/** Bundles the Worker and migrates external databases. */
async function prepare(
  { database }: Settings,
  { stateDir, say }: { stateDir: string; say: Voice["say"] },
) {
  say("Bundling the Worker…");
  const deployment = readDeployment(checkout);
  if (!deployment.ok) return deployment;
  const bundling = keptWorker(checkout, deployment.value.main);
  const assets = join(stateDir, "console");
  const writing = writeConsole(assets, keptConsole());
  const script = await bundling;
  if (!script.ok) return script;
  await writing;
  if (database !== null) {
    say("Applying migrations…");
    // Lazy: slower to load than all earlier checks.
    const { migrateLibsql, readMigrations } = await import("./migrations.ts");
    const applied = await migrateLibsql(database, readMigrations(checkout));
    if (!applied.ok) return applied;
  }
  return ok({ deployment: deployment.value, script: script.value, assets });
}

interface Started {
  settings: Settings;
  secrets: Secrets;
  runtime: Runtime;
  say: Voice["say"];
}

/** Its own databases are migrated at first use. */
async function becomeReady(started: Started): Promise<Result<null, string>> {
  const { settings, secrets, runtime, say } = started;
  const { openObject } = await import("../store/engines/durable/open-object.ts");
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const own =
    settings.database === null
      ? openObject({ namespace: await runtime.databases(), wait }, homeDatabase, {})
      : null;
  const { otherMasterKey, untilReady } = await import("./ready.ts");
  const ready = await untilReady(runtime);
  if (!ready.ok) return ready;
  const other = await otherMasterKey(own, settings, secrets);
  if (other !== null) say(other);
  return ok(null);
}

async function welcomeTo(
  { settings, secrets, runtime, say }: Started,
  stateDir: string,
): Promise<Result<Omit<Welcome, "startedMs">, string>> {
  say(settings.isDemo ? "Preparing the demo tenant…" : "Preparing the router…");
  const { describe } = await import("./ready.ts");
  const { seedOf } = await import("./seed.ts");
  const { providers } = settings;
  const seeded = await seedOf(settings)(runtime, {
    secrets,
    providers,
    warn: say,
  });
  if (!seeded.ok) return seeded;
  return ok({
    at: settings,
    ...seeded.value,
    adminToken: secrets.adminTokenGenerated ? secrets.adminToken : null,
    isDemo: settings.isDemo,
    stateDir,
    database: describe(settings),
    issuer: settings.issuer,
  });
}

export async function launchDev(
  settings: Settings,
  ending: Ending,
  voice: Voice,
): Promise<Result<Omit<Welcome, "startedMs">, string>> {
  const { say, log } = voice;
  const { host, port, database } = settings;
  // Applies to all new files.
  process.umask(0o077);
  const stateDir = await takePlace(settings, {
    ending,
    voice,
    databases: { folder: "objects", migrations: null },
  });
  if (!stateDir.ok) return stateDir;
  const secrets = openSecrets(stateDir.value, settings);
  if (!secrets.ok) return secrets;
  if (database !== null && settings.masterKey === undefined)
    say(
      "MASTER_KEY is not set: other processes on this database need the one stored in STATE_DIR.",
    );

  const prepared = await prepare(settings, { stateDir: stateDir.value, say });
  if (!prepared.ok) return prepared;
  const { deployment, script, assets } = prepared.value;

  say("Starting the Workers runtime…");
  const runtime = await startRuntime({
    host,
    port,
    stateDir: stateDir.value,
    deployment,
    script,
    assets,
    embedded: database === null,
    log,
    values: {
      ...settings.passedOn,
      MASTER_KEY: secrets.value.masterKey,
      ADMIN_TOKEN: secrets.value.adminToken,
      ...(settings.isDemo && { DEMO_PROVIDER: "true" }),
    },
  });
  if (!runtime.ok) return runtime;
  ending.add(runtime.value.stop);
  const started = { settings, secrets: secrets.value, runtime: runtime.value, say };
  const ready = await becomeReady(started);
  if (!ready.ok) return ready;
  const welcome = await welcomeTo(started, stateDir.value);
  if (!welcome.ok) return welcome;
  const seconds = settings.scheduleSeconds;
  const ran = (isDone: boolean): void =>
    noteScheduleRun(stateDir.value, { at: Date.now(), ok: isDone });
  ending.add(startSchedule(() => runtime.value.scheduled("* * * * *"), { seconds, log, ran }));
  // Speeds up the next start by half a second.
  flushCompileCache();
  return welcome;
}
