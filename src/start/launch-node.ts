/** Starts the router in this process; steps are undone by `ending`. */
import { err, ok, type Result } from "../domain/result.ts";
import { readFile } from "node:fs/promises";
import { createNodeHost, type NodeHost } from "../node.ts";
import { createHostIdentity } from "../node/host-identity/host-identity.ts";
import { lineOf, type LogFormat } from "../node/log-lines.ts";
import { createNodeServer } from "../node/server.ts";
import { ledgerTexts } from "../store/engines/memory-ledger/texts.ts";
import { startEmbedded, type EmbeddedEngine } from "../store/engines/embedded/engine.ts";
import { openOverEngine } from "../store/over-engine.ts";
import { createGroupsByServer } from "../store/engines/libsql/libsql-groups.ts";
import type { Answering } from "./admin.ts";
import { readConsoleFiles } from "./console-files.ts";
import { embeddedPlace, makeEmbeddedFolder, missingDatabase } from "./embedded-file.ts";
import type { Ending } from "./ending.ts";
import { findLostRecords, keepRecordMark } from "./lost-records.ts";
import { applyMigrations, migrateLibsql, readMigrations } from "./migrations.ts";
import { outgoingOf } from "./outgoing.ts";
import { takePlace, type Voice } from "./place.ts";
import { describe, otherMasterKey, untilReady } from "./ready.ts";
import { noteScheduleRun } from "./schedule-run.ts";
import { startSchedule } from "./schedule.ts";
import { noteDatabase, openSecrets, type Secrets } from "./secrets.ts";
import { seedOf } from "./seed.ts";
import { checkout, type Settings } from "./settings.ts";
import type { Welcome } from "./welcome.ts";

/** Queued writes share a commit, so concurrency is cheap. */
const writesAtOnce = "64";

const formatOf = ({ logFormat }: Settings): LogFormat =>
  logFormat ?? (process.stderr.isTTY ? "pretty" : "json");

export interface Started {
  /** built entry point of the database threads */
  databaseThread: URL;
  consoleFolder: string;
  /** Takes over the signal handlers without a gap. */
  onSignal: (received: () => void) => void;
}

const replacedEntry = (path: string): Record<string, unknown> => ({
  event: "database.replaced",
  path,
  detail:
    "The database file was deleted or replaced, so calls are refused. Stop the router, restore the file or a backup, and start the router again.",
});

/** `null` for a libSQL server. */
async function openDatabase(
  stateDir: string,
  context: { settings: Settings; started: Started; ending: Ending; voice: Voice },
): Promise<Result<EmbeddedEngine | null, string>> {
  const { settings, started, ending, voice } = context;
  const log = (entry: Record<string, unknown>): void =>
    voice.log(lineOf(entry, formatOf(settings), new Date()));
  const migrations = readMigrations(checkout);
  if (settings.database !== null) {
    const applied = await migrateLibsql(settings.database, migrations);
    return applied.ok ? ok(null) : applied;
  }
  const path = makeEmbeddedFolder(stateDir);
  const engine = await startEmbedded({
    path,
    thread: started.databaseThread,
    memoryLedger: ledgerTexts,
    onReplaced: () => log(replacedEntry(path)),
  });
  if (!engine.ok) return engine;
  ending.add(engine.value.close);
  const db = openOverEngine(engine.value);
  const migrated = await applyMigrations(db, migrations, "the embedded database");
  if (!migrated.ok) return migrated;
  const lost = await findLostRecords(engine.value, path);
  if (lost !== null) {
    voice.say(lost.line);
    log(lost.entry);
  }
  ending.add(keepRecordMark(engine.value, path));
  return engine;
}

interface OfHost {
  own: EmbeddedEngine | null;
  secrets: Secrets;
  log: Voice["log"];
  started: Started;
  drains: AbortController;
}

