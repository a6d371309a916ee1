/** `npm run db:migrate`: migrates the database at DATABASE_URL. */
import { commandLine } from "../start/called.ts";
import { checkout, parseSettings } from "../start/settings.ts";
import { migrateLibsql, readMigrations } from "../start/migrations.ts";
import { answerHelp } from "./usage.ts";
import { say, sayFault } from "./output.ts";

const usage = `usage: ${commandLine("db:migrate")}
Migrates the database at DATABASE_URL. Running routers are not interrupted.`;

async function run(): Promise<string | null> {
  const settings = parseSettings(process.env);
  if (!settings.ok) return settings.error;
  const { database } = settings.value;
  if (database === null)
    return "DATABASE_URL is missing; other databases are migrated automatically";
  const applied = await migrateLibsql(database, readMigrations(checkout));
  if (!applied.ok) return applied.error;
  for (const name of applied.value) say(`Applied ${name}`);
  if (applied.value.length === 0) say("The database is up to date.");
  return null;
}

answerHelp(usage);
const fault = await run();
if (fault !== null) {
  sayFault(fault);
  process.exitCode = 1;
}
