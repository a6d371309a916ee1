/** Whether a database answers, is intact and migrated, and opens with the current keys. */
import { existsSync, statSync } from "node:fs";
import { moment } from "./duration.ts";
import { counted } from "../../domain/counted.ts";
import { seedCatalogue } from "../../domain/models/catalogue.ts";
import { nameOf as modelName } from "../../domain/models/model.ts";
import { endingSoon } from "../../domain/models/retirement.ts";
import { commandLine, startCommand } from "../../start/called.ts";
import { embeddedFile, missingDatabase } from "../../start/embedded-file.ts";
import { keptDatabase } from "../../start/secrets.ts";
import { nameOtherMasterKey } from "../../start/master-key.ts";
import { connect, nameOf, readMigrations, unreleased } from "../../start/migrations.ts";
import { codeIn } from "../../start/own-schema.ts";
import { keptMasterKey } from "../../start/secrets.ts";
import { checkout, type LibsqlDatabase, type Settings } from "../../start/settings.ts";
import { openLibsql, type Database } from "../../store/db.ts";
import { openLocally } from "../../store/engines/embedded/local.ts";
import { firstHash, isUnreleased, migrationTables, takesAway } from "../../store/migrations.ts";
import { faulty, fine, warning, type Finding } from "./finding.ts";

/** Bytes up to which a whole database is checked. */
const wholeBytes = 256 * 1024 * 1024;
const maxSkewMs = 5_000;

interface Opened {
  where: string;
  db: Database;
  /** The first column of the first row; throws the database's errors. */
  ask: (sql: string) => Promise<unknown>;
  /** `null` on another machine */
  file: string | null;
}

async function madeByUnreleased(ask: Opened["ask"]): Promise<boolean> {
  const listed = await ask(`select json_group_array(name) from (${migrationTables})`);
  const tables = JSON.parse(String(listed)) as string[];
  return isUnreleased(tables, tables.includes("migrations") ? await ask(firstHash) : null);
}

async function* migrationsOf({ where, ask, file }: Opened): AsyncGenerator<Finding> {
  const known = readMigrations(checkout).map(({ name }) => name);
  if (await madeByUnreleased(ask)) {
    yield faulty("migrations", unreleased(where), "Start with an empty STATE_DIR or database.");
    return;
  }
  const hasTable = Number(await ask(`select count(*) from (${migrationTables})`));
  const listed = hasTable === 0 ? "[]" : await ask("select json_group_array(name) from migrations");
  const applied = JSON.parse(String(listed)) as string[];
  const missing = known.filter((name) => !applied.includes(name));
  const unknown = applied.filter((name) => !known.includes(name));
  const lost = unknown.filter(takesAway);
  if (lost.length > 0)
    yield faulty(
      "migrations",
      `${where} is from a newer version: ${lost.join(", ")} removed what this version uses`,
      "Start the newer version, or restore an older copy.",
    );
  else if (unknown.length > 0)
    yield warning(
      "migrations",
      `${where} is from a newer version: it has ${unknown.join(", ")}, which only add`,
      "This version works with it. Return to the newer version once it is fixed.",
    );
  else if (missing.length > 0)
    yield warning(
      "migrations",
      `${where} lacks ${missing.length}: ${missing.join(", ")}`,
      file === null
        ? `Run ${commandLine("db:migrate")}.`
        : `The next ${startCommand} applies them; make a backup first.`,
    );
  else yield fine("migrations", `${where} has all ${known.length}`);
}

async function* clockOf({ where, ask, file }: Opened): AsyncGenerator<Finding> {
  const newest = Number(
    (await ask("select created_at from sampling_requests order by rowid desc limit 1")) ?? 0,
  );
  const now = Date.now();
  if (newest - now > maxSkewMs)
    yield faulty(
      "clock",
      `the newest record of ${where} is from ${moment(newest)}, but this clock says ${moment(now)}: it was set back`,
      "Set the clock by NTP; limits and budgets count by it.",
    );
  else if (file !== null) yield fine("clock", `${moment(now)}, after the newest record`);
  else {
    const there = Number(await ask("select unixepoch('now')")) * 1_000;
    const here = Date.now();
    yield Math.abs(there - here) > maxSkewMs
      ? warning(
          "clock",
          `the clock of ${where} says ${moment(there)}, and this one ${moment(here)}`,
          "Set both by NTP.",
        )
      : fine("clock", `${moment(here)}, as the clock of ${where}`);
  }
}