function openHost(
  settings: Settings,
  { own, secrets, log, started, drains }: OfHost,
  ending: Ending,
): Promise<Result<NodeHost, string>> {
  const outgoing = outgoingOf(settings);
  ending.add(outgoing.close);
  const ends = new AbortController();
  ending.add(() => ends.abort());
  const format = formatOf(settings);
  return createNodeHost(
    {
      DATABASE_WRITES_AT_ONCE: writesAtOnce,
      ...settings.passedOn,
      MASTER_KEY: secrets.masterKey,
      ADMIN_TOKEN: secrets.adminToken,
      ...(settings.isDemo && { DEMO_PROVIDER: "true" }),
      ...(own !== null && { DATABASES: own }),
    },
    {
      log: (entry) => log(lineOf(entry, format, new Date())),
      fetch: outgoing.fetch,
      ends: ends.signal,
      drains: drains.signal,
      fetchShort: outgoing.fetchShort,
      consoleFiles: readConsoleFiles(started.consoleFolder),
      fetchPublic: outgoing.fetchPublic,
      fetchServer: outgoing.fetchServer,
      fetchDatabase: outgoing.fetchDatabase,
      identity: createHostIdentity({
        platform: settings.environment,
        readText: (path) => readFile(path, "utf8"),
        fetch: outgoing.fetchHost,
        now: Date.now,
      }),
      immediately: (act) => void setImmediate(act),
      openOwnDatabase(options) {
        if (own === null) throw new Error("the settings name a libSQL server");
        return openOverEngine(own, options);
      },
      databaseFigures: own?.figures,
      writeGroupsOf: createGroupsByServer(outgoing.fetchDatabase),
    },
  );
}

/** Without a socket, for seeding. */
const answeringOf = (host: NodeHost): Answering => ({
  async request(path, init) {
    const answer = await host.answer(new Request(`http://127.0.0.1${path}`, init), {
      requestIs: () => {},
      address: () => "127.0.0.1",
    });
    return { status: answer.status, text: await answer.text() };
  },
});

async function listen(
  host: NodeHost,
  { settings, drains }: { settings: Settings; drains: AbortController },
  ending: Ending,
): Promise<Result<null, string>> {
  const server = createNodeServer({
    answer: host.answer,
    answerDirectly: host.answerDirectly,
    isTrusted: settings.isTrustedProxy,
    open: host.open,
    report: (fault) => host.log({ event: "internal", fault }),
  });
  ending.add(async () => {
    drains.abort();
    if (await server.drain(settings.drainSeconds * 1_000)) return;
    host.log({ event: "cut", ...host.open.report() });
  });
  const listening = await server.listen(settings);
  return listening.ok ? listening : err(`PORT ${settings.port} ${listening.error}`);
}

export interface Launched extends Omit<Welcome, "startedMs"> {
  host: NodeHost;
}

export async function launchNode(
  settings: Settings,
  context: { started: Started; ending: Ending; voice: Voice },
): Promise<Result<Launched, string>> {
  const { started, ending, voice } = context;
  const { say, log } = voice;
  // Applies to all new files.
  process.umask(0o077);
  const stateDir = await takePlace(settings, {
    ending,
    voice,
    databases: { folder: "embedded", migrations: readMigrations(checkout) },
  });
  if (!stateDir.ok) return stateDir;
  const opened = openSecrets(stateDir.value, settings);
  if (!opened.ok) return opened;
  const missing =
    settings.database === null
      ? missingDatabase(stateDir.value, opened.value.kept.database ?? null)
      : null;
  if (missing !== null) return err(missing);
  if (settings.database !== null && settings.masterKey === undefined)
    say(
      "MASTER_KEY is not set: other processes on this database need the one stored in STATE_DIR.",
    );
  const own = await openDatabase(stateDir.value, { settings, started, ending, voice });
  if (!own.ok) return own;
  const secrets = own.value === null ? opened.value : noteDatabase(opened.value, embeddedPlace);
  const drains = new AbortController();
  const host = await openHost(settings, { own: own.value, secrets, log, started, drains }, ending);
  if (!host.ok) return host;
  const router = answeringOf(host.value);
  const ready = await untilReady(router);
  if (!ready.ok) return ready;
  const database = own.value === null ? null : openOverEngine(own.value);
  const other = await otherMasterKey(database, settings, secrets);
  if (other !== null) say(other);
  const { providers, scheduleSeconds } = settings;
  const seeded = await seedOf(settings)(router, {
    secrets,
    providers,
    warn: say,
  });
  if (!seeded.ok) return seeded;
  const listening = await listen(host.value, { settings, drains }, ending);
  if (!listening.ok) return listening;
  const ran = (isDone: boolean): void =>
    noteScheduleRun(stateDir.value, { at: Date.now(), ok: isDone });
  ending.add(startSchedule(host.value.runJobs, { seconds: scheduleSeconds, log, ran }));
  return ok({
    host: host.value,
    at: settings,
    ...seeded.value,
    adminToken: secrets.adminTokenGenerated ? secrets.adminToken : null,
    isDemo: settings.isDemo,
    stateDir: stateDir.value,
    database: describe(settings),
    issuer: settings.issuer,
  });
}
