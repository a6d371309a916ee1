/** `npm run db:migrate`: brings the database at DATABASE_URL up to date. */
import { checkout, parseSettings } from "./settings.ts";
import { migrateLibsql, readMigrations } from "./migrations.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function run(): Promise<string | null> {
  const settings = parseSettings(process.env);
  if (!settings.ok) return settings.error;
  const { database } = settings.value;
  if (database === null)
    return "DATABASE_URL is missing; for D1, run: npx wrangler d1 migrations apply DB --remote";
  const applied = await migrateLibsql(database, readMigrations(checkout));
  if (!applied.ok) return applied.error;
  for (const name of applied.value) say(`Applied ${name}`);
  if (applied.value.length === 0) say("Nothing to apply: the database is up to date.");
  return null;
}

const fault = await run();
if (fault !== null) {
  process.stderr.write(`sampling-router: ${fault}\n`);
  process.exitCode = 1;
}