async function* credentialsOf(
  { where, ask, db }: Opened,
  settings: Settings,
): AsyncGenerator<Finding> {
  const masterKey = settings.masterKey ?? keptMasterKey(settings.stateDir);
  const previous = settings.passedOn["MASTER_KEY_PREVIOUS"];
  const foreign =
    masterKey === null ? null : await nameOtherMasterKey({ db, where }, { masterKey, previous });
  if (foreign !== null) yield faulty("secrets", foreign, "See docs/master-key.md.");
  const listed = await ask(
    "select json_group_array(provider) from (select distinct provider from credentials order by provider)",
  );
  const providers = JSON.parse(String(listed)) as string[];
  const failing = Number(await ask("select count(*) from credentials where status = 'failing'"));
  const real = providers.filter((name) => name !== "demo");
  yield* endingOf(real);
  if (failing > 0)
    yield warning(
      "providers",
      `${counted(failing, "credential")} in ${where} refused by the provider`,
      "See GET /admin/v1/tenants/{tenant}/credentials, and replace the key with PATCH.",
    );
  if (real.length === 0)
    yield warning(
      "providers",
      `no tenant in ${where} has a provider: answers are canned, or refused`,
      "Set a provider's variable, or add a credential: see docs/admin-api.md.",
    );
  else if (failing === 0) yield fine("providers", `credentials in ${where}: ${real.join(", ")}`);
}

/** The bundled dates also apply to a synced catalogue, which never removes them. */
function endingOf(providers: readonly string[]): Finding[] {
  const ending = endingSoon(seedCatalogue.models, Date.now()).filter(({ provider }) =>
    providers.includes(provider),
  );
  return ending.map((model) =>
    warning(
      "models",
      `${modelName(model)} is shut down on ${model.retiresAt ?? "a day that is not known"}`,
      "Requests that name it then use its successor.",
    ),
  );
}

async function* soundnessOf({ where, ask, file }: Opened): AsyncGenerator<Finding> {
  const isWhole = file !== null && statSync(file).size <= wholeBytes;
  const checked = await ask(isWhole ? "pragma quick_check(1)" : "select 'ok'");
  yield checked === "ok"
    ? fine("database", `${where} answers${isWhole ? " and is intact" : ""}`)
    : faulty(
        "database",
        `${where} is corrupted: ${String(checked).replaceAll(/\s+/g, " ")}`,
        `Restore a backup: ${commandLine("restore", "FILE")}.`,
      );
}

async function* findingsOf(opened: Opened, settings: Settings): AsyncGenerator<Finding> {
  try {
    yield* soundnessOf(opened);
    const found: Finding[] = [];
    for await (const finding of migrationsOf(opened)) found.push(finding);
    yield* found;
    // Not this version's tables.
    if (found.some(({ level }) => level !== "ok")) return;
    yield* clockOf(opened);
    yield* credentialsOf(opened, settings);
  } catch (cause) {
    // A server's message may contain its URL with a token.
    const message = opened.file === null ? "it does not answer, or refuses" : String(cause);
    yield faulty("database", `${opened.where}: ${message}`, "See docs/operate.md.");
  }
}

async function* embeddedOf(settings: Settings): AsyncGenerator<Finding> {
  const file = embeddedFile(settings.stateDir);
  const where = "the embedded database";
  const missing = missingDatabase(settings.stateDir, keptDatabase(settings.stateDir));
  if (missing !== null) {
    yield faulty("database", missing, `Restore a backup: ${commandLine("restore", "FILE")}.`);
    return;
  }
  if (!existsSync(file)) {
    yield fine("database", `none yet; the first ${startCommand} creates ${file}`);
    return;
  }
  const code = await codeIn(file).catch(() => null);
  if (code !== null) {
    yield faulty("database", `in ${where}, ${code}`, "Remove it, or restore a backup.");
    return;
  }
  const opened = openLocally(file, "reads");
  try {
    yield* findingsOf(
      { where, db: opened.db, ask: async (sql) => opened.one(sql), file },
      settings,
    );
  } finally {
    opened.close();
  }
}

async function* libsqlOf(database: LibsqlDatabase, settings: Settings): AsyncGenerator<Finding> {
  const client = connect(database);
  const ask = async (sql: string): Promise<unknown> => (await client.execute(sql)).rows[0]?.[0];
  try {
    yield* findingsOf(
      { where: nameOf(database), db: openLibsql(client), ask, file: null },
      settings,
    );
  } finally {
    client.close();
  }
}

export async function* databasesOf(settings: Settings): AsyncGenerator<Finding> {
  yield* settings.database === null ? embeddedOf(settings) : libsqlOf(settings.database, settings);
}
