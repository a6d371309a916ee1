/** From settings to the Worker in the real Workers runtime; every step that was begun is in `ending`. */
import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";
import { ok, type Result } from "../domain/result.ts";
import { bundleWorker, readDeployment } from "./bundle.ts";
import type { Ending } from "./ending.ts";
import { takePlace, type Voice } from "./place.ts";
import { startRuntime } from "./runtime.ts";
import { startSchedule } from "./schedule.ts";
import { openSecrets } from "./secrets.ts";
import { checkout, type Settings } from "./settings.ts";
import type { Welcome } from "./welcome.ts";

export async function launchDev(
  settings: Settings,
  ending: Ending,
  voice: Voice,
): Promise<Result<Omit<Welcome, "startedMs">, string>> {
  const { say, log } = voice;
  const { host, port, databases, embedded } = settings;
  // Of everything that is made from here on, the runtime's files included.
  process.umask(0o077);
  const stateDir = await takePlace(settings, { ending, voice, databases: "database" });
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
    host,
    port,
    stateDir: stateDir.value,
    deployment: deployment.value,
    script: script.value,
    embedded,
    log,
    values: {
      // D1 runs on this machine too: several writes at once only wait in another place.
      ...(embedded && { DATABASE_WRITES_AT_ONCE: "1" }),
      ...settings.passedOn,
      MASTER_KEY: secrets.value.masterKey,
      ADMIN_TOKEN: secrets.value.adminToken,
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
  const { describe, otherMasterKeys, untilReady } = await import("./ready.ts");
  const ready = await untilReady(runtime.value);
  if (!ready.ok) return ready;
  const own = embedded ? openD1(await runtime.value.database()) : null;
  for await (const line of otherMasterKeys(own, settings, secrets.value)) say(line);

  say("Preparing the demo tenant…");
  const { seed } = await import("./seed.ts");
  const { providers } = settings;
  const seeded = await seed(runtime.value, { secrets: secrets.value, providers, warn: say });
  if (!seeded.ok) return seeded;
  ending.add(
    startSchedule(() => runtime.value.scheduled("* * * * *"), {
      seconds: settings.scheduleSeconds,
      log,
    }),
  );
  flushCompileCache();
  return ok({
    at: settings,
    ...seeded.value,
    adminToken: secrets.value.adminTokenGenerated ? secrets.value.adminToken : null,
    stateDir: stateDir.value,
    database: describe(settings),
  });
}
